/**
 * The limits of one process: requests ask on a connection of their own, many in one statement, and
 * what runs is kept noted by a lease.
 */
import type { Queryable } from "../db/database.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import { createHotConnection } from "../db/hot-connection.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { LimitRequest, LimitVerdict } from "./limit-verdicts.ts";
import { beatOwner, decideMany, retireOwner, type LimitsRow } from "./store.ts";

export interface RateLimiterOptions {
  readonly url: string;
  /** For the lease. */
  readonly db: Queryable;
  /** This process. */
  readonly ownerId: Uuid;
  /** Shown in pg_stat_activity, with what the connection is for. */
  readonly applicationName: string;
  readonly beatMs?: number;
  /** Hears of lost connections, of rows that failed alone and of beats that failed. */
  onError(error: unknown): void;
}

export interface RateLimiter {
  /**
   * Takes the lease and begins to keep it; resolves when requests may be let in. Throws when the
   * database is out of reach.
   */
  start(): Promise<void>;
  /**
   * Throws Fault("overloaded") when the database is out of reach; what was taken then flows back,
   * and a place is free at the first beat that reaches it.
   */
  ask(request: LimitRequest): Promise<LimitVerdict>;
  /**
   * Gives the place back and puts what was really used in the place of what was asked for. To be
   * called once for each admitted request. Throws Fault("overloaded") when the database is out of
   * reach; then the place is free at the first beat that reaches it, and what was asked for stays.
   */
  end(request: LimitRequest, usedTokens: number): Promise<void>;
  /** One renewal of the lease. Never throws. */
  beat(): Promise<void>;
  /** Requests waiting for their batch. */
  readonly queued: number;
  /** Takes nothing more, finishes what it has and gives the lease up. */
  close(): Promise<void>;
}

const MAX_BATCH = 512;
const MAX_QUEUED = 20_000;
/** As with holds: new work is refused at once while the database has been silent for this long. */
const REFUSE_AFTER_SILENCE_MS = 1_500;
const BEAT_MS = 5_000;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { db, ownerId, onError } = options;
  /** Admitted requests that hold a place. */
  const running = new Map<Uuid, LimitRequest>();
  /**
   * Requests that may have a place and are over: the database was out of reach when it was to hear
   * of it.
   */
  const unheard = new Map<Uuid, LimitRequest>();
  let timer: NodeJS.Timeout | null = null;
  let beating: Promise<void> = Promise.resolve();
  let closed = false;

  const connection = createHotConnection({
    url: options.url,
    applicationName: `${options.applicationName} limits`,
    onError,
  });
  const decisions = createGroupCommit<LimitsRow, LimitVerdict | null>({
    connection,
    maxBatch: MAX_BATCH,
    maxQueued: MAX_QUEUED,
    refuseAfterSilenceMs: REFUSE_AFTER_SILENCE_MS,
    run: (tx, rows, retry) => decideMany(tx, ownerId, rows, retry),
    onError,
  });

  /**
   * What runs goes through the same queue as what ends, so that nothing is placed again behind its
   * end.
   */
  async function placeAgain(): Promise<void> {
    await Promise.all(
      [...running.values()].map((request) => decisions.submit({ kind: "place", request })),
    );
  }

  /**
   * Their places alone: whether their tokens were heard of is not known, and must not count twice.
   */
  async function freeUnheard(): Promise<void> {
    const frees = [...unheard.values()].map(async (request) => {
      await decisions.submit({ kind: "end", request: { ...request, tokens: 0 }, usedTokens: 0 });
      unheard.delete(request.requestId);
    });
    await Promise.all(frees);
  }

  async function beat(): Promise<void> {
    try {
      await freeUnheard();
      if ((await beatOwner(db, ownerId, [...running.keys()])) === "late") await placeAgain();
    } catch (error) {
      if (!closed) onError(error);
    }
  }

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      beating = beat().then(schedule);
    }, options.beatMs ?? BEAT_MS);
  }

  async function submit(row: LimitsRow): Promise<LimitVerdict | null> {
    try {
      return await decisions.submit(row);
    } catch (error) {
      if (hasPlace(row.request)) unheard.set(row.request.requestId, row.request);
      throw error;
    }
  }

  return {
    async start() {
      await beatOwner(db, ownerId, []);
      schedule();
    },
    async ask(request) {
      const verdict = await submit({ kind: "ask", request });
      assert(verdict !== null, "who asks gets a verdict");
      if (verdict.kind === "admitted" && hasPlace(request)) running.set(request.requestId, request);
      return verdict;
    },
    async end(request, usedTokens) {
      running.delete(request.requestId);
      await submit({ kind: "end", request, usedTokens });
    },
    beat,
    get queued() {
      return decisions.queued;
    },
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await beating;
      await decisions.close();
      await connection.close();
      // Where it cannot be given up, the lease runs out by itself.
      await retireOwner(db, ownerId).catch(onError);
    },
  };
}

function hasPlace({ subjects }: LimitRequest): boolean {
  return subjects.some(({ limits }) => limits.maxConcurrent !== null);
}
