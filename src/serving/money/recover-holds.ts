/**
 * Keeps this process's lease, and ends the holds of processes that died: at what they had recorded,
 * with a receipt (contract §6).
 */
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../kernel/limits.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import {
  beatOwner,
  forgetOwners,
  isOwnerDead,
  orphanedHolds,
  registerOwner,
  retireOwner,
  type LiveHold,
} from "../../ledger/owners.store.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { parkReceipt } from "../../usage/receipts.store.ts";
import { decodeHoldDetail, type HoldDetail } from "./hold-detail.ts";
import { settleWithReceipts, type SettleRequest } from "./settlement.store.ts";

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
  /** Holds whose ending failed alone: a damaged one must not keep the others waiting. */
  const stuck = new Set<Uuid>();
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
    let limit = SWEEP_LIMIT;
    stuck.clear();
    for (;;) {
      let claimed: readonly LiveHold[] = [];
      try {
        const recovered = await db.transaction(async (tx) => {
          claimed = await orphanedHolds(tx, { sweeperId: ownerId, except: [...stuck], limit });
          return endHolds(tx, claimed);
        });
        for (const hold of recovered) options.onRecovered(hold);
        ended += recovered.length;
        if (claimed.length < limit) return ended;
      } catch (error) {
        const [only, ...others] = claimed;
        if (only === undefined) throw error;
        if (others.length === 0) {
          stuck.add(only.holdId);
          log(`the orphaned hold ${only.holdId} cannot be ended`, error);
        } else {
          limit = 1;
        }
      }
    }
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
    isDead: async (otherId) => mayJudge() && isOwnerDead(db, ownerId, otherId),
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
      await retireOwner(db, ownerId);
    },
  };
}

async function endHolds(tx: Tx, holds: readonly LiveHold[]): Promise<RecoveredHold[]> {
  if (holds.length === 0) return [];
  const details = holds.map((hold) => decodeHoldDetail(hold));
  const settled = await settleWithReceipts(
    tx,
    holds.map((hold, index) => ({ holdId: hold.holdId, ...endOf(hold, details[index] ?? null) })),
  );
  const recovered: RecoveredHold[] = [];
  for (const [index, hold] of holds.entries()) {
    const result = settled[index];
    if (result?.verdict.kind !== "settled") continue; // another settlement was first
    const { chargedNano, releasedNano } = result.verdict;
    const readable = details[index] !== null;
    if (!readable)
      await parkReceipt(tx, {
        chargedNano,
        reason: "the hold's detail is not readable",
        receipt: hold.detail,
      });
    recovered.push({
      holdId: hold.holdId,
      accountId: hold.accountId,
      chargedNano,
      releasedNano,
      receiptWritten: readable && !result.parked,
    });
  }
  return recovered;
}

/**
 * Of a whole answer that was being put together from a stream the caller got nothing; who asks
 * again by an idempotency key pays for the answer that comes then. Neither pays for the one that
 * died: that is the operator's loss.
 */
function endOf(hold: LiveHold, detail: HoldDetail | null): Omit<SettleRequest, "holdId"> {
  if (detail !== null && (detail.idempotent === true || !detail.stream)) {
    return {
      chargeNano: ZERO_NANO,
      lossNano: hold.recordedNano,
      receipt: receiptOf(hold, detail, ZERO_NANO, hold.recordedNano),
    };
  }
  const receipt = detail === null ? null : receiptOf(hold, detail, hold.recordedNano, ZERO_NANO);
  return {
    chargeNano: null /* what was recorded, as it stands under the lock */,
    lossNano: ZERO_NANO,
    receipt,
  };
}

function receiptOf(
  hold: LiveHold,
  detail: HoldDetail,
  chargedNano: Nano,
  lossNano: Nano,
): ReceiptRow {
  const delivered = chargedNano > 0n;
  const { keyId, endpoint, modelRequested, model, stream, startedAt, usageSource } = detail;
  const usage = delivered ? detail.usage : NO_USAGE;
  return {
    requestId: hold.holdId,
    accountId: hold.accountId,
    keyId,
    endpoint,
    modelRequested,
    model,
    state: delivered ? "interrupted" : "failed",
    startedAt: new Date(startedAt),
    chargedNano,
    figures: receiptFigures(usage, null, null, lossNano),
    detail: {
      stream,
      priceVersion: hold.priceVersion,
      usage,
      usageSource: delivered ? usageSource : "none",
      ...(delivered && detail.countFactor !== undefined ? { countFactor: detail.countFactor } : {}),
      ...(delivered && detail.use !== undefined ? { use: detail.use } : {}),
      ...(detail.variants === undefined ? {} : { variants: detail.variants }),
      heldNano: hold.heldNano.toString(),
      lossNano: lossNano.toString(),
      upstreamCostNano: null,
      attempts: [],
      durationMs: null,
      firstContentMs: null,
      suspicion: null,
      recovered: true,
    },
  };
}
