/** T5, motion control (Kling 3.0): the specification to the letter. */
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

export const T5: TaskTable = {
  id: "T5",
  title: { en: "Motion control", ru: "Управление движением" },
  summary: {
    en: "A character of an image moves as somebody in a video does.",
    ru: "Персонаж с изображения повторяет движения из видео.",
  },
  makes: "video",
  parameters: {
    prompt: optionalPrompt({
      maxLength: 2500,
      description: { en: "The motion you want, in words.", ru: "Желаемое движение словами." },
      source: "contract §7",
    }),
    inputUrls: characterImage(
      stillImage(10, { webpToJpeg: true, minSidePx: 341, aspect: [0.4, 2.5] }),
      "contract §7",
    ),
    videoUrls: motionVideo(
      {
        kind: "video",
        contentTypes: MP4_MOV,
        maxMegabytes: 100,
        seconds: [3, 30],
        minSidePx: 341,
        aspect: [0.4, 2.5],
      },
      "contract §7",
    ),
    characterOrientation: { ...ORIENTATION, default: "video", source: "contract §7" },
    mode: { ...MODE, source: "contract §7" },
    backgroundSource: {
      kind: "choice",
      values: ["input_video", "input_image"],
      default: "input_video",
      title: { en: "Background", ru: "Фон" },
      description: {
        en: "Taken from the video or from the image.",
        ru: "Из видео или с изображения.",
      },
      source: "contract §7",
    },
    duration: durationNumber(
      { kind: "integer", required: true, min: 3, max: 30, source: "contract §7" },
      DECLARED_LENGTH,
    ),
  },
  rules: ORIENTATION_RULES,
  measuredRules: MOTION_RULES,
  examples: {
    minimal: {
      inputUrls: ["https://files.example.com/knight.png"],
      videoUrls: ["https://files.example.com/walk.mp4"],
      duration: 5,
    },
    full: {
      prompt: "The knight waves with his left hand.",
      inputUrls: ["https://files.example.com/knight.webp"],
      videoUrls: ["https://files.example.com/wave.mov"],
      characterOrientation: "image",
      mode: "1080p",
      backgroundSource: "input_image",
      duration: 10,
    },
  },
};
