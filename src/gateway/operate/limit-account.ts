/** Changes the rate limits of an account on an operator's word. */
import { changeAccountLimits, findAccountLimits } from "../../accounts/store.ts";
import { recordAction } from "../../audit/store.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { NO_RATE_LIMITS, type RateLimits } from "../../kernel/rate-limits.ts";
import { readRateLimits } from "../read-rate-limits.ts";
import { actorOf, type Operator } from "./operator.ts";

/** Null removes a limit, what is left out stays as it is. Throws Fault: `invalid_request`, `not_found`. What changes nothing is not logged. */
export function limitAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  { reason, ...changes }: Partial<RateLimits> & { readonly reason: string | null },
): Promise<void> {
  readRateLimits({ ...NO_RATE_LIMITS, ...changes });
  return db.transaction(async (tx) => {
    const before = await findAccountLimits(tx, accountId);
    const after = await changeAccountLimits(tx, accountId, changes);
    if (before === null || after === null) throw new Fault("not_found");
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await recordAction(tx, { ...actorOf(operator), action: "account.limits", accountId, subject: null, reason, before, after });
  });
}
