/** Waits for what will happen, with a deadline for what does not. */
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 30_000;
const PAUSE_MS = 15;

/**
 * Asks again until the answer is neither null nor false. `what` says in the failure what was waited
 * for.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain: ${what}`);
    await sleep(PAUSE_MS);
  }
}
