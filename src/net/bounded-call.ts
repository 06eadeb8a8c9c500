/**
 * One signal for all that can end a call early: its deadline, its caller, and the closing of what
 * it runs in.
 */

export interface BoundedCall {
  /** Aborted with the reason of whatever came first. */
  readonly signal: AbortSignal;
  stop(reason: Error): void;
  /** Lets go of the timer and the caller's signal. */
  end(): void;
}

export function startCall(
  deadlineMs: number,
  late: () => Error,
  outer: AbortSignal | undefined,
): BoundedCall {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(late()), deadlineMs);
  function stopByCaller(): void {
    controller.abort(outer?.reason);
  }
  outer?.addEventListener("abort", stopByCaller, { once: true });
  if (outer?.aborted === true) stopByCaller();
  return {
    signal: controller.signal,
    stop(reason) {
      controller.abort(reason);
    },
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", stopByCaller);
    },
  };
}

/** The promise's outcome, or a rejection with the signal's reason as soon as it is aborted. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  function abort(): void {
    const reason: unknown = signal.reason;
    aborted.reject(reason instanceof Error ? reason : new Error("aborted", { cause: reason }));
  }
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
