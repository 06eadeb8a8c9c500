/** Which notes and limits of an account an operator's form was filled in from. */
import type { RateLimits } from "../../kernel/rate-limits.ts";
import { revisionOf } from "../revision.ts";
import type { AccountNotes } from "./account-notes.store.ts";

export function notesRevision({ note, tags }: AccountNotes): string {
  return revisionOf([note, tags]);
}

export function limitsRevision({
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  maxTasks,
}: RateLimits): string {
  return revisionOf([requestsPerMinute, tokensPerMinute, maxConcurrent, maxTasks]);
}
