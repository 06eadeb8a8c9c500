/** What a parameter of a task allows, in English; `span` is “up to 5”, “from 3” or “3 to 5”. */
import type { ParameterWords } from "./parameter-words.ru.ts";

export const parameterWordsEn: ParameterWords = {
  kinds: { image: "image", video: "video", audio: "audio" },
  from: (least) => `from ${least}`,
  to: (most) => `up to ${most}`,
  between: (least, most) => `${least} to ${most}`,
  characters: (span) => `${span} characters`,
  items: (span) => `${span} in the list`,
  megabytes: (most) => `up to ${most} MB`,
  seconds: (span) => `${span} seconds`,
  together: (most) => `up to ${most} seconds together`,
  sides: (span) => `each side ${span} px`,
  pixels: (span) => `${span} pixels`,
  aspect: (span) => `width to height ${span}`,
  frames: (span) => `${span} frames per second`,
  alone: (words) => `if it is the only file: ${words}`,
  byDefault: (value) => `by default ${value}`,
};
