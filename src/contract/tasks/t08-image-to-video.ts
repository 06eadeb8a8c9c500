/**
 * T8, image to video (MiniMax Hailuo 2.3): the specification shows names and types; limits and
 * defaults are kie's.
 */
import { sayRule } from "./say-mistake.ts";
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { durationChoice, imageUrl, prompt, resolution } from "./usual-parameters.ts";

export const T8: TaskTable = {
  id: "T8",
  title: { en: "Image to video", ru: "Видео из изображения" },
  summary: {
    en: "Brings one image to life, in a standard and a professional variant.",
    ru: "Оживляет одно изображение, в стандартном и профессиональном вариантах.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 5000,
      description: { en: "What is to happen.", ru: "Что должно произойти." },
      source: "contract §7; length: kie",
    }),
    imageUrl: imageUrl({
      media: stillImage(10),
      description: {
        en: "The image that the video begins with.",
        ru: "Изображение, с которого начинается видео.",
      },
      source: "contract §7; types and size: kie",
    }),
    duration: durationChoice(
      { values: ["6", "10"], default: "6", source: "type: contract §7; values and default: kie" },
      { en: "Length of the video; 10 only at 768P.", ru: "Длина видео; 10 — только при 768P." },
    ),
    resolution: resolution({
      values: ["768P", "1080P"],
      default: "768P",
      source: "type: contract §7; values and default: kie",
    }),
    variant: {
      kind: "choice",
      values: ["standard", "pro"],
      default: "standard",
      title: { en: "Variant", ru: "Вариант" },
      description: { en: "pro is better and costs more.", ru: "pro — лучше и дороже." },
      source: "type: contract §7; values: kie, which has a model for each; default: ours",
    },
  },
  rules: [
    {
      // Source: kie.
      params: ["duration", "resolution"],
      says: sayRule("duration_at_1080p"),
      breaks: (parameters) =>
        parameters["duration"] === "10" && parameters["resolution"] === "1080P",
    },
  ],
  examples: {
    minimal: { prompt: "The candle goes out.", imageUrl: "https://files.example.com/candle.jpg" },
    full: {
      prompt: "The candle goes out and smoke rises.",
      imageUrl: "https://files.example.com/candle.webp",
      duration: "10",
      resolution: "768P",
      variant: "pro",
    },
  },
};
