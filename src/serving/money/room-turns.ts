/**
 * Makes room on an account for a request, one attempt at a time: who asks while one runs waits for
 * the next, which all who came meanwhile share. What ended since the first began has to count, too.
 */
import type { Uuid } from "../../kernel/ids.ts";

interface Turns {
  readonly running: Promise<void>;
  next: Promise<void> | null;
}

export function createRoomTurns(
  make: (accountId: Uuid) => Promise<void>,
): (accountId: Uuid) => Promise<void> {
  const turnsOf = new Map<Uuid, Turns>();

  async function makeInTurn(accountId: Uuid): Promise<void> {
    const made = make(accountId);
    const turns: Turns = { running: made.catch(() => {}), next: null };
    turnsOf.set(accountId, turns);
    try {
      await made;
    } finally {
      if (turns.next === null) turnsOf.delete(accountId);
    }
  }

  return (accountId) => {
    const turns = turnsOf.get(accountId);
    if (turns === undefined) return makeInTurn(accountId);
    turns.next ??= turns.running.then(() => makeInTurn(accountId));
    return turns.next;
  };
}
