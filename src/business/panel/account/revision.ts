/** Which settings of a key or a group a form was filled in from. */
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import type { GroupRecord } from "../../../keys/groups.store.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import type { BudgetState } from "../../../ledger/budgets.store.ts";
import { revisionOf } from "../../revision.ts";

type Limited = Pick<BudgetState, "limitNano" | "period"> | undefined;

/** The same for the same settings, whatever was spent since. */
export function keyRevision(key: KeyRecord, budget: Limited): string {
  const { name, expiresAt, models, ips, groupId, ownerId = null } = key;
  const rates = rateLimitsOf(key);
  return revisionOf([
    name,
    expiresAt,
    models,
    ips,
    groupId,
    ownerId,
    rates.requestsPerMinute,
    rates.tokensPerMinute,
    rates.maxConcurrent,
    rates.maxTasks,
    limitOf(budget),
  ]);
}

export function groupRevision(
  { name, models }: Pick<GroupRecord, "name" | "models">,
  budget: Limited,
): string {
  return revisionOf([name, models, limitOf(budget)]);
}

function limitOf(budget: Limited): readonly string[] | null {
  if (budget === undefined || budget.limitNano === null) return null;
  return [String(budget.limitNano), budget.period];
}
