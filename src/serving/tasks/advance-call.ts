/**
 * Bounds one call of an adapter in time. A signal of the platform's own would keep its timer after
 * the call, and there are thousands of them.
 */

/**
 * Runs `work` with a signal that is aborted with `outer`, and when it takes longer than `ms`;
 * nothing of it stays behind.
 */
export async function withDeadline<T>(
  outer: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const pass = (): void => controller.abort(outer.reason);
  if (outer.aborted) pass();
  else outer.addEventListener("abort", pass, { once: true });
  const timer = setTimeout(
    () => controller.abort(new Error(`the call took longer than ${ms} ms`)),
    ms,
  );
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", pass);
  }
}
