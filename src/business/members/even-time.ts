/**
 * Answers in even time: how long it took does not tell a stranger whether an e-mail is known here.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../kernel/clock.ts";

/** Longer than any of the work that differs takes on a machine that is not overloaded. */
const STEP_MS = 400;

/** Runs the work, and ends, well or not, at a multiple of the step after its beginning. */
export async function inEvenTime<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const startedMs = clock.monotonicMs();
  try {
    return await work();
  } finally {
    const takenMs = clock.monotonicMs() - startedMs;
    await sleep(Math.ceil(takenMs / STEP_MS) * STEP_MS - takenMs);
  }
}
