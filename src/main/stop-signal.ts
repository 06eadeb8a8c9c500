/** Waits for the word to stop: a signal, or the end of the process that started us. */

export interface StopSignal {
  /** Resolves to what gave the word. */
  readonly wait: Promise<string>;
  /** Gives the word from inside. */
  now(): void;
  /** Takes the listeners off again. */
  forget(): void;
}

/** A terminal and the launcher may both pass one Ctrl-C on; only a signal later than this is a second wish. */
const SAME_WISH_MS = 1_500;

/** The first signal begins the drain; one that comes clearly later ends the process at once. */
export function stopSignal(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<string>();
  let firstMs: number | null = null;

  function onWord(word: string): void {
    const nowMs = performance.now();
    firstMs ??= nowMs;
    if (nowMs - firstMs > SAME_WISH_MS) process.exit(130);
    resolve(word);
  }
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => [signal, () => onWord(signal)] as const);
  const onDisconnect = (): void => resolve("the parent process is gone");
  for (const [signal, listener] of listeners) process.on(signal, listener);
  process.once("disconnect", onDisconnect);

  return {
    wait: promise,
    now: () => resolve("a fatal error"),
    forget() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
      process.off("disconnect", onDisconnect);
    },
  };
}
