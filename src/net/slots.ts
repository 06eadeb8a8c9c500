/**
 * Bounds how many calls are under way under each name, a host or an upstream: who has to wait is
 * served in turn.
 */
import { abortable } from "./bounded-call.ts";

export interface Slots {
  /** Waits for its turn, first come, first served, or until the signal says no. */
  take(name: string, most: number, signal?: AbortSignal): Promise<Slot>;
  /** Names that are remembered: those with a call under way. */
  size(): number;
}

/** Gives the slot back; of several calls the first counts. */
export type Slot = () => void;

interface Line {
  busy: number;
  readonly waiting: Set<() => void>;
}

export function createSlots(): Slots {
  const lines = new Map<string, Line>();

  function lineOf(name: string): Line {
    const line = lines.get(name) ?? { busy: 0, waiting: new Set() };
    lines.set(name, line);
    return line;
  }
  function giveBack(name: string, line: Line): void {
    const [next] = line.waiting;
    // The slot passes on as it is: the call that waited is not overtaken.
    if (next !== undefined) {
      line.waiting.delete(next);
      next();
      return;
    }
    line.busy -= 1;
    if (line.busy === 0) lines.delete(name);
  }
  function slot(name: string, line: Line): Slot {
    let held = true;
    return () => {
      if (held) giveBack(name, line);
      held = false;
    };
  }

  return {
    size: () => lines.size,

    async take(name, most, signal) {
      signal?.throwIfAborted();
      const line = lineOf(name);
      if (line.busy < most) {
        line.busy += 1;
        return slot(name, line);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      line.waiting.add(resolve);
      try {
        await (signal === undefined ? promise : abortable(promise, signal));
      } catch (error) {
        // It may have been given the slot in the same moment.
        if (!line.waiting.delete(resolve)) giveBack(name, line);
        throw error;
      }
      return slot(name, line);
    },
  };
}
