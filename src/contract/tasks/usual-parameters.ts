/**
 * Parameters that many tables have under the same name and meaning, so that they read the same in
 * every form.
 */
import type { MediaDeclaration } from "./media-declaration.ts";
import type {
  ChoiceParameter,
  FlagParameter,
  NumberParameter,
  TextParameter,
  UrlParameter,
  UrlsParameter,
  Words,
} from "./task-parameter.ts";
import type { TaskParameters } from "./task-table.ts";

/**
 * Ours, where the specification names no bound though everything has one: the longest prompt of its
 * own kind, more files than any table asks for, the largest image that it names. What one provider
 * takes less of is a limit of its route (`route-limits.ts`).
 */
export const LONGEST_PROMPT = 20_000;
export const MOST_FILES = 30;
export const LARGEST_IMAGE_MEGABYTES = 30;

/**
 * Required, and not empty where a table says nothing else: every provider refuses an empty prompt.
 */
export function prompt(given: {
  minLength?: number;
  maxLength: number;
  description: Words;
  source: string;
}): TextParameter {
  const { minLength = 1, maxLength, description, source } = given;
  return {
    kind: "text",
    required: true,
    minLength,
    maxLength,
    multiline: true,
    title: PROMPT,
    description,
    source,
  };
}

/** May be left out, and may be empty. */
export function optionalPrompt(given: {
  maxLength: number;
  description: Words;
  source: string;
}): TextParameter {
  return { kind: "text", multiline: true, title: PROMPT, ...given };
}

const PROMPT: Words = { en: "Prompt", ru: "Промпт" };

interface Choice {
  readonly values: readonly string[];
  readonly default: string;
  readonly source: string;
}

export function aspectRatio(choice: Choice, description: Words = RATIO_TEXT): ChoiceParameter {
  return {
    kind: "choice",
    title: { en: "Aspect ratio", ru: "Соотношение сторон" },
    description,
    ...choice,
  };
}

const RATIO_TEXT: Words = {
  en: "Width to height of the result.",
  ru: "Ширина к высоте результата.",
};

export function resolution(choice: Choice, description: Words = RESOLUTION_TEXT): ChoiceParameter {
  return { kind: "choice", title: { en: "Resolution", ru: "Разрешение" }, description, ...choice };
}

const RESOLUTION_TEXT: Words = {
  en: "Higher is sharper and costs more.",
  ru: "Чем выше, тем чётче и дороже.",
};

const DURATION: Words = { en: "Duration, seconds", ru: "Длительность, секунд" };

/** For tables whose duration is a string of the interface. */
export function durationChoice(choice: Choice, description: Words = LENGTH_TEXT): ChoiceParameter {
  return { kind: "choice", title: DURATION, description, ...choice };
}

/** For tables whose duration is a number. */
export function durationNumber(
  given: Omit<NumberParameter, "title" | "description">,
  description: Words = LENGTH_TEXT,
): NumberParameter {
  return { title: DURATION, description, ...given };
}

/**
 * A part of a second is made, and paid for, as a whole one: the models make no parts, though the
 * specification takes any number.
 */
export function inWholeSeconds(parameters: TaskParameters): TaskParameters {
  const duration = parameters["duration"];
  return typeof duration === "number"
    ? { ...parameters, duration: Math.ceil(duration) }
    : parameters;
}

export const WHOLE_SECONDS_TEXT: Words = {
  en: "Length of the video, in whole seconds: a part of one counts as one. The price depends on it.",
  ru: "Длина видео в целых секундах: неполная считается за целую. От неё зависит цена.",
};

/** "3" … "15", as the interfaces write them. */
export function secondsFrom(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

const LENGTH_TEXT: Words = {
  en: "Length of the video; the price depends on it.",
  ru: "Длина видео; от неё зависит цена.",
};

export function nsfwChecker(): FlagParameter {
  return {
    kind: "flag",
    default: false,
    advanced: true,
    title: { en: "NSFW check", ru: "Проверка NSFW" },
    description: {
      en: "Run the provider's NSFW checker.",
      ru: "Включить проверку NSFW у провайдера.",
    },
    source: "contract §7",
  };
}

export function seed(range: { min?: number; max?: number; source: string }): NumberParameter {
  return {
    kind: "integer",
    advanced: true,
    title: { en: "Seed", ru: "Зерно" },
    description: {
      en: "The same seed with the same parameters gives a similar result; without one it is random.",
      ru: "Одно и то же зерно при тех же параметрах даёт похожий результат; без него результат случаен.",
    },
    ...range,
  };
}

/** One required image. */
export function imageUrl(given: {
  media: MediaDeclaration;
  description: Words;
  source: string;
}): UrlParameter {
  return { kind: "url", required: true, title: { en: "Image", ru: "Изображение" }, ...given };
}

/** A list of images; `required` where the table says so. */
export function imageUrls(given: {
  required?: true;
  count: readonly [number, number];
  media: MediaDeclaration;
  description: Words;
  source: string;
}): UrlsParameter {
  return { kind: "urls", title: { en: "Images", ru: "Изображения" }, ...given };
}
