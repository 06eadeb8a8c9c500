/**
 * Watches how fast a long body comes, and tells when its sender has been silent or slow for too
 * long.
 */
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { UPLOAD_GRACE_MS, UPLOAD_IDLE_MS, UPLOAD_MIN_BYTES_PER_SECOND } from "../kernel/limits.ts";

export interface PaceLimits {
  /** Silence. */
  readonly idleMs: number;
  /** What every body may take, whatever its size. */
  readonly graceMs: number;
  /** After the grace, on average. */
  readonly bytesPerSecond: number;
  /** How often one looks. */
  readonly checkMs: number;
}

export const UPLOAD_PACE: PaceLimits = {
  idleMs: UPLOAD_IDLE_MS,
  graceMs: UPLOAD_GRACE_MS,
  bytesPerSecond: UPLOAD_MIN_BYTES_PER_SECOND,
  checkMs: 1_000,
};

export interface SenderPace {
  /** So many bytes came. */
  received(bytes: number): void;
  /** What came is being worked off: this time is not the sender's. */
  hold(): void;
  /** The sender's turn again. */
  wait(): void;
  stop(): void;
}

/**
 * The sender's turn from now on. `onLate` is called once, with a `request_timeout`: when the sender
 * was silent in its turn, when its turns took longer than the bytes that came allow, and when
 * everything together took longer than the largest body (`limitBytes`) may.
 */
export function watchPace(deps: {
  readonly clock: Clock;
  readonly limits: PaceLimits;
  readonly limitBytes: number;
  onLate(fault: Fault): void;
}): SenderPace {
  const { clock, limits } = deps;
  const startedMs = clock.monotonicMs();
  let bytes = 0;
  /** Of the turns before this one. */
  let turnsMs = 0;
  /** When this turn began; null while it is ours. */
  let turnMs: number | null = startedMs;
  let lastByteMs = startedMs;

  const allowedMs = (count: number): number =>
    limits.graceMs + (count / limits.bytesPerSecond) * 1000;
  const timer = setInterval(() => {
    const now = clock.monotonicMs();
    const takenMs = turnsMs + (turnMs === null ? 0 : now - turnMs);
    if (turnMs !== null && now - Math.max(lastByteMs, turnMs) > limits.idleMs)
      late(`no byte came for ${limits.idleMs / 1000} seconds`);
    else if (takenMs > allowedMs(bytes))
      late(
        `after ${limits.graceMs / 1000} seconds, ${limits.bytesPerSecond / 1024} KB a second are expected on average`,
      );
    else if (now - startedMs > allowedMs(deps.limitBytes))
      late("it took longer than the largest file may");
  }, limits.checkMs);

  function late(why: string): void {
    clearInterval(timer);
    deps.onLate(
      new Fault("request_timeout", { message: `The upload is too slow: ${why}. Send it again.` }),
    );
  }

  return {
    received(count) {
      bytes += count;
      lastByteMs = clock.monotonicMs();
    },
    hold() {
      if (turnMs === null) return;
      turnsMs += clock.monotonicMs() - turnMs;
      turnMs = null;
    },
    wait() {
      turnMs ??= clock.monotonicMs();
    },
    stop: () => clearInterval(timer),
  };
}
