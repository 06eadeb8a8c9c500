/**
 * Keeps this process known as alive, and ends the requests of processes that died: at what they had
 * noted, with a receipt (contract §6); what else they held is released.
 */
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../kernel/limits.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { chargedFor } from "../../ledger/holds.store.ts";
import {
  CLOSE_JOURNAL,
  deadJournals,
  fenceJournal,
  forgetUnfinished,
  hasJournal,
  postWhole,
  retireJournals,
  unfinishedOf,
  type UnfinishedRequest,
} from "../../ledger/journals.store.ts";
import {
  beatOwner,
  forgetOwners,
  isOwnerDead,
  registerOwner,
  retireOwner,
} from "../../ledger/owners.store.ts";
import { countsToKeep, receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { parkReceipt } from "../../usage/receipts.store.ts";
import { decodeHoldDetail, type HoldDetail } from "./hold-detail.ts";
import { postEnds } from "./journal.store.ts";
import type { EndedRequest } from "./page-elements.ts";

export interface RecoveredHold {
  readonly holdId: Uuid;
  readonly accountId: Uuid;
  readonly chargedNano: Nano;
  readonly releasedNano: Nano;
  /**
   * False: the hold's detail could not be read, or its receipt not be written; what there is waits
   * in usage.parked.
   */
  readonly receiptWritten: boolean;
}

export interface HoldRecoveryOptions {
  readonly db: Db;
  /** This process's own lease. */
  readonly ownerId: Uuid;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly intervalMs?: number;
  onRecovered(hold: RecoveredHold): void;
  /** Hears of failed rounds and of holds that cannot be ended. */
  log(message: string, error?: unknown): void;
}

export interface HoldRecovery {
  /**
   * Takes the lease and begins; resolves when holds may be made under it. Throws when the database
   * is out of reach.
   */
  start(): Promise<void>;
  /**
   * One round: renew the lease when due, sweep when allowed. Returns how many holds were ended.
   * Never throws.
   */
  round(): Promise<number>;
  /**
   * Whether another process is dead, by the rule that decides about its holds. Throws when the
   * database is out of reach.
   */
  isDead(ownerId: Uuid): Promise<boolean>;
  /**
   * Ends the rounds and gives the lease up. To be called when nothing is held any more: what still
   * is held may be ended by others at once.
   */
  stop(): Promise<void>;
}

const INTERVAL_MS = 3_000;
const BEAT_MS = 5_000;
const SWEEP_LIMIT = 100;

export function createHoldRecovery(options: HoldRecoveryOptions): HoldRecovery {
  const { db, ownerId, clock, log } = options;
  let beatMs = -Infinity;
  /**
   * Since when every lease could have been kept, as far as we have seen; null when the last thing
   * we saw was trouble.
   */
  let healthyMs: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<number> = Promise.resolve(0);
  let stopped = false;

  /**
   * After a standstill of the database, a network split or a jump of its clock every lease looks
   * run out. So no process is judged before this one has kept its own lease without trouble for as
   * long as a lease lasts: by then every live process has renewed.
   */
  function mayJudge(): boolean {
    return healthyMs !== null && clock.monotonicMs() - healthyMs >= OWNER_LEASE_MS;
  }

  async function beat(): Promise<void> {
    const startedMs = clock.monotonicMs();
    if (startedMs - beatMs < BEAT_MS) return;
    const result = await beatOwner(db, ownerId);
    beatMs = startedMs;
    if (result === "late") healthyMs = null;
    healthyMs ??= clock.monotonicMs();
  }

  async function sweep(): Promise<number> {
    let ended = 0;
    const failures: unknown[] = [];
    for (const journalId of await deadJournals(db, ownerId)) {
      try {
        const fate = await db.transaction((tx) => fenceJournal(tx, journalId));
        if (fate === "fenced") ended += await endJournal(journalId);
      } catch (error) {
        // A damaged one must not keep the others waiting.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return ended;
  }

  /** Nothing can be written to it any more. Each step may be repeated, by this process or another. */
  async function endJournal(journalId: Uuid): Promise<number> {
    await postWhole(db, journalId);
    /** Requests whose ending failed alone: a damaged one must not keep the others waiting. */
    const stuck = new Set<Uuid>();
    let ended = 0;
    let limit = SWEEP_LIMIT;
    for (;;) {
      let claimed: readonly UnfinishedRequest[] = [];
      try {
        const recovered = await db.transaction(async (tx) => {
          claimed = await unfinishedOf(tx, journalId, { except: [...stuck], limit });
          return endRequests(
            tx,
            journalId,
            claimed.filter(({ isHeld }) => isHeld),
          );
        });
        for (const hold of recovered) options.onRecovered(hold);
        ended += recovered.length;
        for (const request of claimed) if (!request.isHeld) await forgetIfOver(request);
        if (claimed.length < limit) break;
      } catch (error) {
        const [only, ...others] = claimed;
        if (only === undefined) throw error;
        if (others.length > 0) {
          limit = 1;
        } else if (
          (await isFirstUnfinished(journalId, only.requestId, stuck)) &&
          !(await forgetIfOver(only))
        ) {
          stuck.add(only.requestId);
          log(`the request ${only.requestId} of a dead process cannot be ended`, error);
        }
      }
    }
    if (stuck.size === 0) await db.run(CLOSE_JOURNAL, [journalId]);
    return ended;
  }

  /**
   * Of one that has ended before, or whose hold is gone, nothing is left to be charged; it must not
   * keep its journal from being closed, and with it all that the process still holds.
   */
  async function forgetIfOver(request: UnfinishedRequest): Promise<boolean> {
    const { accountId, requestId, isHeld, recordedNano } = request;
    const hasEnded = (await chargedFor(db, accountId, requestId)) !== null;
    if (!hasEnded && isHeld) return false;
    const reason = `its hold was gone; ${recordedNano} nano-roubles were noted`;
    const forgotten = await db.transaction(async (tx) => {
      if (!(await forgetUnfinished(tx, request))) return false;
      const receipt = JSON.stringify(request, (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      );
      if (!hasEnded) await parkReceipt(tx, { chargedNano: ZERO_NANO, reason, receipt });
      return true;
    });
    const why = hasEnded ? "had ended before" : "is not charged: its hold was gone";
    if (forgotten) log(`the request ${requestId} of a dead process ${why}`);
    return true;
  }

  /** Another process may have ended it meanwhile, which is no fault of the request. */
  async function isFirstUnfinished(
    journalId: Uuid,
    requestId: Uuid,
    stuck: ReadonlySet<Uuid>,
  ): Promise<boolean> {
    const [first] = await unfinishedOf(db, journalId, { except: [...stuck], limit: 1 });
    return first?.requestId === requestId;
  }

  async function round(): Promise<number> {
    try {
      await beat();
      if (!mayJudge()) return 0;
      const ended = await sweep();
      await forgetOwners(db);
      return ended;
    } catch (error) {
      healthyMs = null;
      if (!stopped) log("a round of hold recovery failed", error);
      return 0;
    }
  }

  function schedule(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      running = round();
      void running.then(schedule);
    }, options.intervalMs ?? INTERVAL_MS);
  }

  return {
    async start() {
      await registerOwner(db, ownerId);
      beatMs = clock.monotonicMs();
      healthyMs = beatMs;
      schedule();
    },
    round,
    isDead: async (otherId) =>
      mayJudge() && (await isOwnerDead(db, ownerId, otherId)) && !(await hasJournal(db, otherId)),
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
      await retireJournals(db, ownerId);
      await retireOwner(db, ownerId);
    },
  };
}

async function endRequests(
  tx: Tx,
  journalId: Uuid,
  requests: readonly UnfinishedRequest[],
): Promise<RecoveredHold[]> {
  if (requests.length === 0) return [];
  const details = requests.map((request) => decodeHoldDetail(request));
  const ends = requests.map((request, index) => endOf(request, details[index] ?? null));
  const parked = await postEnds(tx, journalId, ends);
  const recovered: RecoveredHold[] = [];
  for (const [index, request] of requests.entries()) {
    const { chargeNano = ZERO_NANO } = ends[index] ?? {};
    const readable = details[index] !== null;
    if (!readable)
      await parkReceipt(tx, {
        chargedNano: chargeNano,
        reason: "the request's detail is not readable",
        receipt: request.detail,
      });
    recovered.push({
      holdId: request.requestId,
      accountId: request.accountId,
      chargedNano: chargeNano,
      releasedNano: (request.heldNano - chargeNano) as Nano,
      receiptWritten: readable && !parked.includes(request.requestId),
    });
  }
  return recovered;
}

/**
 * Of a whole answer that was being put together from a stream the caller got nothing; who asks
 * again by an idempotency key pays for the answer that comes then. Neither pays for the one that
 * died: that is the operator's loss.
 */
function endOf(request: UnfinishedRequest, detail: HoldDetail | null): EndedRequest {
  const { requestId, accountId, holdId, heldNano, recordedNano, priceVersion } = request;
  const lost = detail !== null && (detail.idempotent === true || !detail.stream);
  const [chargeNano, lossNano] = lost ? [ZERO_NANO, recordedNano] : [recordedNano, ZERO_NANO];
  return {
    kind: "ended",
    requestId,
    accountId,
    holdId,
    heldNano,
    chargeNano,
    lossNano,
    priceVersion,
    noted: true,
    receipt: detail === null ? null : receiptOf(detail, chargeNano > 0n),
  };
}

function receiptOf(detail: HoldDetail, delivered: boolean): ReceiptRow {
  const { endpoint, modelRequested, model, stream, startedAt, usageSource } = detail;
  const usage = delivered ? detail.usage : NO_USAGE;
  return {
    endpoint,
    modelRequested,
    model,
    state: delivered ? "interrupted" : "failed",
    startedAt: new Date(startedAt),
    durationMs: null,
    firstMs: null,
    figures: receiptFigures(usage, null, null),
    detail: {
      ...(stream ? { stream: true } : {}),
      usage: countsToKeep(usage),
      usageSource: delivered ? usageSource : "none",
      ...(delivered && detail.countFactor !== undefined ? { countFactor: detail.countFactor } : {}),
      ...(delivered && detail.use !== undefined ? { use: detail.use } : {}),
      ...(detail.variants === undefined ? {} : { variants: detail.variants }),
      ...(detail.droppedTools === undefined ? {} : { droppedTools: detail.droppedTools }),
      attempts: [],
      recovered: true,
    },
  };
}
