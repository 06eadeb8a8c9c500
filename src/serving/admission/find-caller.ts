/**
 * The key behind a hash together with what its account may: who is calling, as far as limits and
 * blocks go.
 */
import { findAccountAccess } from "../../accounts/blocks.store.ts";
import type { Queryable } from "../../db/database.ts";
import { NO_RATE_LIMITS, type RateLimits } from "../../kernel/rate-limits.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { findKeysByHash } from "../../keys/store.ts";

export interface Caller extends KeyRecord {
  /** For all keys of the account together. */
  readonly accountLimits: RateLimits;
  /** An operator has blocked the account: none of its keys may do anything. */
  readonly accountBlocked?: boolean;
  /**
   * False: kept answers of the account are as none, because whose request it is may not see them.
   * Absent: a request may go on from any of them.
   */
  readonly seesKept?: boolean;
}

/** Deleted and expired keys are found too; the record says so. Null when there is none. */
export async function findCaller(q: Queryable, hash: string): Promise<Caller | null> {
  const [caller] = await findCallers(q, [hash]);
  return caller ?? null;
}

/** Those of these hashes that there are. */
export async function findCallers(q: Queryable, hashes: readonly string[]): Promise<Caller[]> {
  return callersWith(q, await findKeysByHash(q, hashes));
}

/** Who calls with each of these keys, in their order. */
export async function callersWith(q: Queryable, keys: readonly KeyRecord[]): Promise<Caller[]> {
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))];
  const access = await findAccountAccess(q, accountIds);
  return keys.map((key) => ({
    ...key,
    accountLimits: access.get(key.accountId)?.limits ?? NO_RATE_LIMITS,
    accountBlocked: access.get(key.accountId)?.blocked ?? false,
  }));
}
