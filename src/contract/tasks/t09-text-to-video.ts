/** T9, text to video with frames and references (Seedance): the specification to the letter. */
import {
  FIRST_FRAME,
  generateAudio,
  LAST_FRAME,
  referenceAudios,
  referenceImages,
  referenceVideos,
} from "./frames-and-references.ts";
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import {
  aspectRatio,
  durationNumber,
  inWholeSeconds,
  prompt,
  resolution,
  WHOLE_SECONDS_TEXT,
} from "./usual-parameters.ts";

export const T9: TaskTable = {
  id: "T9",
  title: {
    en: "Text to video with frames and references",
    ru: "Видео из текста с кадрами и образцами",
  },
  summary: {
    en: "Makes a video from a prompt, with frames or references where you have them, and with sound at double the price.",
    ru: "Создаёт видео по промпту, с кадрами или образцами, если они есть, и со звуком за двойную цену.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 5000,
      description: { en: "The video you want.", ru: "Каким должно быть видео." },
      source: "contract §7",
    }),
    aspectRatio: aspectRatio({
      values: ["1:1", "16:9", "9:16", "4:3", "3:4", "21:9"],
      default: "16:9",
      source: "contract §7",
    }),
    resolution: resolution({
      values: ["480p", "720p", "1080p"],
      default: "720p",
      source: "contract §7",
    }),
    // A number, not an integer: so the specification has it.
    duration: durationNumber(
      { kind: "number", required: true, min: 4, max: 15, source: "contract §7; whole: kie" },
      WHOLE_SECONDS_TEXT,
    ),
    // kie's models differ (1.5: false, 2.0: true). Silence, because no customer should pay double
    // without having asked.
    generateAudio: generateAudio(
      false,
      {
        en: "Make sound for the video as well; doubles the cost.",
        ru: "Создать для видео и звук; цена удваивается.",
      },
      "contract §7; default: ours",
    ),
    fixedLens: {
      kind: "flag",
      default: false,
      advanced: true,
      title: { en: "Fixed camera", ru: "Неподвижная камера" },
      description: {
        en: "On: the camera stands still; off: it moves.",
        ru: "Включено — камера неподвижна; выключено — движется.",
      },
      source: "contract §7; default: kie",
    },
    firstFrameUrl: FIRST_FRAME,
    lastFrameUrl: LAST_FRAME,
    referenceImageUrls: referenceImages(stillImage(30), "contract §7; types: kie"),
    referenceVideoUrls: referenceVideos(
      { kind: "video", maxMegabytes: 50, seconds: [2, 15] },
      "contract §7",
    ),
    referenceAudioUrls: referenceAudios(
      { kind: "audio", maxMegabytes: 15, seconds: [2, 15] },
      "contract §7",
    ),
  },
  rules: [],
  complete: inWholeSeconds,
  examples: {
    minimal: { prompt: "A lighthouse in a storm.", duration: 5 },
    full: {
      prompt: "The day turns into night.",
      aspectRatio: "21:9",
      resolution: "1080p",
      duration: 12,
      generateAudio: true,
      fixedLens: true,
      firstFrameUrl: "https://files.example.com/day.jpg",
      lastFrameUrl: "https://files.example.com/night.jpg",
    },
  },
};
