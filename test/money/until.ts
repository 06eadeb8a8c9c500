/** Waits for something to become true, by looking again and again. */
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 50;
const PATIENCE_MS = 30_000;

/** Rejects, naming what was awaited, when it does not happen within the time. */
export async function until(what: string, isTrue: () => Promise<boolean>, withinMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs / 1000} s in vain until ${what}`);
    await sleep(PAUSE_MS);
  }
}
