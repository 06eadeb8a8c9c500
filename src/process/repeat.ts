/** Repeats work with a pause between its end and its next start, until it is stopped. */

export interface Repeater {
  /** Resolves when the runs under way, if any, are over; no other follows. */
  stop(): Promise<void>;
}

export interface WokenRepeater extends Repeater {
  /** There is something to do: the next run comes as soon as it may. */
  wake(): void;
}

export type Repeated = readonly [pauseMs: number, work: () => unknown];

/**
 * Runs of one piece of work never overlap.
 *
 * @param works by what is said when one of its runs fails; the next run comes all the same.
 */
export function repeat(
  onError: (what: string, error: unknown) => void,
  works: Readonly<Record<string, Repeated>>,
): Repeater {
  const repeaters = Object.entries(works).map(([failure, [pauseMs, work]]) =>
    every(pauseMs, work, (error) => onError(failure, error)),
  );
  return { stop: async () => void (await Promise.all(repeaters.map((each) => each.stop()))) };
}

/**
 * Work that is told when there is something to do, and looks now and then all the same.
 *
 * @param leastMs the pause where it was woken.
 * @param mostMs the pause where it was not.
 */
export function repeatWhenWoken(
  onError: (error: unknown) => void,
  work: () => unknown,
  { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number },
): WokenRepeater {
  return every(mostMs, work, onError, leastMs);
}

function every(
  pauseMs: number,
  work: () => unknown,
  onError: (error: unknown) => void,
  leastMs = pauseMs,
): WokenRepeater {
  let stopped = false;
  let woken = false;
  let running: Promise<void> | null = null;
  let endedMs = performance.now();
  let timer: NodeJS.Timeout;

  async function run(): Promise<void> {
    woken = false;
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    running = null;
    endedMs = performance.now();
    if (!stopped) schedule(woken ? leastMs : pauseMs);
  }
  function schedule(ms: number): void {
    timer = setTimeout(() => {
      running = run();
    }, ms);
  }
  schedule(pauseMs);

  return {
    wake() {
      if (stopped || woken) return;
      woken = true;
      if (running !== null) return;
      clearTimeout(timer);
      schedule(Math.max(0, endedMs + leastMs - performance.now()));
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
