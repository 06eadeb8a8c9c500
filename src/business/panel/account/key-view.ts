/** API keys as the panel shows them: with what was spent by each, and what its limit leaves. */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { PanelKey, PanelKeyLimit } from "../../../contract/panel/panel-key.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO } from "../../../kernel/money.ts";
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { findGroupNames } from "../../../keys/groups.store.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { ownersOfKeys } from "../../../keys/owners.store.ts";
import { budgetState, type BudgetState } from "../../../ledger/budgets.store.ts";
import { ownerNames } from "./owner-names.ts";
import { keyRevision } from "./revision.ts";
import { keysSpend, moscowNow, type KeySpend } from "./spend.store.ts";

/** All of one account, in the order given. */
export async function keyViews(
  q: Queryable,
  clock: Clock,
  accountId: Uuid,
  keys: readonly KeyRecord[],
): Promise<PanelKey[]> {
  if (keys.length === 0) return [];
  const { today } = await moscowNow(q);
  const budgets = await budgetState(
    q,
    keys.map(({ keyId }) => keyId),
  );
  const spend = await keysSpend(q, accountId, { monthStart: `${today.slice(0, 8)}01`, today });
  const heirIds = keys.flatMap(({ rolledTo }) => rolledTo ?? []);
  const heirs = await findKeyNames(q, heirIds);
  const heirOwners = await ownersOfKeys(q, accountId, heirIds);
  const groups = await findGroupNames(
    q,
    keys.flatMap(({ groupId }) => groupId ?? []),
  );
  const owners = await ownerNames(
    q,
    accountId,
    keys.map(({ ownerId = null }) => ownerId),
  );
  return keys.map((key) => {
    return {
      hash: key.hash,
      mask: key.mask,
      name: key.name,
      state: stateOf(key, clock.now()),
      createdAt: key.createdAt.toISOString(),
      expiresAt: timeOf(key.expiresAt),
      frozenAt: timeOf(key.frozenAt),
      deletedAt: timeOf(key.deletedAt),
      lastUsedAt: timeOf(key.lastUsedAt),
      models: key.models === null ? null : [...key.models],
      ips: key.ips === null ? null : [...key.ips],
      ...rateLimitsOf(key),
      ...moneyOf(budgets.get(key.keyId), spend.get(key.keyId)),
      revision: keyRevision(key, budgets.get(key.keyId)),
      owner: owners.get(key.ownerId ?? "") ?? null,
      group: key.groupId === null ? null : nameOf(key.groupId, groups),
      // One that was given away since is hidden from a developer who has the old one.
      rolledTo:
        (heirOwners.get(key.rolledTo ?? "") ?? null) === (key.ownerId ?? null)
          ? (heirs.get(key.rolledTo ?? "")?.hash ?? null)
          : null,
    };
  });
}

export async function keyView(q: Queryable, clock: Clock, key: KeyRecord): Promise<PanelKey> {
  const [view] = await keyViews(q, clock, key.accountId, [key]);
  return view as PanelKey;
}

function nameOf(id: Uuid, names: ReadonlyMap<Uuid, string>): PanelKey["group"] {
  return { id, name: names.get(id) ?? "" };
}

function stateOf(key: KeyRecord, now: Date): PanelKey["state"] {
  if (key.deletedAt !== null) return "deleted";
  if ((key.frozenAt ?? null) !== null) return "frozen";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

function timeOf(moment: Date | null | undefined): string | null {
  return moment?.toISOString() ?? null;
}

/** Of a key or a group: what was spent in its budget, what is held, and what its limit leaves. */
export function moneyOf(
  budget: BudgetState | undefined,
  spent: Pick<KeySpend, "todayNano" | "monthNano"> | undefined,
): Pick<PanelKey, "currency" | "spentToday" | "spentMonth" | "spentTotal" | "held" | "limit"> {
  return {
    currency: CURRENCY,
    spentToday: formatRoubles(spent?.todayNano ?? ZERO_NANO),
    spentMonth: formatRoubles(spent?.monthNano ?? ZERO_NANO),
    spentTotal: formatRoubles(budget?.chargedNano ?? ZERO_NANO),
    held: formatRoubles(budget?.heldNano ?? ZERO_NANO),
    limit: budget === undefined ? null : limitOf(budget),
  };
}

/** Null: it has none. */
export function limitOf({
  limitNano,
  availableNano,
  period,
  periodChargedNano,
  nextPeriodStart,
}: BudgetState): PanelKeyLimit | null {
  if (limitNano === null || availableNano === null) return null;
  return {
    amount: formatRoubles(limitNano),
    period,
    spent: formatRoubles(periodChargedNano),
    remaining: formatRoubles(availableNano),
    resetsAt: timeOf(nextPeriodStart),
  };
}
