/**
 * Takes over the stream that is to be stored, so that none of its errors is missed and every way of
 * ending it is the same.
 */
import type { Readable } from "node:stream";
import { assert } from "../kernel/assert.ts";

export interface TakenSource {
  /** Fires when the caller aborts or `fail` is called. */
  readonly signal: AbortSignal;
  /** Ends the source with this error, unless it has ended already; its reader throws it. */
  fail(error: unknown): void;
  /** No longer listens to the caller's signal. */
  release(): void;
}

/**
 * Must be called before anything is awaited: an error of the source without a listener ends the
 * process.
 */
export function takeSource(source: Readable, callerSignal: AbortSignal | undefined): TakenSource {
  // Never taken off again: a source may fail once more after it was destroyed.
  source.on("error", () => undefined);
  assert(
    !source.readableEnded,
    "the source of an object was read before; it would be stored empty",
  );
  const controller = new AbortController();
  function fail(error: unknown): void {
    controller.abort(error);
    source.destroy(
      error instanceof Error ? error : new Error("the write was aborted", { cause: error }),
    );
  }
  function onAbort(): void {
    fail(callerSignal?.reason);
  }
  if (callerSignal?.aborted) onAbort();
  else callerSignal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    fail,
    release: () => callerSignal?.removeEventListener("abort", onAbort),
  };
}
