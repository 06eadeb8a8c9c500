/** When an upstream is asked next about a task: often at first, ever more rarely, and never at the same moment as all the others. */
import type { PollSchedule } from "../../protocol/task-provider.ts";

/** So long after the upstream took the task, polls are so far apart. */
const PACES = [
  { untilMs: 6_000, everyMs: 2_000 },
  { untilMs: 60_000, everyMs: 5_000 },
  { untilMs: 300_000, everyMs: 10_000 },
  { untilMs: Infinity, everyMs: 30_000 },
] as const;
/** Up and down. */
const JITTER = 0.2;
const MOST_DOUBLINGS = 4;
const LONGEST_WITHOUT_WORD_MS = 60_000;

export function firstPollMs(schedule: PollSchedule, random: () => number): number {
  return jittered(schedule.firstMs, random);
}

/** `silent`: looks in a row that told nothing. */
export function nextPollMs(runningMs: number, silent: number, schedule: PollSchedule, random: () => number): number {
  const pace = PACES.find(({ untilMs }) => runningMs < untilMs)?.everyMs ?? schedule.maxMs;
  const usual = Math.min(schedule.maxMs, Math.max(schedule.minMs, pace));
  if (silent === 0) return jittered(usual, random);
  const slower = usual * 2 ** Math.min(silent - 1, MOST_DOUBLINGS);
  return jittered(Math.max(usual, Math.min(slower, LONGEST_WITHOUT_WORD_MS)), random);
}

export function jittered(ms: number, random: () => number): number {
  return ms * (1 - JITTER + 2 * JITTER * random());
}

/** Waits between tries: doubled each time, up to a bound. `tries`: those before. */
export function backOffMs(tries: number, firstMs: number, longestMs: number, random: () => number): number {
  return jittered(Math.min(longestMs, firstMs * 2 ** Math.min(tries, 16)), random);
}
