/** Changes the rate limits of an account on an operator's word. */
import { recordAction } from "./audit.store.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { RateLimits } from "../../kernel/rate-limits.ts";
import {
  changeAccountLimits,
  type AccountLimitsOutcome,
} from "../accounts/change-account-limits.ts";
import { checkRevision } from "../revision.ts";
import { limitsRevision } from "./account-revisions.ts";
import { actorOf, type Actor, type Operator } from "./operator.ts";

type LimitsRequest = Partial<RateLimits> & {
  readonly reason: string | null;
  readonly revision?: string;
};

/**
 * Null removes a limit, what is left out stays as it is. Throws Fault: `invalid_request`,
 * `not_found`, `conflict` for a change of another revision. What changes nothing is not logged.
 */
export async function limitAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  request: LimitsRequest,
): Promise<void> {
  const outcome = await limitAnyAccount(db, actorOf(operator), accountId, request);
  if (outcome.kind === "unknown-account") throw new Fault("not_found");
}

/** The same, from wherever it is asked for. Throws Fault("invalid_request"). */
export function limitAnyAccount(
  db: Db,
  actor: Actor,
  accountId: Uuid,
  { reason, revision, ...changes }: LimitsRequest,
): Promise<AccountLimitsOutcome> {
  return changeAccountLimits(db, accountId, changes, {
    check: (before) => checkRevision(revision, limitsRevision(before)),
    record: (tx, before, after) =>
      recordAction(tx, {
        ...actor,
        action: "account.limits",
        accountId,
        subject: null,
        reason,
        before,
        after,
      }),
  });
}
