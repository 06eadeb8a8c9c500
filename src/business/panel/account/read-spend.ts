/** What an account spent in some days, by day, by key, by model, by group or by member. */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { SpendGrouping } from "../../../contract/enums/spend-grouping.ts";
import { sayFieldRefusal, sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { Spend, SpendRow } from "../../../contract/panel/spend.ts";
import type { Queryable } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { findGroupNames } from "../../../keys/groups.store.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { ownersOfKeys } from "../../../keys/owners.store.ts";
import { dayBefore, daysBetween, isDay } from "./days.ts";
import { keyIdsOf } from "./key-scope.ts";
import { ownerNames } from "./owner-names.ts";
import { addUp, byCharge, sumsView } from "./spend-view.ts";
import { moscowNow, spendGroups, type SpendGroup } from "./spend.store.ts";

export interface SpendRequest {
  /** YYYY-MM-DD; null for the last 30 days. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by: SpendGrouping;
  readonly keyHash: string | null;
  readonly model: string | null;
  /** Only of this member's keys; absent or null: of all. */
  readonly ownerId?: Uuid | null;
}

/** Of what a row is not the sum of. */
const NOTHING = { day: null, key: null, model: null, group: null, member: null };
const DEFAULT_DAYS = 30;
const MOST_DAYS = 366;

/**
 * Throws Fault("invalid_request") on days that cannot be, Fault("not_found") for a key that is not
 * the account's.
 */
export async function readSpend(
  q: Queryable,
  accountId: Uuid,
  request: SpendRequest,
): Promise<Spend> {
  const to = readDay("to", request.to) ?? (await moscowNow(q)).today;
  const from = readDay("from", request.from) ?? dayBefore(to, DEFAULT_DAYS - 1);
  const days = from > dayBefore(to, MOST_DAYS) ? daysBetween(from, to) : [];
  if (days.length === 0) {
    throw new Fault("invalid_request", {
      ...sayRefusal("days_expected", { limit: MOST_DAYS }),
      param: "from",
    });
  }
  const { by, model, keyHash, ownerId = null } = request;
  const keyIds = await keyIdsOf(q, { accountId, ownerId }, keyHash);
  // Hours and days name no member: it is who owns the key now.
  const summed = by === "member" ? "key" : by;
  const groups = await spendGroups(q, { accountId, from, to, keyIds, model }, summed);
  return {
    from,
    to,
    by,
    currency: CURRENCY,
    total: sumsView(addUp(groups)),
    rows:
      by === "member" ? await memberRows(q, accountId, groups) : await rowsOf(q, by, days, groups),
  };
}

async function rowsOf(
  q: Queryable,
  by: Exclude<SpendRequest["by"], "member">,
  days: readonly string[],
  groups: SpendGroup[],
): Promise<SpendRow[]> {
  if (by === "day") return dayRows(days, groups);
  groups.sort(byCharge);
  if (by === "model")
    return groups.map((group) => ({ ...NOTHING, model: group.model, ...sumsView(group) }));
  if (by === "group") return groupRows(q, groups);
  const names = await findKeyNames(
    q,
    groups.flatMap(({ keyId }) => keyId ?? []),
  );
  return groups.map((group) => ({
    ...NOTHING,
    key: names.get(group.keyId ?? "") ?? null,
    ...sumsView(group),
  }));
}

async function groupRows(q: Queryable, groups: readonly SpendGroup[]): Promise<SpendRow[]> {
  const names = await findGroupNames(
    q,
    groups.flatMap(({ groupId }) => groupId ?? []),
  );
  return groups.map(({ groupId, ...sums }) => ({
    ...NOTHING,
    group: groupId === null ? null : { id: groupId, name: names.get(groupId) ?? "" },
    ...sumsView(sums),
  }));
}

/** The sums of keys, put together by their owners: to the nano-rouble what the keys spent. */
async function memberRows(
  q: Queryable,
  accountId: Uuid,
  groups: readonly SpendGroup[],
): Promise<SpendRow[]> {
  const owners = await ownersOfKeys(
    q,
    accountId,
    groups.flatMap(({ keyId }) => keyId ?? []),
  );
  const byOwner = Map.groupBy(groups, ({ keyId }) => owners.get(keyId ?? "") ?? null);
  const names = await ownerNames(q, accountId, [...byOwner.keys()]);
  return [...byOwner]
    .map(([ownerId, sums]) => ({ ownerId, sum: addUp(sums) }))
    .toSorted((a, b) => byCharge(a.sum, b.sum))
    .map(({ ownerId, sum }) => ({
      ...NOTHING,
      member: ownerId === null ? null : (names.get(ownerId) ?? null),
      ...sumsView(sum),
    }));
}

/** Every day, those without a request too. */
export function dayRows(days: readonly string[], groups: readonly SpendGroup[]): SpendRow[] {
  const byDay = new Map(groups.map((group) => [group.day, group]));
  return days.map((day) => ({
    ...NOTHING,
    day,
    ...sumsView(byDay.get(day) ?? addUp([])),
  }));
}

function readDay(param: string, text: string | null): string | null {
  if (text !== null && !isDay(text))
    throw new Fault("invalid_request", sayFieldRefusal(param, "no_day"));
  return text;
}
