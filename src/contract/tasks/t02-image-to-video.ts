/**
 * T2, image to video (Grok Imagine): the specification to the letter; where it names no bound,
 * ours.
 */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import {
  aspectRatio,
  durationNumber,
  imageUrls,
  inWholeSeconds,
  LARGEST_IMAGE_MEGABYTES,
  LONGEST_PROMPT,
  MOST_FILES,
  nsfwChecker,
  prompt,
  resolution,
  WHOLE_SECONDS_TEXT,
} from "./usual-parameters.ts";

export const T2: TaskTable = {
  id: "T2",
  title: { en: "Image to video", ru: "Видео из изображения" },
  summary: {
    en: "Makes a video after reference images and a prompt.",
    ru: "Создаёт видео по опорным изображениям и промпту.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: LONGEST_PROMPT,
      description: { en: "The video you want.", ru: "Каким должно быть видео." },
      source: "contract §7; length: ours",
    }),
    imageUrls: imageUrls({
      required: true,
      count: [1, MOST_FILES],
      media: stillImage(LARGEST_IMAGE_MEGABYTES),
      description: { en: "Reference images.", ru: "Опорные изображения." },
      source: "contract §7; count, types and size: ours",
    }),
    // A number, not an integer: so the specification has it. Only T5 and T17 count whole seconds.
    duration: durationNumber(
      { kind: "number", min: 1, max: 15, default: 5, source: "contract §7; whole: kie" },
      WHOLE_SECONDS_TEXT,
    ),
    resolution: resolution({ values: ["480p", "720p"], default: "720p", source: "contract §7" }),
    aspectRatio: aspectRatio({
      values: ["16:9", "9:16", "1:1", "3:4", "4:3"],
      default: "16:9",
      source: "contract §7",
    }),
    nsfwChecker: nsfwChecker(),
  },
  rules: [],
  complete: inWholeSeconds,
  examples: {
    minimal: {
      prompt: "The fox turns its head and smiles.",
      imageUrls: ["https://files.example.com/fox.png"],
    },
    full: {
      prompt: "The fox from the first image runs through the forest of the second.",
      imageUrls: ["https://files.example.com/fox.png", "https://files.example.com/forest.jpg"],
      duration: 8,
      resolution: "480p",
      aspectRatio: "9:16",
      nsfwChecker: true,
    },
  },
};
