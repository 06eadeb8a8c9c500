/**
 * What an account used in a time: point by point, what the most of it went to, and against the same
 * length of time before.
 */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import { REQUEST_KINDS, type RequestKind } from "../../../contract/enums/request-kind.ts";
import type { UsagePartKind, UsageRange } from "../../../contract/enums/usage-range.ts";
import type { PanelKeyLimit } from "../../../contract/panel/panel-key.ts";
import type { PanelKeyName } from "../../../contract/panel/spend.ts";
import type { Usage, UsagePart, UsageSums } from "../../../contract/panel/usage.ts";
import { sayFieldRefusal, sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { Db, Queryable } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import { isUuid, type Uuid } from "../../../kernel/ids.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { budgetState } from "../../../ledger/budgets.store.ts";
import { isDay } from "./days.ts";
import { limitOf } from "./key-view.ts";
import { keyIdsOf } from "./key-scope.ts";
import { leadOf, planUsage, USAGE_DAYS_MAX, type UsagePlan, type UsageTime } from "./plan-usage.ts";
import { addUp, sumsView } from "./spend-view.ts";
import { moscowNow, readOneSnapshot } from "./spend.store.ts";
import { usageCells, type UsageCell, type UsageSum } from "./usage.store.ts";

export interface UsageWish {
  readonly range: UsageRange;
  /** YYYY-MM-DD, both or none; where they are given, `range` is not asked. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by: UsagePartKind;
  readonly keyHash: string | null;
  readonly model: string | null;
  readonly kind: RequestKind | null;
  /** Only of this member's keys; absent or null: of all. */
  readonly ownerId?: Uuid | null;
}

/**
 * In one snapshot. Throws Fault("invalid_request") on days that cannot be, Fault("not_found") for a
 * key that is not the account's.
 */
export async function readUsage(
  db: Pick<Db, "transaction">,
  accountId: Uuid,
  wish: UsageWish,
): Promise<Usage> {
  const time = timeOf(wish);
  return db.transaction(async (q) => {
    await readOneSnapshot(q);
    const clock = await moscowNow(q);
    const plan = planUsage(time, clock);
    if (plan === null)
      throw new Fault("invalid_request", {
        ...sayRefusal("days_expected", { limit: USAGE_DAYS_MAX }),
        param: "from",
      });
    const { by, keyHash, model, kind, ownerId = null } = wish;
    const cells = await usageCells(q, plan, {
      accountId,
      by,
      keyIds: await keyIdsOf(q, { accountId, ownerId }, keyHash),
      model,
      kind,
    });
    return usageView(q, { plan, cells, by, asOf: clock.now });
  });
}

function timeOf({ range, from, to }: UsageWish): UsageTime {
  if (from === null && to === null) return { range };
  for (const [param, day] of [
    ["from", from],
    ["to", to],
  ] as const)
    if (day === null || !isDay(day))
      throw new Fault("invalid_request", sayFieldRefusal(param, "no_day"));
  return { from: from ?? "", to: to ?? "" };
}

interface Found {
  readonly plan: UsagePlan;
  readonly cells: readonly UsageCell[];
  readonly by: UsagePartKind;
  readonly asOf: Date;
}

async function usageView(q: Queryable, { plan, cells, by, asOf }: Found): Promise<Usage> {
  const { grain, points, before, over } = plan;
  const byPoint = Map.groupBy(cells, ({ at }) => at);
  const at = (point: string): readonly UsageCell[] => byPoint.get(point) ?? [];
  const within = points.flatMap(at);
  const chargedAt = (part: string | null): string[] =>
    points.map((point) =>
      formatRoubles(addUp(at(point).filter((cell) => cell.part === part)).chargedNano),
    );
  const parts = await partsOf(q, by, within, chargedAt);
  const [partCount = 0] = cells.map((cell) => Number(cell.parts));
  return {
    asOf: asOf.toISOString(),
    grain,
    currency: CURRENCY,
    by,
    total: usageSums(within),
    compared:
      over === 0
        ? null
        : {
            now: usageSums(points.slice(0, over).flatMap(at)),
            before: usageSums(before.slice(0, over).flatMap(at)),
          },
    points: points.map((point, index) => ({
      at: point,
      partial: index === over,
      sums: usageSums(at(point)),
    })),
    lead: leadOf(plan).map((point) => ({
      at: point,
      partial: false,
      sums: usageSums(at(point)),
    })),
    parts,
    others: Math.max(0, partCount - parts.length),
    rest: chargedAt(null),
  };
}

/** The dearest first. */
async function partsOf(
  q: Queryable,
  by: UsagePartKind,
  within: readonly UsageCell[],
  chargedAt: (part: string) => string[],
): Promise<UsagePart[]> {
  const cellsOf = Map.groupBy(within, ({ part }) => part);
  const sums = [...cellsOf]
    .flatMap(([part, cells]) => (part === null ? [] : [{ part, sum: addUp(cells) }]))
    .toSorted((a, b) => (a.sum.chargedNano < b.sum.chargedNano ? 1 : -1));
  const keyIds = by === "key" ? sums.map(({ part }) => part).filter(isUuid) : [];
  const names = await findKeyNames(q, keyIds);
  const limits = await limitsOf(q, keyIds);
  return sums.map(({ part, sum }) => ({
    ...namedPart(by, part, names),
    charged: formatRoubles(sum.chargedNano),
    requests: Number(sum.requests + sum.tasks),
    points: chargedAt(part),
    limit: limits.get(part) ?? null,
  }));
}

function namedPart(
  by: UsagePartKind,
  part: string,
  names: ReadonlyMap<string, PanelKeyName>,
): Pick<UsagePart, "key" | "model" | "kind"> {
  return {
    key: by === "key" ? (names.get(part) ?? null) : null,
    model: by === "model" ? part : null,
    kind: by === "kind" ? (REQUEST_KINDS.find((kind) => kind === part) ?? null) : null,
  };
}

async function limitsOf(
  q: Queryable,
  keyIds: readonly Uuid[],
): Promise<ReadonlyMap<string, PanelKeyLimit | null>> {
  if (keyIds.length === 0) return new Map();
  const budgets = await budgetState(q, keyIds);
  return new Map([...budgets].map(([keyId, budget]) => [keyId, limitOf(budget)]));
}

/** With the means, where every one of the sums has what they are made of. */
export function usageSums(sums: readonly UsageSum[]): UsageSums {
  const all = addUp(sums);
  const total = (figure: (sum: UsageSum) => bigint | null): bigint | null =>
    sums.reduce<bigint | null>((known, sum) => {
      const more = figure(sum);
      return known === null || more === null ? null : known + more;
    }, 0n);
  return {
    ...sumsView(all),
    durationMs: meanOf(
      total(({ lastedMs }) => lastedMs),
      all.requests,
    ),
    timeToFirstTokenMs: meanOf(
      total(({ firstMs }) => firstMs),
      total(({ firsts }) => firsts),
    ),
  };
}

/** Null: of nothing, or of what is not known. In whole milliseconds. */
export function meanOf(sum: bigint | null, count: bigint | null): number | null {
  if (sum === null || count === null || count === 0n) return null;
  return Number(sum / count);
}
