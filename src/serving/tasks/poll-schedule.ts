/**
 * When an upstream is asked next about a task: often at first, ever more rarely, and never at the
 * same moment as all the others.
 */
import { backoffMs, jittered } from "../../kernel/backoff.ts";
import type { PollSchedule } from "../../protocol/task-provider.ts";

/** So long after the upstream took the task, polls are so far apart. */
const PACES = [
  { untilMs: 6_000, everyMs: 2_000 },
  { untilMs: 60_000, everyMs: 5_000 },
  { untilMs: 300_000, everyMs: 10_000 },
  { untilMs: Infinity, everyMs: 30_000 },
] as const;
/** So many times as rarely as usual, at most. */
const MOST_WITHOUT_WORD = 16;
const LONGEST_WITHOUT_WORD_MS = 60_000;

export function firstPollMs(schedule: PollSchedule, random: () => number): number {
  return jittered(schedule.firstMs, random);
}

/** `silent`: looks in a row that told nothing. */
export function nextPollMs(
  runningMs: number,
  silent: number,
  schedule: PollSchedule,
  random: () => number,
): number {
  const pace = PACES.find(({ untilMs }) => runningMs < untilMs)?.everyMs ?? schedule.maxMs;
  const usual = Math.min(schedule.maxMs, Math.max(schedule.minMs, pace));
  if (silent === 0) return jittered(usual, random);
  const longestMs = Math.max(usual, Math.min(usual * MOST_WITHOUT_WORD, LONGEST_WITHOUT_WORD_MS));
  return backoffMs(silent - 1, { firstMs: usual, longestMs }, random);
}
