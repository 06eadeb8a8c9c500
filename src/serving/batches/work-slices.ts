/** Long work in slices: between two of them the other work of the process has its turn. */
import { setImmediate as nextTurn } from "node:timers/promises";

export interface WorkSlices {
  /** To be waited for often; lets others in where this slice is over. */
  pause(): Promise<void>;
}

const SLICE_MS = 5;

export function createWorkSlices(): WorkSlices {
  let beganMs = performance.now();
  return {
    async pause() {
      if (performance.now() - beganMs < SLICE_MS) return;
      await nextTurn();
      beganMs = performance.now();
    },
  };
}
