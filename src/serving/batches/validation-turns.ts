/** How many batches this process validates at the same time: each takes memory, and turns of the event loop. */
import { Fault } from "../../kernel/faults.ts";

export interface ValidationTurns {
  /** Throws Fault("overloaded") where too many wait already. */
  take<T>(work: () => Promise<T>): Promise<T>;
}

export interface ValidationTurnsDeps {
  /** There is memory for one more beside those that run. */
  hasRoom(): boolean;
}

const AT_ONCE = 2;
const MOST_WAITING = 64;

export function createValidationTurns({ hasRoom }: ValidationTurnsDeps): ValidationTurns {
  const waiting: (() => void)[] = [];
  let running = 0;

  /** One goes on whatever the memory is. */
  function mayBegin(): boolean {
    return running === 0 || (running < AT_ONCE && hasRoom());
  }

  function letIn(): void {
    while (waiting.length > 0 && mayBegin()) {
      running += 1;
      waiting.shift()?.();
    }
  }

  return {
    async take(work) {
      if (waiting.length >= MOST_WAITING)
        throw new Fault("overloaded", {
          message: "Too many batches are being checked. Send it again in a while.",
          retryAfterSeconds: 10,
        });
      const turn = Promise.withResolvers<void>();
      waiting.push(turn.resolve);
      letIn();
      await turn.promise;
      try {
        return await work();
      } finally {
        running -= 1;
        letIn();
      }
    },
  };
}
