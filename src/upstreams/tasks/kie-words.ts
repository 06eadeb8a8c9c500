/**
 * The words by which kie.ai says what it refuses a task for; the makers behind it have no codes in
 * common.
 */
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import { BLOCKED_WORDS } from "./blocked-words.ts";

const BLOCKED = ["content could not be processed", "copyrighted"];
const UNREACHABLE = [
  "fetch failed",
  "failed to fetch",
  "failed to download",
  "could not be downloaded",
  "media file is unavailable",
  "invalid image url",
  "invalid video url",
  "invalid audio url",
  "file does not exist",
];
const UNFIT = [
  "file type",
  "file format",
  "file size",
  "image size",
  "image format",
  "image dimension",
  "video format",
  "video duration",
  "audio format",
  "audio duration",
  "unsupported image",
  "unsupported video",
  "unsupported audio",
  "resolution of the image",
  "resolution of the video",
  "the file is damaged",
  "the duration must be",
];
const PARAMETERS = [
  "parameters specified in the request are not valid",
  "not within the range of allowed options",
  "is required",
  "text length",
  "prompt is too long",
];

const meaning = (words: readonly string[], code: TaskErrorCode): [string, TaskErrorCode][] =>
  words.map((word) => [word, code]);

/**
 * The first that a message has counts. Sources: records in public integrations of docs.kie.ai's
 * market API, 2025 and 2026.
 */
export const KIE_WORDS: ReadonlyMap<string, TaskErrorCode> = new Map([
  ...BLOCKED_WORDS,
  ...meaning(BLOCKED, "content_blocked"),
  ...meaning(UNREACHABLE, "input_unreachable"),
  ...meaning(UNFIT, "input_rejected"),
  ...meaning(PARAMETERS, "invalid_input"),
]);
