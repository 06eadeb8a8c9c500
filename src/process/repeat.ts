/** Repeats work with a pause between its end and its next start, until it is stopped. */

export interface Repeater {
  /** Resolves when the runs under way, if any, are over; no other follows. */
  stop(): Promise<void>;
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

function every(pauseMs: number, work: () => unknown, onError: (error: unknown) => void): Repeater {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  async function run(): Promise<void> {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    if (!stopped) schedule();
  }
  function schedule(): void {
    timer = setTimeout(() => {
      running = run();
    }, pauseMs);
  }
  schedule();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
