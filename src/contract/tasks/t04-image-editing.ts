/**
 * T4, image editing (Seedream 4.0): the specification shows names and types; limits and defaults
 * are kie's.
 */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { imageUrls, nsfwChecker, prompt, seed } from "./usual-parameters.ts";

export const T4: TaskTable = {
  id: "T4",
  title: { en: "Image editing", ru: "Редактирование изображений" },
  summary: {
    en: "Changes up to 10 images as the prompt says, in up to 6 versions.",
    ru: "Меняет до 10 изображений по промпту, до 6 вариантов.",
  },
  makes: "image",
  parameters: {
    prompt: prompt({
      maxLength: 5000,
      description: { en: "What to change.", ru: "Что изменить." },
      source: "contract §7; length: kie",
    }),
    imageUrls: imageUrls({
      required: true,
      count: [1, 10],
      media: stillImage(10),
      description: { en: "1 to 10 images to work on.", ru: "От 1 до 10 исходных изображений." },
      source: "contract §7; count, types and size: kie",
    }),
    nsfwChecker: { ...nsfwChecker(), source: "type: contract §7; default: as in T2 and T6" },
    imageSize: {
      kind: "choice",
      values: [
        "square",
        "square_hd",
        "portrait_4_3",
        "portrait_3_2",
        "portrait_16_9",
        "landscape_4_3",
        "landscape_3_2",
        "landscape_16_9",
        "landscape_21_9",
      ],
      default: "square_hd",
      title: { en: "Shape", ru: "Формат" },
      description: { en: "The shape of the result.", ru: "Формат результата." },
      source: "type: contract §7; values and default: kie",
    },
    imageResolution: {
      kind: "choice",
      values: ["1K", "2K", "4K"],
      default: "1K",
      title: { en: "Resolution", ru: "Разрешение" },
      description: { en: "Higher is sharper.", ru: "Чем выше, тем чётче." },
      source: "type: contract §7; values and default: kie",
    },
    maxImages: {
      kind: "integer",
      min: 1,
      max: 6,
      default: 1,
      title: { en: "Number of images", ru: "Число изображений" },
      description: {
        en: "How many results to make at most; each is paid for.",
        ru: "Сколько результатов создать; оплачивается каждый.",
      },
      source: "type: contract §7; range and default: kie",
    },
    seed: seed({ source: "parameter: contract §7; type: kie" }),
  },
  rules: [],
  examples: {
    minimal: {
      prompt: "Make it a winter evening.",
      imageUrls: ["https://files.example.com/house.jpg"],
    },
    full: {
      prompt: "Put the lamp of the second image on the table of the first.",
      imageUrls: ["https://files.example.com/table.png", "https://files.example.com/lamp.webp"],
      nsfwChecker: true,
      imageSize: "landscape_16_9",
      imageResolution: "2K",
      maxImages: 3,
      seed: 42,
    },
  },
};
