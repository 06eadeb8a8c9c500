/**
 * Posts what this process's journal has committed: soon after, in small transactions, so that no
 * statement takes the database long.
 */
import type { HotConnection } from "../../db/hot-connection.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { POST_AT_MOST, POST_JOURNAL } from "../../ledger/journals.store.ts";

export interface PosterOptions {
  readonly connection: HotConnection;
  journalId(): Uuid | null;
  onError(error: unknown): void;
}

export interface Poster {
  /** So many requests more have ended in committed pages. */
  wrote(ended: number): void;
  /** Resolves when all that was committed before is posted, or cannot be now. */
  post(): Promise<void>;
  close(): Promise<void>;
}

/** Readers post before they read; this long at most the books are behind for others. */
const POST_EVERY_MS = 250;
const CONNECTION_WAIT_MS = 250;

export function createPoster(options: PosterOptions): Poster {
  const { connection } = options;
  let waiting = 0;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let closed = false;

  async function postOnce(journalId: Uuid): Promise<boolean> {
    const outcome = await connection.transact(
      (tx) => tx.run(POST_JOURNAL, [journalId, POST_AT_MOST, false]),
      CONNECTION_WAIT_MS,
    );
    if (outcome.kind === "committed") {
      const [row] = outcome.value;
      // Another poster is at it; what was committed since it began is left to this one.
      if (row?.more === null) later();
      return row?.more === true;
    }
    if (outcome.kind !== "unreachable") options.onError(outcome.error);
    later();
    return false;
  }

  async function run(): Promise<void> {
    // Not before `running` is set.
    await Promise.resolve();
    try {
      do {
        again = false;
        waiting = 0;
        const journalId = options.journalId();
        if (journalId === null) return;
        while (await postOnce(journalId));
      } while (again);
    } finally {
      // At once: who asks from here on begins another one.
      running = null;
    }
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (running !== null) {
      again = true;
      return running;
    }
    running = run();
    return running;
  }

  function later(): void {
    if (timer !== null || closed) return;
    timer = setTimeout(() => {
      timer = null;
      void start();
    }, POST_EVERY_MS);
  }

  return {
    wrote(ended) {
      waiting += Math.max(ended, 1);
      if (waiting >= POST_AT_MOST) void start();
      else later();
    },
    post: start,
    async close() {
      closed = true;
      await start();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
