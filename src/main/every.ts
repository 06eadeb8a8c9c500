/** Repeats a piece of work with a pause between its end and its next start, until it is stopped. */

export interface Repeater {
  /** Resolves when the run under way, if any, is over; no other follows. */
  stop(): Promise<void>;
}

/** Runs never overlap. What a run throws goes to `onError`, and the next run comes all the same. */
export function every(
  pauseMs: number,
  work: () => Promise<void> | void,
  onError: (error: unknown) => void,
): Repeater {
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
