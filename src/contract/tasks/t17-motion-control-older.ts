/**
 * T17, motion control, older (Kling 2.6): the specification shows names and types; limits and
 * defaults are kie's.
 */
import { MP4_MOV, stillImage } from "./media-declaration.ts";
import {
  characterImage,
  DECLARED_LENGTH,
  MODE,
  MOTION_RULES,
  motionVideo,
  ORIENTATION,
  ORIENTATION_RULES,
} from "./motion-control.ts";
import type { TaskTable } from "./task-table.ts";
import { durationNumber, optionalPrompt } from "./usual-parameters.ts";

export const T17: TaskTable = {
  id: "T17",
  title: { en: "Motion control (older)", ru: "Управление движением (старое)" },
  summary: {
    en: "A character of an image moves as somebody in a video does.",
    ru: "Персонаж с изображения повторяет движения из видео.",
  },
  makes: "video",
  parameters: {
    prompt: optionalPrompt({
      maxLength: 2500,
      description: { en: "The motion you want, in words.", ru: "Желаемое движение словами." },
      source: "contract §7; length: kie",
    }),
    inputUrls: characterImage(
      stillImage(10, { webpToJpeg: true, minSidePx: 301, aspect: [0.4, 2.5] }),
      "contract §7; count, types, size, sides and ratio: kie; conversion of WebP: as T5",
    ),
    videoUrls: motionVideo(
      { kind: "video", contentTypes: MP4_MOV, maxMegabytes: 100, seconds: [3, 30] },
      "contract §7; count, types, size and length: kie",
    ),
    characterOrientation: { ...ORIENTATION, required: true, source: "contract §7; values: kie" },
    mode: { ...MODE, source: "type: contract §7; values and default: kie" },
    duration: durationNumber(
      {
        kind: "integer",
        required: true,
        min: 3,
        max: 30,
        source: "contract §7; whole and range: as T5",
      },
      DECLARED_LENGTH,
    ),
  },
  rules: ORIENTATION_RULES,
  measuredRules: MOTION_RULES,
  examples: {
    minimal: {
      inputUrls: ["https://files.example.com/knight.png"],
      videoUrls: ["https://files.example.com/walk.mp4"],
      characterOrientation: "video",
      duration: 5,
    },
    full: {
      prompt: "The knight waves with his left hand.",
      inputUrls: ["https://files.example.com/knight.webp"],
      videoUrls: ["https://files.example.com/wave.mov"],
      characterOrientation: "image",
      mode: "1080p",
      duration: 10,
    },
  },
};
