/** T6, image editing, newer (Seedream 4.5): the specification to the letter. */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { aspectRatio, imageUrls, nsfwChecker, prompt } from "./usual-parameters.ts";

export const T6: TaskTable = {
  id: "T6",
  title: { en: "Image editing (newer)", ru: "Редактирование изображений (новее)" },
  summary: {
    en: "Changes or joins up to 14 images as the prompt says, up to 4K.",
    ru: "Меняет и объединяет до 14 изображений по промпту, до 4K.",
  },
  makes: "image",
  parameters: {
    prompt: prompt({
      maxLength: 3000,
      description: { en: "What to change.", ru: "Что изменить." },
      source: "contract §7",
    }),
    imageUrls: imageUrls({
      required: true,
      count: [1, 14],
      media: stillImage(10),
      description: { en: "1 to 14 images to work on.", ru: "От 1 до 14 исходных изображений." },
      source: "contract §7",
    }),
    nsfwChecker: nsfwChecker(),
    aspectRatio: aspectRatio({
      values: ["1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9"],
      default: "1:1",
      source: "contract §7",
    }),
    quality: {
      kind: "choice",
      values: ["basic", "high"],
      default: "basic",
      title: { en: "Quality", ru: "Качество" },
      description: { en: "basic is 2K, high is 4K.", ru: "basic — это 2K, high — 4K." },
      source: "contract §7",
    },
  },
  rules: [],
  examples: {
    minimal: {
      prompt: "Remove the people in the background.",
      imageUrls: ["https://files.example.com/beach.jpg"],
    },
    full: {
      prompt: "Dress the person of the first image in the coat of the second.",
      imageUrls: ["https://files.example.com/person.jpg", "https://files.example.com/coat.png"],
      nsfwChecker: true,
      aspectRatio: "21:9",
      quality: "high",
    },
  },
};
