/** One lease of this process, as it is remembered: what is free of it, how large it should be. */
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { maxNano, minNano, type Nano } from "../kernel/money.ts";
import type { Tabled } from "../kernel/uuid-table.ts";
import type { GrantRequest, RequestHold } from "./hold-verdicts.ts";

/** A request that is admitted and has not ended. */
export interface LiveHold extends Tabled<LiveHold> {
  readonly requestId: Uuid;
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
  /** In which its hold stands, wherever the budget has gone since. */
  readonly groupId: Uuid | null;
  readonly priceVersion: number;
  /** Null: it has a hold of its own. */
  readonly lease: Lease | null;
  readonly sinceMs: number;
  heldNano: Nano;
  /** JSON, or what makes it; the last one that was told. */
  detail: string | (() => string);
  /** It stands in a page. */
  noted: boolean;
  /** Its journal was fenced: another process ends it. */
  lost: boolean;
  /** Its end is durable. */
  over: boolean;
}

export interface Lease {
  readonly leaseId: Uuid;
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
  readonly groupId: Uuid | null;
  /** Not in use by any request. */
  freeNano: bigint;
  /** The database has a row of it. */
  made: boolean;
  /** All that the database has set aside and was not charged or given back. */
  totalNano: bigint;
  /** Free on account and budgets when it was last granted, itself included; 0: not known. */
  roomNano: bigint;
  /** Requests that were admitted by it and have not ended. */
  live: number;
  /** The one grant that is under way. */
  asking: Promise<void> | null;
  /** Nothing more is admitted by it, and what comes free is given back. */
  recalled: boolean;
  /** A grant ended without a verdict: the database may have set aside more than is known here. */
  uncertain: boolean;
  lastUsedMs: number;
  /** Charged since, for its size. */
  windowMs: number;
  spentNano: bigint;
  spentBeforeNano: bigint;
}

/** A lease is at least so many times what is held for a request. */
export const LEAST_TIMES = 4n;
/** So many times, where that is a trifle of what was free: then it seldom has to grow. */
const AMPLE_TIMES = 32n;
const AMPLE_PART = 2_000n;
const SPENT_WINDOW_MS = 2_000;

export function newLease({ accountId, budgetId, groupId }: RequestHold, nowMs: number): Lease {
  return {
    leaseId: newUuid(),
    accountId,
    budgetId,
    groupId,
    made: false,
    freeNano: 0n,
    totalNano: 0n,
    roomNano: 0n,
    live: 0,
    asking: null,
    recalled: false,
    uncertain: false,
    lastUsedMs: nowMs,
    windowMs: nowMs,
    spentNano: 0n,
    spentBeforeNano: 0n,
  };
}

/**
 * What its key spent lately or has at hand, and never less than a few of what is asked for; more of
 * them far from any limit.
 */
export function wantedNano(lease: Lease, askNano: Nano, nowMs: number): Nano {
  turnWindow(lease, nowMs);
  const spent = lease.spentNano + lease.spentBeforeNano;
  const ample = minNano((AMPLE_TIMES * askNano) as Nano, (lease.roomNano / AMPLE_PART) as Nano);
  const least = maxNano((LEAST_TIMES * askNano) as Nano, ample);
  return maxNano(maxNano(lease.totalNano as Nano, spent as Nano), least);
}

export function noteSpent(lease: Lease, chargedNano: Nano, nowMs: number): void {
  turnWindow(lease, nowMs);
  lease.spentNano += chargedNano;
}

function turnWindow(lease: Lease, nowMs: number): void {
  if (nowMs - lease.windowMs < SPENT_WINDOW_MS) return;
  lease.spentBeforeNano = nowMs - lease.windowMs < 2 * SPENT_WINDOW_MS ? lease.spentNano : 0n;
  lease.spentNano = 0n;
  lease.windowMs = nowMs;
}

/** One lease for each key, and for each account without. */
export function keyOf({ accountId, budgetId }: Pick<Lease, "accountId" | "budgetId">): string {
  return budgetId ?? accountId;
}

export function asHold({ accountId, leaseId }: Lease): { accountId: Uuid; holdId: Uuid } {
  return { accountId, holdId: leaseId };
}

export function asGrant(request: RequestHold): GrantRequest {
  const { accountId, budgetId, groupId, holdId, fullNano, sliceNano, minimumNano } = request;
  return {
    accountId,
    budgetId,
    groupId,
    holdId,
    fullNano,
    sliceNano,
    minimumNano,
    lease: null,
    grows: false,
    task: null,
  };
}

/** Of the hold that a request stands in: its own, or its lease. */
export function asRaise(
  { accountId, budgetId, groupId }: LiveHold,
  holdId: Uuid,
  addNano: Nano,
): GrantRequest {
  return {
    accountId,
    budgetId,
    groupId,
    holdId,
    fullNano: null,
    sliceNano: addNano,
    minimumNano: addNano,
    lease: null,
    grows: true,
    task: null,
  };
}
