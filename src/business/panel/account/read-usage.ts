/**
 * What an account used in a time: point by point, what the most of it went to, and against the same
 * length of time before.
 */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import { REQUEST_KINDS, type RequestKind } from "../../../contract/enums/request-kind.ts";
import {
  ADDED_FIGURES,
  type UsageFigure,
  type UsagePartKind,
  type UsageRange,
} from "../../../contract/enums/usage-range.ts";
import type { PanelKeyLimit } from "../../../contract/panel/panel-key.ts";
import type { Usage, UsagePart, UsageSums } from "../../../contract/panel/usage.ts";
import { sayFieldRefusal, sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { Db, Queryable } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import { isUuid, type Uuid } from "../../../kernel/ids.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import { findGroupNames } from "../../../keys/groups.store.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { budgetState } from "../../../ledger/budgets.store.ts";
import { isDay } from "./days.ts";
import { limitOf } from "./key-view.ts";
import { keyIdsOf } from "./key-scope.ts";
import { ownerNames } from "./owner-names.ts";
import { leadOf, planUsage, USAGE_DAYS_MAX, type UsagePlan, type UsageTime } from "./plan-usage.ts";
import { addUp, sumsView } from "./spend-view.ts";
import { moscowNow, readOneSnapshot, type SpendSum } from "./spend.store.ts";
import { usageCells, type UsageCell, type UsageSum } from "./usage.store.ts";

export interface UsageWish {
  readonly range: UsageRange;
  /** YYYY-MM-DD, both or none; where they are given, `range` is not asked. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by: UsagePartKind;
  readonly figure: UsageFigure;
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
    const { by, figure, keyHash, model, kind, ownerId = null } = wish;
    const cells = await usageCells(q, plan, {
      accountId,
      by,
      figure,
      keyIds: await keyIdsOf(q, { accountId, ownerId }, keyHash),
      model,
      kind,
    });
    return usageView(q, { accountId, plan, cells, by, figure, asOf: clock.now });
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
  readonly accountId: Uuid;
  readonly plan: UsagePlan;
  readonly cells: readonly UsageCell[];
  readonly by: UsagePartKind;
  readonly figure: UsageFigure;
  readonly asOf: Date;
}

async function usageView(q: Queryable, found: Found): Promise<Usage> {
  const { plan, cells, by, figure, asOf } = found;
  const { grain, points, before, over } = plan;
  const byPoint = Map.groupBy(cells, ({ at }) => at);
  const at = (point: string): readonly UsageCell[] => byPoint.get(point) ?? [];
  const within = points.flatMap(at);
  const added = ADDED_FIGURES.find((one) => one === figure);
  const pointsOf = (part: string | null): string[] =>
    added === undefined
      ? []
      : points.map((point) =>
          figureText(
            added,
            at(point).filter((cell) => cell.part === part),
          ),
        );
  const parts = await partsOf(q, found, within, pointsOf);
  const [partCount = 0] = cells.map((cell) => Number(cell.parts));
  return {
    asOf: asOf.toISOString(),
    grain,
    currency: CURRENCY,
    by,
    figure,
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
    rest: pointsOf(null),
  };
}

/** Exact: roubles, or how many. */
function figureText(figure: (typeof ADDED_FIGURES)[number], cells: readonly UsageCell[]): string {
  const sum = addUp(cells);
  return figure === "spent" ? formatRoubles(sum.chargedNano) : String(weightOf(figure, sum));
}

/** By which those are chosen that are named, as the statement does. */
function weightOf(figure: UsageFigure, sum: SpendSum): bigint {
  const { chargedNano, requests, tasks, failed, inputTokens, outputTokens } = sum;
  if (figure === "spent") return chargedNano;
  if (figure === "tokens") return inputTokens + outputTokens;
  if (figure === "errors") return failed;
  if (figure === "cache") return inputTokens;
  return figure === "requests" ? requests + tasks : requests;
}

/** Those with most first. */
async function partsOf(
  q: Queryable,
  { accountId, by, figure }: Found,
  within: readonly UsageCell[],
  pointsOf: (part: string) => string[],
): Promise<UsagePart[]> {
  const cellsOf = Map.groupBy(within, ({ part }) => part);
  const sums = [...cellsOf]
    .flatMap(([part, cells]) =>
      part === null ? [] : [{ part, cells, weight: weightOf(figure, addUp(cells)) }],
    )
    .toSorted((a, b) => (a.weight < b.weight ? 1 : -1));
  const named = await namesOf(
    q,
    { accountId, by },
    sums.map(({ part }) => part),
  );
  const limits = await limitsOf(q, by === "key" ? sums.map(({ part }) => part).filter(isUuid) : []);
  return sums.map(({ part, cells }) => ({
    ...NO_NAME,
    ...named(part),
    sums: usageSums(cells),
    points: pointsOf(part),
    limit: limits.get(part) ?? null,
  }));
}

type PartName = Pick<UsagePart, "key" | "member" | "group" | "model" | "kind">;
const NO_NAME: PartName = { key: null, member: null, group: null, model: null, kind: null };

/** How each of the parts is called. */
async function namesOf(
  q: Queryable,
  { accountId, by }: Pick<Found, "accountId" | "by">,
  parts: readonly string[],
): Promise<(part: string) => Partial<PartName>> {
  if (by === "model") return (model) => ({ model });
  if (by === "kind")
    return (part) => ({ kind: REQUEST_KINDS.find((kind) => kind === part) ?? null });
  const ids = parts.filter(isUuid);
  if (by === "member") {
    const names = await ownerNames(q, accountId, ids);
    return (part) => ({ member: names.get(part) ?? null });
  }
  if (by === "group") {
    const names = await findGroupNames(q, ids);
    return (id) => ({ group: isUuid(id) ? { id, name: names.get(id) ?? "" } : null });
  }
  const names = await findKeyNames(q, ids);
  return (part) => ({ key: names.get(part) ?? null });
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
