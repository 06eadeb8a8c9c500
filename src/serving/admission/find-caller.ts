/**
 * The key behind a hash together with what its account may: who is calling, as far as limits and
 * blocks go.
 */
import { findAccountAccess } from "../../accounts/blocks.store.ts";
import type { Queryable } from "../../db/database.ts";
import { NO_RATE_LIMITS, type RateLimits } from "../../kernel/rate-limits.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { findKeyByHash } from "../../keys/store.ts";

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
  const key = await findKeyByHash(q, hash);
  if (key === null) return null;
  const access = await findAccountAccess(q, key.accountId);
  return {
    ...key,
    accountLimits: access?.limits ?? NO_RATE_LIMITS,
    accountBlocked: access?.blocked ?? false,
  };
}
