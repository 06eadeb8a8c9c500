/**
 * Lets one account do one thing at a time in this process: what costs time and earns nothing must
 * not take the time of other accounts.
 */
import type { Uuid } from "../../kernel/ids.ts";

export interface AccountTurns {
  /** Null where too many of the account wait already. */
  take<T>(accountId: Uuid, work: () => Promise<T>): Promise<T | null>;
}

interface Queue {
  tail: Promise<unknown>;
  waiting: number;
}

export function createAccountTurns(mostWaiting: number): AccountTurns {
  const queues = new Map<Uuid, Queue>();
  return {
    async take(accountId, work) {
      const queue = queues.get(accountId) ?? { tail: Promise.resolve(), waiting: 0 };
      if (queue.waiting >= mostWaiting) return null;
      queues.set(accountId, queue);
      queue.waiting += 1;
      const turn = queue.tail.then(work);
      queue.tail = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        queue.waiting -= 1;
        if (queue.waiting === 0) queues.delete(accountId);
      }
    },
  };
}
