/** Writes down polls that ended nothing, many in one statement. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../db/database.ts";
import { notePolls, type PollNote } from "../../tasks/jobs.store.ts";

export interface PollNotes {
  /**
   * Resolves when its lease has ended: it is written, or it could not be, and then the lease runs
   * out. Never rejects.
   */
  add(note: PollNote): Promise<void>;
}

export interface PollNotesDeps {
  readonly db: Db;
  onError(what: string, error: unknown): void;
}

/** A statement with more rows takes longer without becoming cheaper for each. */
const MOST_AT_ONCE = 500;
const RETRY_MS = 1_000;

export function createPollNotes(deps: PollNotesDeps): PollNotes {
  let waiting: { readonly note: PollNote; done(): void }[] = [];
  let writing = false;

  async function write(notes: readonly PollNote[]): Promise<void> {
    try {
      await notePolls(deps.db, notes);
    } catch (error) {
      deps.onError("polls could not be written down; trying once more", error);
      await sleep(RETRY_MS);
      await notePolls(deps.db, notes).catch((again: unknown) =>
        deps.onError("polls could not be written down", again),
      );
    }
  }

  async function writeAll(): Promise<void> {
    writing = true;
    // A note that comes while a statement is under way travels in the next one.
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(MOST_AT_ONCE);
      await write(batch.map(({ note }) => note));
      for (const { done } of batch) done();
    }
    writing = false;
  }

  return {
    async add(note) {
      await new Promise<void>((done) => {
        waiting.push({ note, done });
        if (writing) return;
        writing = true;
        // The polls of one turn come together.
        setImmediate(() => void writeAll());
      });
    },
  };
}
