/**
 * Which settings of a key or a group a form was filled in from: its change is refused where another
 * came between, so that no change is lost without a word.
 */
import { createHash } from "node:crypto";
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import type { GroupRecord } from "../../../keys/groups.store.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import type { BudgetState } from "../../../ledger/budgets.store.ts";

type Limited = Pick<BudgetState, "limitNano" | "period"> | undefined;

/** Of 256 bits, as many as no two of one key's settings will share. */
const CHARACTERS = 22;

/** The same for the same settings, whatever was spent since. */
export function keyRevision(key: KeyRecord, budget: Limited): string {
  const { name, expiresAt, models, ips, groupId, ownerId = null } = key;
  const rates = rateLimitsOf(key);
  return digest([
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
  return digest([name, models, limitOf(budget)]);
}

/**
 * Asked while what it is of is locked. Throws Fault("conflict"); who names no revision changes what
 * there is.
 */
export function checkRevision(expected: string | undefined, now: string): void {
  if (expected !== undefined && expected !== now)
    throw new Fault("conflict", sayRefusal("changed_meanwhile"));
}

function limitOf(budget: Limited): readonly string[] | null {
  if (budget === undefined || budget.limitNano === null) return null;
  return [String(budget.limitNano), budget.period];
}

function digest(settings: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify(settings))
    .digest("base64url")
    .slice(0, CHARACTERS);
}
