/**
 * Requests with an idempotency key, over all processes: who runs one, who gets its answer, who
 * takes it over from a process that died.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDiskFull, noRoom } from "../../db/database-errors.ts";
import type { Db } from "../../db/database.ts";
import type {
  AnsweredRecord,
  KeptAnswer,
  NewRecord,
  RecordClaim,
} from "../../idempotency/record.ts";
import {
  beginRecord,
  deleteExpiredRecords,
  forgetRecord,
  keepAnswer,
  takeOverRecord,
} from "../../idempotency/records.store.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { DATABASE_BACKOFF } from "../database-backoff.ts";

/** What a request with this key answered before. */
export interface Replay extends AnsweredRecord {
  readonly answer: KeptAnswer;
}

export interface Idempotency {
  /**
   * Null: the record is this request's, which must end it, by its settlement or by `forget`. Throws
   * Fault: `idempotency_mismatch`, `idempotency_in_progress`, `idempotency_answer_gone`;
   * `overloaded` when the database is out of reach.
   */
  begin(record: NewRecord): Promise<Replay | null>;
  /**
   * Writes what the record will answer, null for an answer that is too large; resolves when it is
   * committed. `lost`: the request must not be charged. Throws Fault("overloaded") where the
   * database's disk is full; the same holds then.
   */
  keep(claim: RecordClaim, answer: KeptAnswer | null): Promise<"kept" | "lost">;
  /**
   * Frees the key of a request that came to nothing. Resolves after the first try; later ones go on
   * by themselves. Never throws.
   */
  forget(claim: RecordClaim): Promise<void>;
  /** Removes records whose time is over, a bounded number at a time. Returns how many. */
  sweep(): Promise<number>;
  /** Ends what still goes on by itself. */
  close(): void;
}

export interface IdempotencyDeps {
  readonly db: Db;
  /** As hold recovery judges it. */
  isDead(ownerId: Uuid): Promise<boolean>;
  onError(error: unknown): void;
}

/** Records may come and go between two looks; after so many the caller is told to come again. */
const ATTEMPTS = 5;
const RETRY_AFTER_SECONDS = 1;
const SWEEP_BATCH = 500;
const SWEEP_BATCHES = 20;

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { db } = deps;
  const closing = new AbortController();

  async function find(record: NewRecord): Promise<Replay | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await beginRecord(db, record);
      switch (found.kind) {
        case "fresh":
          return null;
        case "mismatch":
          throw new Fault("idempotency_mismatch");
        case "answered": {
          const { requestId, chargedNano, answer } = found;
          if (answer === null) throw new Fault("idempotency_answer_gone");
          return { requestId, chargedNano, answer };
        }
        case "running":
          if (!(await deps.isDead(found.ownerId))) throw inProgress();
          if (await takeOverRecord(db, found.requestId, record)) return null;
          break;
        case "gone":
          break;
      }
    }
    throw inProgress();
  }

  async function forgetOrTell(claim: RecordClaim): Promise<boolean> {
    try {
      await forgetRecord(db, claim);
      return true;
    } catch (error) {
      deps.onError(error);
      return false;
    }
  }

  async function forgetUntilDone(claim: RecordClaim): Promise<void> {
    let failed = 0;
    do
      await sleep(backoffMs(failed++, DATABASE_BACKOFF, Math.random), undefined, {
        signal: closing.signal,
        ref: false,
      });
    while (!(await forgetOrTell(claim)));
  }

  async function forget({ accountId, key, requestId }: RecordClaim): Promise<void> {
    const claim = { accountId, key, requestId };
    if (await forgetOrTell(claim)) return;
    // This process lives, so no other would free the key. Where it is closed meanwhile, its end
    // does.
    forgetUntilDone(claim).catch(() => undefined);
  }

  return {
    async begin(record) {
      // What could not be kept is not begun: its upstream would be paid for nothing.
      if (!(await db.hasRoom())) throw noRoom();
      try {
        return await find(record);
      } catch (error) {
        // A record whose verdict never came may have been made all the same.
        if (toFault(error).status >= 500) void forget(record);
        throw error;
      }
    },

    async keep(claim, answer) {
      for (let failed = 0; ; failed++) {
        try {
          return await keepAnswer(db, claim, answer);
        } catch (error) {
          deps.onError(error);
          // A disk may stay full for long, and its caller waits: it is told, and not charged.
          if (isDiskFull(error)) throw error;
          // Without its answer the request must not be charged, so an outage is waited for, as the
          // settlement does.
          if (toFault(error).code !== "overloaded") return "lost";
          await sleep(backoffMs(failed, DATABASE_BACKOFF, Math.random));
        }
      }
    },

    forget,

    async sweep() {
      let removed = 0;
      for (let batch = 0; batch < SWEEP_BATCHES; batch++) {
        const count = await deleteExpiredRecords(db, SWEEP_BATCH);
        removed += count;
        if (count < SWEEP_BATCH) break;
      }
      return removed;
    },

    close: () => closing.abort(),
  };
}

function inProgress(): Fault {
  return new Fault("idempotency_in_progress", {
    message: `The first request with this Idempotency-Key still runs. Ask again in ${RETRY_AFTER_SECONDS} second.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
