/** T19, image generation (Nano Banana 2): the specification to the letter. */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { aspectRatio, imageUrls, prompt, resolution } from "./usual-parameters.ts";

export const T19: TaskTable = {
  id: "T19",
  title: { en: "Image generation", ru: "Создание изображений" },
  summary: {
    en: "Makes an image from text, or from up to 14 images.",
    ru: "Создаёт изображение по тексту или по изображениям, до 14.",
  },
  makes: "image",
  parameters: {
    prompt: prompt({
      maxLength: 10_000,
      description: { en: "The image you want.", ru: "Каким должно быть изображение." },
      source: "contract §7",
    }),
    imageUrls: imageUrls({
      count: [1, 14],
      media: stillImage(30),
      description: {
        en: "1 to 14 images to work on; without them the image is made from text.",
        ru: "От 1 до 14 исходных изображений; без них изображение создаётся по тексту.",
      },
      source: "contract §7; types: kie",
    }),
    resolution: resolution({ values: ["1K", "2K", "4K"], default: "1K", source: "contract §7" }),
    aspectRatio: aspectRatio({
      values: [
        "1:1",
        "1:4",
        "4:1",
        "1:8",
        "8:1",
        "2:3",
        "3:2",
        "3:4",
        "4:3",
        "4:5",
        "5:4",
        "9:16",
        "16:9",
        "21:9",
        "auto",
      ],
      default: "9:16",
      source: "contract §7",
    }),
  },
  rules: [],
  examples: {
    minimal: { prompt: "A poster for a jazz night." },
    full: {
      prompt: "A poster for a jazz night with the face of the first image.",
      imageUrls: ["https://files.example.com/face.jpg"],
      resolution: "4K",
      aspectRatio: "auto",
    },
  },
};
