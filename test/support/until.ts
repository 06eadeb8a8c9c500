/** Waits for what will happen, with a deadline for what does not. */
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 30_000;
/** It grows with the wait: who waits for the lease of a dead process would ask a thousand times. */
const PAUSE_MS = 15;
const LONGEST_PAUSE_MS = 150;

/**
 * Asks again until the answer is neither null nor false. `what` says in the failure what was waited
 * for.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | null | false>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    const waitedMs = performance.now() - began;
    if (waitedMs > patienceMs) throw new Error(`waited ${patienceMs} ms in vain: ${what}`);
    await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, waitedMs / 30)));
  }
}
