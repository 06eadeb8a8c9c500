/**
 * T14, image to image (GPT Image 2): the specification shows names and types; limits, defaults and
 * rules are kie's.
 */
import { sayRule } from "./say-mistake.ts";
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { aspectRatio, imageUrls, prompt, resolution } from "./usual-parameters.ts";

export const T14: TaskTable = {
  id: "T14",
  title: { en: "Image to image", ru: "Изображение из изображений" },
  summary: {
    en: "Makes an image after up to 16 given ones.",
    ru: "Создаёт изображение по данным, до 16.",
  },
  makes: "image",
  parameters: {
    prompt: prompt({
      maxLength: 20_000,
      description: { en: "The image you want.", ru: "Каким должно быть изображение." },
      source: "contract §7; length: kie",
    }),
    inputUrls: imageUrls({
      required: true,
      count: [1, 16],
      media: stillImage(10),
      description: { en: "1 to 16 images to work from.", ru: "От 1 до 16 исходных изображений." },
      source: "contract §7; count and types: kie; size: kie's page of the version before",
    }),
    aspectRatio: aspectRatio(
      {
        values: [
          "auto",
          "1:1",
          "3:2",
          "2:3",
          "4:3",
          "3:4",
          "5:4",
          "4:5",
          "16:9",
          "9:16",
          "2:1",
          "1:2",
          "3:1",
          "1:3",
          "21:9",
          "9:21",
        ],
        default: "auto",
        source: "type: contract §7; values and default: kie",
      },
      {
        en: "Width to height of the result; auto only at 1K.",
        ru: "Ширина к высоте результата; auto — только при 1K.",
      },
    ),
    resolution: resolution(
      {
        values: ["1K", "2K", "4K"],
        default: "1K",
        source: "type: contract §7; values: kie; default: ours",
      },
      {
        en: "Higher costs more. auto, 5:4 and 4:5 exist at 1K only, 1:1 not at 4K.",
        ru: "Чем выше, тем дороже. auto, 5:4 и 4:5 — только 1K, 1:1 — без 4K.",
      },
    ),
  },
  rules: [
    {
      params: ["resolution", "aspectRatio"],
      says: sayRule("resolution_at_auto"),
      breaks: (parameters) =>
        parameters["aspectRatio"] === "auto" && parameters["resolution"] !== "1K",
    },
    {
      params: ["resolution", "aspectRatio"],
      says: sayRule("resolution_at_5_4"),
      breaks: (parameters) =>
        ["5:4", "4:5"].includes(String(parameters["aspectRatio"])) &&
        parameters["resolution"] !== "1K",
    },
    {
      params: ["resolution", "aspectRatio"],
      says: sayRule("resolution_at_1_1"),
      breaks: (parameters) =>
        parameters["aspectRatio"] === "1:1" && parameters["resolution"] === "4K",
    },
  ],
  examples: {
    minimal: {
      prompt: "As an oil painting.",
      inputUrls: ["https://files.example.com/harbour.jpg"],
    },
    full: {
      prompt: "The ships of both images in one harbour.",
      inputUrls: ["https://files.example.com/ship.png", "https://files.example.com/harbour.webp"],
      aspectRatio: "16:9",
      resolution: "4K",
    },
  },
};
