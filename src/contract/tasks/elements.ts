/**
 * The elements of T7: people and things that a prompt names, each with its images or its part of a
 * video.
 */
import { SECONDS_TOLERANCE, shownSeconds } from "./measured-seconds.ts";
import { JPEG_PNG, MP4_MOV } from "./media-declaration.ts";
import { sayRule } from "./say-mistake.ts";
import type { ObjectsParameter } from "./task-parameter.ts";
import type { MeasuredRule, TaskParameters, TaskRule } from "./task-table.ts";

interface Element {
  readonly name: string;
  readonly urls: readonly string[];
  readonly startMs?: number;
  readonly endMs?: number;
}

const SHORTEST_WINDOW_MS = 3000;
const LONGEST_WINDOW_MS = 8000;

export const ELEMENTS: ObjectsParameter = {
  kind: "objects",
  count: [0, 3],
  advanced: true,
  fields: {
    name: {
      kind: "text",
      required: true,
      minLength: 1,
      maxLength: 64,
      title: { en: "Name", ru: "Имя" },
      description: {
        en: "The prompt speaks of it as @name.",
        ru: "В промпте указывается как @имя.",
      },
      source: "kie; length: ours",
    },
    description: {
      kind: "text",
      required: true,
      minLength: 1,
      maxLength: 500,
      title: { en: "Description", ru: "Описание" },
      description: { en: "What it is.", ru: "Что это." },
      source: "kie; length: ours",
    },
    urls: {
      kind: "urls",
      required: true,
      count: [1, 4],
      media: { kind: "image", contentTypes: JPEG_PNG, maxMegabytes: 10 },
      alone: { kind: "video", contentTypes: MP4_MOV, maxMegabytes: 50 },
      title: { en: "Images or video", ru: "Изображения или видео" },
      description: {
        en: "2 to 4 images, or exactly one video.",
        ru: "От 2 до 4 изображений или ровно одно видео.",
      },
      source: "kie",
    },
    audioUrls: {
      kind: "urls",
      count: [0, 1],
      media: { kind: "audio", seconds: [5, 30] },
      title: { en: "Voice", ru: "Голос" },
      description: { en: "A recording of 5 to 30 seconds.", ru: "Запись 5–30 секунд." },
      source: "kie; count: its clients",
    },
    startMs: {
      kind: "integer",
      min: 0,
      title: { en: "From, ms", ru: "С, мс" },
      description: {
        en: "Where the part of the video begins; 0 when left out.",
        ru: "Начало фрагмента видео; по умолчанию 0.",
      },
      source: "kie",
    },
    endMs: {
      kind: "integer",
      min: 0,
      title: { en: "To, ms", ru: "До, мс" },
      description: {
        en: "Where it ends, 3 to 8 seconds later; 8000 when left out.",
        ru: "Конец фрагмента, через 3–8 секунд; по умолчанию 8000.",
      },
      source: "kie",
    },
  },
  title: { en: "Elements", ru: "Элементы" },
  description: {
    en: "Up to 3 people or things that the prompt names with @.",
    ru: "До 3 персонажей или предметов, которые промпт называет через @.",
  },
  source: "parameter: contract §7; shape: kie's kling_elements",
};

function elementsOf(parameters: TaskParameters): readonly Element[] {
  return (parameters["elements"] ?? []) as readonly Element[];
}

function isVideo(element: Element): boolean {
  return element.urls.length === 1;
}

function hasWrongWindow(element: Element): boolean {
  if (!isVideo(element) || (element.startMs === undefined && element.endMs === undefined))
    return false;
  const window = (element.endMs ?? LONGEST_WINDOW_MS) - (element.startMs ?? 0);
  return window < SHORTEST_WINDOW_MS || window > LONGEST_WINDOW_MS;
}

/** Source: kie, but for the names: an ambiguous @name would be ours to explain. */
export const ELEMENT_RULES: readonly TaskRule[] = [
  {
    params: ["elements"],
    says: sayRule("element_names"),
    breaks(parameters) {
      const names = elementsOf(parameters).map((element) => element.name);
      return new Set(names).size < names.length;
    },
  },
  {
    params: ["elements"],
    says: sayRule("element_part_of_images"),
    breaks: (parameters) =>
      elementsOf(parameters).some(
        (element) =>
          !isVideo(element) && (element.startMs !== undefined || element.endMs !== undefined),
      ),
  },
  {
    params: ["elements"],
    says: sayRule("element_part_length"),
    breaks: (parameters) => elementsOf(parameters).some(hasWrongWindow),
  },
];

export const ELEMENT_MEASURED_RULES: readonly MeasuredRule[] = [
  {
    says: sayRule("element_video_length"),
    check(parameters, secondsOf) {
      for (const [index, element] of elementsOf(parameters).entries()) {
        const seconds = isVideo(element) ? secondsOf(`elements[${index}].urls[0]`) : null;
        if (seconds === null) continue;
        const needed = element.endMs ?? (element.startMs ?? 0) + SHORTEST_WINDOW_MS;
        if (seconds + SECONDS_TOLERANCE >= needed / 1000) continue;
        const broken = sayRule("element_video_short", {
          seconds: shownSeconds(seconds),
          needed: shownSeconds(needed / 1000),
        });
        return { param: `elements[${index}].urls[0]`, ...broken };
      }
      return null;
    },
  },
];
