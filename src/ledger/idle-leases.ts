/** Which leases a process gives back because no request uses them: how long each is kept, and how many. */
import type { Uuid } from "../kernel/ids.ts";
import type { Lease } from "./lease.ts";

type IdleLease = Pick<Lease, "accountId" | "totalNano" | "roomNano" | "asking" | "lastUsedMs">;

/** A lease that no request uses is given back after so long, */
const IDLE_MS = 5_000;
/** or, where it is a trifle and the next request would only have to ask for it again, after this. */
const TRIFLE_IDLE_MS = 5 * 60_000;
/** A trifle: all leases of the account here come to at most this part of what was free on it. */
const TRIFLE_PART = 100n;
/** Each is a row of the database; beyond it those go that were used longest ago. */
const MOST_LEASES = 10_000;

export function idleLeases<L extends IdleLease>(leases: Iterable<L>, nowMs: number): L[] {
  const all = [...leases];
  const sums = sumByAccount(all);
  const given: L[] = [];
  const kept: L[] = [];
  for (const lease of all) {
    const idleMs = nowMs - lease.lastUsedMs;
    if (lease.asking !== null || idleMs < IDLE_MS) continue;
    const isKept = idleMs < TRIFLE_IDLE_MS && isTrifle(sums.get(lease.accountId));
    (isKept ? kept : given).push(lease);
  }
  const beyond = all.length - given.length - MOST_LEASES;
  if (beyond <= 0) return given;
  kept.sort((one, other) => one.lastUsedMs - other.lastUsedMs);
  return [...given, ...kept.slice(0, beyond)];
}

interface AccountSum {
  leasedNano: bigint;
  /** The least that one of its leases was granted out of. */
  roomNano: bigint;
}

function sumByAccount(leases: Iterable<IdleLease>): Map<Uuid, AccountSum> {
  const sums = new Map<Uuid, AccountSum>();
  for (const { accountId, totalNano, roomNano } of leases) {
    const sum = sums.get(accountId);
    if (sum === undefined) {
      sums.set(accountId, { leasedNano: totalNano, roomNano });
      continue;
    }
    sum.leasedNano += totalNano;
    if (roomNano < sum.roomNano) sum.roomNano = roomNano;
  }
  return sums;
}

function isTrifle(sum: AccountSum | undefined): boolean {
  return sum !== undefined && sum.leasedNano * TRIFLE_PART <= sum.roomNano;
}
