/**
 * T13, image to video from a single image (Kling 2.6): the specification to the letter; WebP is
 * converted, since the provider takes none.
 */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { durationChoice, imageUrl, prompt } from "./usual-parameters.ts";

export const T13: TaskTable = {
  id: "T13",
  title: { en: "Image to video (single image)", ru: "Видео из одного изображения" },
  summary: {
    en: "Brings one image to life, with sound if wanted.",
    ru: "Оживляет одно изображение, при желании со звуком.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 1000,
      description: { en: "What is to happen.", ru: "Что должно произойти." },
      source: "contract §7",
    }),
    imageUrl: imageUrl({
      media: stillImage(10, { webpToJpeg: true }),
      description: {
        en: "The image that the video begins with.",
        ru: "Изображение, с которого начинается видео.",
      },
      source: "contract §7; conversion of WebP: kie takes JPEG and PNG",
    }),
    duration: durationChoice({ values: ["5", "10"], default: "5", source: "contract §7" }),
    sound: {
      kind: "flag",
      default: false,
      title: { en: "Sound", ru: "Звук" },
      description: {
        en: "Make the video with sound; costs more.",
        ru: "Видео со звуком; стоит дороже.",
      },
      source: "contract §7",
    },
  },
  rules: [],
  examples: {
    minimal: {
      prompt: "She looks up and laughs.",
      imageUrl: "https://files.example.com/portrait.jpg",
    },
    full: {
      prompt: "She looks up and says hello.",
      imageUrl: "https://files.example.com/portrait.webp",
      duration: "10",
      sound: true,
    },
  },
};
