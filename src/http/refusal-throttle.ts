/**
 * Answers refused callers who came again at once as far as the process has time to spare, so that
 * those who were let in are not kept waiting by refusals.
 */
import { performance } from "node:perf_hooks";

export interface RefusalThrottle {
  /**
   * Calls `answer` at once, but where the same connection was refused a moment ago: then when there
   * is time for it.
   */
  refuse(connection: object, answer: () => void): void;
  /** How many wait to hear that they are refused. */
  readonly held: number;
}

export interface RefusalThrottleDeps {
  /** How long the event loop has had nothing to do, since whenever: it only grows. */
  idleMs(): number;
  monotonicMs(): number;
  /** Calls `work` after a moment. */
  later(work: () => void): void;
}

/** Who asks again sooner after a refusal comes again at once, over whatever network. */
export const SOON_MS = 250;
/** A refusal takes 20 to 40 µs, so refusals take about half of the time that is left. */
export const PER_IDLE_MS = 16;
/**
 * However busy the process is: some hundredths of its time, so that ten thousand callers hear it
 * within five seconds.
 */
export const PER_MS = 2;
/** What of both is kept for a burst. */
export const SAVED = 256;
const LOOK_MS = 4;

const PROCESS: RefusalThrottleDeps = {
  idleMs: () => performance.eventLoopUtilization().idle,
  monotonicMs: () => performance.now(),
  later: (work) => void setTimeout(work, LOOK_MS),
};

interface Held {
  readonly connection: object;
  answer(): void;
}

/**
 * A refusal is cheap, but thousands of callers who come again as soon as they hear one would keep
 * the process busy with nothing else. Not to read them would be cheaper still; but then what they
 * send next waits unread, and where that is let in, it has waited. So it is the refusal that waits.
 */
export function createRefusalThrottle(deps: RefusalThrottleDeps = PROCESS): RefusalThrottle {
  const refusedMs = new WeakMap<object, number>();
  /** First come, first answered. */
  const queue: Held[] = [];
  let saved = SAVED;
  let seenIdleMs = deps.idleMs();
  let seenMs = deps.monotonicMs();

  function earn(): void {
    const [idleMs, nowMs] = [deps.idleMs(), deps.monotonicMs()];
    const earned = (idleMs - seenIdleMs) * PER_IDLE_MS + (nowMs - seenMs) * PER_MS;
    saved = Math.min(SAVED, saved + earned);
    [seenIdleMs, seenMs] = [idleMs, nowMs];
  }

  function turn(): void {
    earn();
    let done = 0;
    for (const { connection, answer } of queue) {
      if (saved < 1) break;
      saved -= 1;
      done += 1;
      refusedMs.set(connection, seenMs);
      answer();
    }
    queue.splice(0, done);
    if (queue.length > 0) deps.later(turn);
  }

  return {
    refuse(connection, answer) {
      const nowMs = deps.monotonicMs();
      if (nowMs - (refusedMs.get(connection) ?? -Infinity) < SOON_MS) {
        if (queue.length === 0) deps.later(turn);
        queue.push({ connection, answer });
        return;
      }
      refusedMs.set(connection, nowMs);
      answer();
    },
    get held() {
      return queue.length;
    },
  };
}
