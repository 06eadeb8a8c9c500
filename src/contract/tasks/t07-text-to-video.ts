/**
 * T7, text to video with shots and elements (Kling 3.0): the specification shows names; shapes,
 * limits and rules are kie's.
 */
import { sayRule } from "./say-mistake.ts";
import { ELEMENT_MEASURED_RULES, ELEMENT_RULES, ELEMENTS } from "./elements.ts";
import { JPEG_PNG } from "./media-declaration.ts";
import type { ObjectsParameter } from "./task-parameter.ts";
import type { TaskParameters, TaskTable } from "./task-table.ts";
import { aspectRatio, durationChoice, imageUrls, prompt, secondsFrom } from "./usual-parameters.ts";

interface Shot {
  readonly duration: number;
}

const DURATIONS = secondsFrom(3, 15);

const MULTI_SHOTS: ObjectsParameter = {
  kind: "objects",
  count: [1, 5],
  orFlag: true,
  default: false,
  advanced: true,
  fields: {
    prompt: {
      kind: "text",
      required: true,
      minLength: 1,
      maxLength: 500,
      multiline: true,
      title: { en: "Shot", ru: "Сцена" },
      description: { en: "What happens in this shot.", ru: "Что происходит в этой сцене." },
      source: "kie",
    },
    duration: {
      kind: "integer",
      required: true,
      min: 1,
      max: 12,
      title: { en: "Seconds", ru: "Секунд" },
      description: { en: "Length of this shot.", ru: "Длина этой сцены." },
      source: "kie",
    },
  },
  title: { en: "Several shots", ru: "Несколько сцен" },
  description: {
    en: "true: the model divides the video into shots itself; or up to 5 shots, each with its prompt and seconds, as long together as the video.",
    ru: "true — модель сама делит видео на сцены; или до 5 сцен с промптом и секундами, вместе равных длине видео.",
  },
  source:
    "parameter: contract §7; shots: kie's multi_shots and multi_prompt; one parameter for both: ours",
};

function shotsOf(parameters: TaskParameters): readonly Shot[] | null {
  const shots = parameters["multiShots"];
  return Array.isArray(shots) ? (shots as readonly Shot[]) : null;
}

function secondsOfShots(shots: readonly Shot[]): number {
  return shots.reduce((sum, shot) => sum + shot.duration, 0);
}

export const T7: TaskTable = {
  id: "T7",
  title: { en: "Text to video", ru: "Видео из текста" },
  summary: {
    en: "Makes a video from text, with a first and a last frame, several shots and named elements where wanted.",
    ru: "Создаёт видео по тексту, при желании с первым и последним кадрами, несколькими сценами и именованными элементами.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 2500,
      description: {
        en: "The video you want; @name stands for an element.",
        ru: "Каким должно быть видео; @имя указывает на элемент.",
      },
      source: "contract §7; length: Kling",
    }),
    aspectRatio: aspectRatio({
      values: ["16:9", "9:16", "1:1"],
      default: "16:9",
      source: "type: contract §7; values and default: kie",
    }),
    duration: durationChoice(
      { values: DURATIONS, default: "5", source: "type: contract §7; values and default: kie" },
      {
        en: "Length of the video; with a list of shots, their sum when left out.",
        ru: "Длина видео; при списке сцен по умолчанию — их сумма.",
      },
    ),
    mode: {
      kind: "choice",
      values: ["std", "pro", "4K"],
      default: "pro",
      title: { en: "Mode", ru: "Режим" },
      description: {
        en: "std is 720p, pro 1080p, 4K the sharpest.",
        ru: "std — 720p, pro — 1080p, 4K — самый чёткий.",
      },
      source: "type: contract §7; values and default: kie",
    },
    sound: {
      kind: "flag",
      default: false,
      title: { en: "Sound", ru: "Звук" },
      description: {
        en: "Make sound too; costs more. With several shots it is on when left out.",
        ru: "Со звуком; стоит дороже. При нескольких сценах по умолчанию включён.",
      },
      source: "type: contract §7; default: kie",
    },
    imageUrls: imageUrls({
      count: [0, 2],
      media: { kind: "image", contentTypes: JPEG_PNG, maxMegabytes: 10 },
      description: {
        en: "The first frame, and the last one if wanted.",
        ru: "Первый кадр и, при желании, последний.",
      },
      source: "contract §7; count, types and size: kie",
    }),
    multiShots: MULTI_SHOTS,
    elements: ELEMENTS,
  },
  rules: [
    {
      params: ["imageUrls", "multiShots"],
      says: sayRule("one_image_with_shots"),
      breaks: (parameters) =>
        parameters["multiShots"] !== false &&
        Array.isArray(parameters["imageUrls"]) &&
        parameters["imageUrls"].length > 1,
    },
    {
      params: ["multiShots", "duration"],
      says: sayRule("shots_length"),
      breaks(parameters) {
        const shots = shotsOf(parameters);
        return shots !== null && String(secondsOfShots(shots)) !== parameters["duration"];
      },
    },
    ...ELEMENT_RULES,
  ],
  measuredRules: ELEMENT_MEASURED_RULES,
  // Source: kie. What the body says itself always stands.
  complete(parameters, given) {
    const shots = shotsOf(parameters);
    const sum = shots === null ? "" : String(secondsOfShots(shots));
    return {
      ...parameters,
      ...(parameters["multiShots"] !== undefined &&
      parameters["multiShots"] !== false &&
      !given.has("sound")
        ? { sound: true }
        : {}),
      ...(DURATIONS.includes(sum) && !given.has("duration") ? { duration: sum } : {}),
    };
  },
  examples: {
    minimal: { prompt: "A tram climbs a hill in Lisbon." },
    full: {
      prompt: "@courier rides through the city while @dog runs beside.",
      aspectRatio: "9:16",
      duration: "8",
      mode: "4K",
      sound: true,
      imageUrls: ["https://files.example.com/city.jpg"],
      multiShots: [
        { prompt: "@courier sets off.", duration: 3 },
        { prompt: "@dog follows.", duration: 5 },
      ],
      elements: [
        {
          name: "courier",
          description: "A courier on a red bicycle.",
          urls: [
            "https://files.example.com/courier-1.jpg",
            "https://files.example.com/courier-2.png",
          ],
          audioUrls: ["https://files.example.com/voice.mp3"],
        },
        {
          name: "dog",
          description: "A running dog.",
          urls: ["https://files.example.com/dog.mp4"],
          startMs: 1000,
          endMs: 6000,
        },
      ],
    },
  },
};
