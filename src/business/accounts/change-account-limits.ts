/**
 * Changes what an account may ask for, over all its keys: requests and tokens per minute, and
 * requests at once.
 */
import {
  changeAccountLimits as change,
  findAccountLimits,
  lockAccountLimits,
} from "../../accounts/store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { isUuid } from "../../kernel/ids.ts";
import { NO_RATE_LIMITS, type RateLimits } from "../../kernel/rate-limits.ts";
import { readRateLimits } from "./read-rate-limits.ts";

export type AccountLimitsOutcome =
  | { readonly kind: "in-force"; readonly limits: RateLimits }
  | { readonly kind: "unknown-account" };

/**
 * Null removes a limit, what is left out stays as it is. Every process is told
 * (`ACCOUNTS_CHANNEL`); requests that run keep the limits that they came in with. One change of
 * them at a time: `check` may refuse it by what they are, `record` writes down in the transaction
 * what was changed, if anything. Throws Fault("invalid_request") naming the limit that cannot be.
 */
export async function changeAccountLimits(
  db: Db,
  accountId: string,
  changes: Partial<RateLimits>,
  {
    check,
    record,
  }: {
    check?(before: RateLimits): void;
    record?(tx: Tx, before: RateLimits, after: RateLimits): Promise<void>;
  } = {},
): Promise<AccountLimitsOutcome> {
  readRateLimits({ ...NO_RATE_LIMITS, ...changes });
  if (!isUuid(accountId)) return { kind: "unknown-account" };
  const nothing = Object.keys(changes).length === 0;
  const limits = nothing
    ? await findAccountLimits(db, accountId)
    : await db.transaction(async (tx) => {
        const before = await lockAccountLimits(tx, accountId);
        if (before !== null) check?.(before);
        const after = await change(tx, accountId, changes);
        if (before !== null && after !== null && JSON.stringify(before) !== JSON.stringify(after))
          await record?.(tx, before, after);
        return after;
      });
  return limits === null ? { kind: "unknown-account" } : { kind: "in-force", limits };
}
