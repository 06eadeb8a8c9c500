/** How many calls one engine has under way at each upstream: at most its `maxConcurrent`; polls wait for a slot, submissions go elsewhere. */

export interface Slots {
  /** Null when every slot is taken. */
  tryTake(upstream: string, most: number): Slot | null;
  /** In the order in which they were asked for. */
  take(upstream: string, most: number): Promise<Slot>;
}

/** Gives the slot back; to be called once. */
export type Slot = () => void;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export function createSlots(): Slots {
  const lines = new Map<string, Line>();

  function lineOf(upstream: string): Line {
    const line = lines.get(upstream) ?? { running: 0, waiting: [] };
    lines.set(upstream, line);
    return line;
  }
  function slot(upstream: string, line: Line): Slot {
    return () => {
      const next = line.waiting.shift();
      // The slot passes on as it is: whoever waited is not overtaken.
      if (next !== undefined) return next();
      line.running -= 1;
      if (line.running === 0) lines.delete(upstream);
    };
  }

  return {
    tryTake(upstream, most) {
      const line = lineOf(upstream);
      if (line.running >= most) return null;
      line.running += 1;
      return slot(upstream, line);
    },
    async take(upstream, most) {
      const line = lineOf(upstream);
      if (line.running < most) line.running += 1;
      else await new Promise<void>((resolve) => void line.waiting.push(resolve));
      return slot(upstream, line);
    },
  };
}
