/**
 * Clears up what time and dead processes leave of files. Every process may run it at any time; none
 * needs to know of the others.
 */
import type { Db } from "../../db/database.ts";
import { storedTotals } from "../../files/files.store.ts";
import {
  abandonReceiving,
  claimRemovals,
  expireFiles,
  finishRemovals,
  forgetFiles,
  receivingOwners,
} from "../../files/sweep.store.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { ABANDONED_AFTER_MS, GONE_KEPT_MS, UNFINISHED_AFTER_MS } from "./file-times.ts";

export interface SweepDeps {
  readonly db: Db;
  readonly storage: Pick<ObjectStorage, "kind" | "remove" | "sweepUnfinished">;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** As hold recovery judges it. */
  isDead(ownerId: Uuid): Promise<boolean>;
  onError(what: string, error: unknown): void;
}

export interface SweepReport {
  readonly expired: number;
  /** Of uploads whose process died, or that never ended. */
  readonly abandoned: number;
  /** Objects taken out of the storage. */
  readonly removed: number;
  /** Rows of files that are gone for long. */
  readonly forgotten: number;
  /** Unfinished writes cleared away in the storage. */
  readonly unfinished: number;
}

export interface FileSweeper {
  /**
   * One round, bounded in size. Never throws: what failed is told to `onError` and left to the next
   * round.
   */
  sweep(): Promise<SweepReport>;
  /** The stored files of all accounts, as of the last round. */
  readonly totals: { readonly files: number; readonly bytes: number };
}

const BATCH = 200;
const BATCHES = 20;
const OWNERS = 1_000;
/** Longer than a batch takes to be removed from a slow storage. */
const CLAIM_MS = 5 * 60_000;
/** So many in one batch, and it is the storage that fails, not the object. */
const STORAGE_FAILURES = 3;
/**
 * The storage is asked what it has unfinished more rarely than the database is: it may be a paid
 * call.
 */
const UNFINISHED_EVERY_MS = 10 * 60_000;

export function createFileSweeper(deps: SweepDeps): FileSweeper {
  const { db, storage, clock } = deps;
  let unfinishedMs = -Infinity;
  let totals = { files: 0, bytes: 0 };

  /** Until a batch is not full. */
  async function inBatches(step: (limit: number) => Promise<number>): Promise<number> {
    let done = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      const count = await step(BATCH);
      done += count;
      if (count < BATCH) break;
    }
    return done;
  }

  async function attempt(what: string, work: () => Promise<number>): Promise<number> {
    try {
      return await work();
    } catch (error) {
      deps.onError(what, error);
      return 0;
    }
  }

  async function abandon(): Promise<number> {
    const deadOwners: Uuid[] = [];
    for (const ownerId of await receivingOwners(db, OWNERS))
      if (await deps.isDead(ownerId)) deadOwners.push(ownerId);
    const olderThanMs = ABANDONED_AFTER_MS;
    return inBatches((limit) =>
      abandonReceiving(db, { deadOwners, olderThanMs, againMs: ABANDONED_AFTER_MS, limit }),
    );
  }

  async function remove(): Promise<number> {
    return inBatches(async (limit) => {
      const names = await claimRemovals(db, { limit, claimMs: CLAIM_MS });
      if (names.length === 0) return 0;
      const removed = await removeAsManyAsWork(names);
      await finishRemovals(db, removed);
      return names.length;
    });
  }

  /**
   * One that cannot be removed must not keep the others of its batch; a storage that removes none
   * is left in peace until the next round.
   */
  async function removeAsManyAsWork(names: readonly string[]): Promise<readonly string[]> {
    try {
      await storage.remove(names);
      return names;
    } catch (error) {
      deps.onError("objects that are nobody's any more could not be removed together", error);
    }
    const removed: string[] = [];
    let failures = 0;
    for (const name of names) {
      try {
        await storage.remove([name]);
        removed.push(name);
      } catch (error) {
        failures += 1;
        if (failures === STORAGE_FAILURES) throw error;
      }
    }
    return removed;
  }

  async function clearUnfinished(): Promise<number> {
    if (clock.monotonicMs() - unfinishedMs < UNFINISHED_EVERY_MS) return 0;
    const count = await storage.sweepUnfinished(UNFINISHED_AFTER_MS[storage.kind]);
    unfinishedMs = clock.monotonicMs();
    return count;
  }

  return {
    async sweep() {
      const expired = await attempt("expired files could not be ended", () =>
        inBatches((limit) => db.transaction((tx) => expireFiles(tx, limit))),
      );
      const abandoned = await attempt("abandoned uploads could not be forgotten", abandon);
      const removed = await attempt(
        "the bytes of files that are over could not be removed",
        remove,
      );
      const forgotten = await attempt("files that are gone for long could not be forgotten", () =>
        inBatches((limit) => forgetFiles(db, { keptMs: GONE_KEPT_MS, limit })),
      );
      const unfinished = await attempt(
        "unfinished writes could not be cleared away",
        clearUnfinished,
      );
      await attempt("the stored files could not be counted", async () => {
        totals = await storedTotals(db);
        return 0;
      });
      return { expired, abandoned, removed, forgotten, unfinished };
    },
    get totals() {
      return totals;
    },
  };
}
