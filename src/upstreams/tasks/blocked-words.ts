/**
 * Words by which providers without a code for it say that content was blocked; they only tell one
 * failure from another.
 */
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";

export const BLOCKED_WORDS: ReadonlyMap<string, TaskErrorCode> = new Map(
  [
    "nsfw",
    "content polic",
    "content moderation",
    "content_policy",
    "flagged as",
    "safety filter",
    "safety system",
    "sensitive content",
    "sensitive information",
    "prohibited content",
  ].map((words) => [words, "content_blocked"]),
);
