/**
 * What a file breaks of what a parameter takes, in English, with what was measured and what is
 * allowed.
 */
import type { AllowedRange, FileMistakes, WantedKind } from "../contract/tasks/file-mistake.ts";
import type { TaskSentences } from "../contract/tasks/task-mistake.ts";

const KINDS: Readonly<Record<WantedKind, string>> = {
  image: "an image",
  video: "a video",
  audio: "audio",
  image_or_video: "an image or a video",
};

function allowed({ min, max }: AllowedRange, unit: string): string {
  if (max === undefined) return `at least ${min} ${unit} are needed`;
  return min === undefined
    ? `at most ${max} ${unit} are allowed`
    : `${min} to ${max} ${unit} are allowed`;
}

export const ENGLISH_BREACHES: TaskSentences<FileMistakes> = {
  size: ({ has, limit }) => `The file has ${has} MB; at most ${limit} MB are allowed.`,
  kind: ({ wanted, got, type }) =>
    `This must be ${KINDS[wanted]}; the file is ${KINDS[got]} (${type}).`,
  kind_by_start: ({ wanted, type }) =>
    `This must be ${KINDS[wanted]}; the file ${type === undefined ? "is no image, video or audio of a type that is known here" : `begins like ${type}`}.`,
  file_type: ({ got, allowed: types }) => `The file is ${got}; allowed: ${types.join(", ")}.`,
  animated: ({ frames }) => `The image moves: it has ${frames} frames. Send a still one.`,
  min_side: ({ size, limit }) => `It is ${size} px; each side must have at least ${limit} px.`,
  max_side: ({ size, limit }) => `It is ${size} px; each side must have at most ${limit} px.`,
  pixels: ({ size, has, ...range }) =>
    `It is ${size} px, ${has} pixels in all; ${allowed(range, "pixels")}.`,
  aspect: ({ size, has, ...range }) =>
    `It is ${size} px, a ratio of ${has}; ${allowed(range, "(width ÷ height)")}.`,
  duration: ({ has, ...range }) => `It lasts ${has} seconds; ${allowed(range, "seconds")}.`,
  frame_rate: ({ has, ...range }) =>
    `${has === undefined ? "It has no measurable frame rate" : `It has ${has} frames per second`}; ${allowed(range, "frames per second")}.`,
};
