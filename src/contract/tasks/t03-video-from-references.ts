/**
 * T3, video from text, frames and references (Seedance 2.0): the specification shows names; kinds,
 * ranges and defaults are kie's.
 */
import {
  FIRST_FRAME,
  generateAudio,
  LAST_FRAME,
  referenceAudios,
  referenceImages,
  referenceVideos,
} from "./frames-and-references.ts";
import { MP4_MOV, stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { aspectRatio, durationNumber, prompt, resolution } from "./usual-parameters.ts";

export const T3: TaskTable = {
  id: "T3",
  title: { en: "Video from text, frames and references", ru: "Видео из текста, кадров и образцов" },
  summary: {
    en: "Makes a video from a prompt, from a first and a last frame, or after reference images, videos and sounds.",
    ru: "Создаёт видео по промпту, по первому и последнему кадрам или по опорным изображениям, видео и звукам.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 20_000,
      description: { en: "The video you want.", ru: "Каким должно быть видео." },
      source: "contract §7; length: kie",
    }),
    aspectRatio: aspectRatio(
      {
        values: ["1:1", "4:3", "3:4", "16:9", "9:16", "21:9", "adaptive"],
        default: "16:9",
        source: "kie",
      },
      {
        en: "Width to height of the video; adaptive follows the given images.",
        ru: "Ширина к высоте видео; adaptive — как у данных изображений.",
      },
    ),
    resolution: resolution({
      values: ["480p", "720p", "1080p", "4k"],
      default: "720p",
      source: "kie",
    }),
    duration: durationNumber({
      kind: "integer",
      required: true,
      min: 4,
      max: 15,
      source: "contract §7; whole and range: kie",
    }),
    generateAudio: generateAudio(
      true,
      { en: "Make sound for the video as well.", ru: "Создать для видео и звук." },
      "parameter: contract §7; type and default: kie",
    ),
    firstFrameUrl: FIRST_FRAME,
    lastFrameUrl: LAST_FRAME,
    referenceImageUrls: referenceImages(stillImage(30), "parameter: contract §7; the rest: kie"),
    referenceVideoUrls: referenceVideos(
      { kind: "video", contentTypes: MP4_MOV, maxMegabytes: 50, seconds: [2, 15] },
      "parameter: contract §7; the rest: kie",
    ),
    referenceAudioUrls: referenceAudios(
      {
        kind: "audio",
        contentTypes: ["audio/wav", "audio/mpeg"],
        maxMegabytes: 15,
        seconds: [2, 15],
      },
      "parameter: contract §7; the rest: kie",
    ),
    returnLastFrame: {
      kind: "flag",
      default: false,
      advanced: true,
      title: { en: "Return the last frame", ru: "Вернуть последний кадр" },
      description: {
        en: "Give the last frame of the video as an image too.",
        ru: "Вернуть и последний кадр видео как изображение.",
      },
      source: "type: contract §7; default: kie",
    },
    webSearch: {
      kind: "flag",
      default: false,
      advanced: true,
      title: { en: "Web search", ru: "Поиск в интернете" },
      description: {
        en: "Let the model look things up.",
        ru: "Разрешить модели искать сведения.",
      },
      source: "type: contract §7; default: kie",
    },
  },
  rules: [],
  examples: {
    minimal: { prompt: "A paper boat sails down a rainy street.", duration: 5 },
    full: {
      prompt: "The woman of the first image dances as in the video, to the music.",
      aspectRatio: "adaptive",
      resolution: "1080p",
      duration: 12,
      generateAudio: true,
      referenceImageUrls: [
        "https://files.example.com/woman.jpg",
        "https://files.example.com/square.webp",
      ],
      referenceVideoUrls: ["https://files.example.com/dance.mp4"],
      referenceAudioUrls: ["https://files.example.com/music.mp3"],
      returnLastFrame: true,
      webSearch: false,
    },
  },
};
