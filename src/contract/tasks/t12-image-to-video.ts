/** T12, image to video (Wan 2.6): the specification to the letter; the count of images is ours. */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { durationChoice, imageUrls, MOST_FILES, prompt, resolution } from "./usual-parameters.ts";

export const T12: TaskTable = {
  id: "T12",
  title: { en: "Image to video", ru: "Видео из изображения" },
  summary: {
    en: "Brings an image to life, up to 15 seconds.",
    ru: "Оживляет изображение, до 15 секунд.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 5000,
      description: { en: "What is to happen.", ru: "Что должно произойти." },
      source: "contract §7",
    }),
    imageUrls: imageUrls({
      required: true,
      count: [1, MOST_FILES],
      media: stillImage(10),
      description: {
        en: "The image that the video begins with.",
        ru: "Изображение, с которого начинается видео.",
      },
      source: "contract §7; count: ours",
    }),
    duration: durationChoice({ values: ["5", "10", "15"], default: "5", source: "contract §7" }),
    resolution: resolution({ values: ["720p", "1080p"], default: "1080p", source: "contract §7" }),
  },
  rules: [],
  examples: {
    minimal: {
      prompt: "Snow begins to fall.",
      imageUrls: ["https://files.example.com/street.jpg"],
    },
    full: {
      prompt: "Snow begins to fall.",
      imageUrls: ["https://files.example.com/street.webp"],
      duration: "15",
      resolution: "720p",
    },
  },
};
