/** Waits for the word to stop: a signal, or the end of the process that started us. */

export interface StopSignal {
  /** Resolves to what gave the word. */
  readonly wait: Promise<string>;
  /**
   * Waits after the word for so long, or until it is given once more, which then does not end the
   * process.
   */
  grace(ms: number): Promise<void>;
  /** Gives the word from inside, past any grace. */
  now(): void;
  /** Takes the listeners off again. */
  forget(): void;
}

/**
 * A terminal and the launcher may both pass one Ctrl-C on; only a signal later than this is a
 * second wish.
 */
const SAME_WISH_MS = 1_500;

/**
 * The first signal begins the stop; one that comes clearly later ends its grace, or the process at
 * once.
 */
export function stopSignal(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<string>();
  let firstMs: number | null = null;
  let endGrace: (() => void) | null = null;

  function onWord(word: string): void {
    const nowMs = performance.now();
    firstMs ??= nowMs;
    if (nowMs - firstMs > SAME_WISH_MS) {
      if (endGrace === null) process.exit(130);
      endGrace();
      firstMs = nowMs;
    }
    resolve(word);
  }
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map(
    (signal) => [signal, () => onWord(signal)] as const,
  );
  const onDisconnect = (): void => resolve("the parent process is gone");
  for (const [signal, listener] of listeners) process.on(signal, listener);
  process.once("disconnect", onDisconnect);

  return {
    wait: promise,
    async grace(ms) {
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, ms);
      endGrace = over.resolve;
      await over.promise;
      clearTimeout(timer);
      endGrace = null;
    },
    now() {
      resolve("a fatal error");
      endGrace?.();
    },
    forget() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
      process.off("disconnect", onDisconnect);
    },
  };
}
