/**
 * T16, turbo image to video (Kling 3.0 Turbo): the specification shows names and types; limits and
 * defaults are kie's.
 */
import { JPEG_PNG } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { durationChoice, imageUrl, prompt, resolution, secondsFrom } from "./usual-parameters.ts";

export const T16: TaskTable = {
  id: "T16",
  title: { en: "Turbo image to video", ru: "Быстрое видео из изображения" },
  summary: { en: "Brings one image to life fast.", ru: "Быстро оживляет одно изображение." },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 2500,
      description: { en: "What is to happen.", ru: "Что должно произойти." },
      source: "contract §7; length: kie",
    }),
    imageUrl: imageUrl({
      media: { kind: "image", contentTypes: JPEG_PNG, webpToJpeg: true, maxMegabytes: 10 },
      description: {
        en: "The image that the video begins with.",
        ru: "Изображение, с которого начинается видео.",
      },
      source: "contract §7; types and size: kie; conversion of WebP: ours",
    }),
    duration: durationChoice({
      values: secondsFrom(3, 15),
      default: "5",
      source: "type: contract §7; values and default: kie",
    }),
    resolution: resolution({
      values: ["720p", "1080p"],
      default: "720p",
      source: "type: contract §7; values and default: kie",
    }),
  },
  rules: [],
  examples: {
    minimal: { prompt: "The balloon rises.", imageUrl: "https://files.example.com/balloon.jpg" },
    full: {
      prompt: "The balloon rises over the hills.",
      imageUrl: "https://files.example.com/balloon.png",
      duration: "12",
      resolution: "1080p",
    },
  },
};
