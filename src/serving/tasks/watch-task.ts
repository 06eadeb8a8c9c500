/**
 * Lets callers wait until something happens to a task: one notification of the database wakes all
 * who watch it, in every process.
 */
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";

export interface TaskWatch {
  /** Throws what `open` would throw: for waits that begin with an order. */
  check(accountId: Uuid): void;
  /**
   * Throws Fault: `rate_limit_exceeded` when the account waits too often already, `overloaded` when
   * this process has too many or drains.
   */
  open(accountId: Uuid, taskId: Uuid): TaskWatcher;
  /** Something happened to this task. */
  heard(taskId: string): void;
  /** Notifications may have been missed. */
  heardAll(): void;
  readonly active: number;
  /** Ends every wait, and refuses new ones. */
  close(): void;
}

export interface TaskWatcher {
  /**
   * Resolves when something happened since the last call, at the latest after so long: read what
   * there is, and call it again. False: no more, because the signal was aborted or the process
   * drains.
   */
  next(withinMs: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
}

const OF_ACCOUNT = 100;
const IN_ALL = 5_000;
const RETRY_AFTER_SECONDS = 5;

export function createTaskWatch(): TaskWatch {
  const watchers = new Map<string, Set<() => void>>();
  const perAccount = new Map<Uuid, number>();
  let active = 0;
  let closed = false;

  function check(accountId: Uuid): void {
    if (closed || active >= IN_ALL)
      throw new Fault("overloaded", { retryAfterSeconds: RETRY_AFTER_SECONDS });
    const count = perAccount.get(accountId) ?? 0;
    if (count >= OF_ACCOUNT) {
      const message = `This account waits for tasks on ${OF_ACCOUNT} connections already. Wait for fewer at once, or use x-callback-url.`;
      throw new Fault("rate_limit_exceeded", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
  }
  function enter(accountId: Uuid): void {
    check(accountId);
    perAccount.set(accountId, (perAccount.get(accountId) ?? 0) + 1);
    active += 1;
  }
  function leave(accountId: Uuid): void {
    const count = (perAccount.get(accountId) ?? 1) - 1;
    if (count === 0) perAccount.delete(accountId);
    else perAccount.set(accountId, count);
    active -= 1;
  }

  return {
    check,
    open(accountId, taskId) {
      enter(accountId);
      let happened = false;
      let wake = (): void => undefined;
      let over = false;
      const hear = (): void => {
        happened = true;
        wake();
      };
      const hearNothing = (): void => wake();
      const others = watchers.get(taskId) ?? new Set();
      watchers.set(taskId, others.add(hear));
      return {
        async next(withinMs, signal) {
          if (!happened && !closed && !signal.aborted) {
            const { promise, resolve } = Promise.withResolvers<void>();
            wake = resolve;
            const timer = setTimeout(resolve, withinMs);
            signal.addEventListener("abort", hearNothing);
            await promise;
            clearTimeout(timer);
            signal.removeEventListener("abort", hearNothing);
          }
          happened = false;
          return !closed && !signal.aborted;
        },
        close() {
          if (over) return;
          over = true;
          leave(accountId);
          others.delete(hear);
          if (others.size === 0 && watchers.get(taskId) === others) watchers.delete(taskId);
        },
      };
    },
    heard(taskId) {
      for (const hear of watchers.get(taskId) ?? []) hear();
    },
    heardAll() {
      for (const each of watchers.values()) for (const hear of each) hear();
    },
    get active() {
      return active;
    },
    close() {
      closed = true;
      for (const each of watchers.values()) for (const hear of each) hear();
    },
  };
}
