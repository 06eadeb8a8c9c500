/**
 * Revenue, cost and margin by day, model or upstream. An unknown cost is shown as such, never as
 * free.
 */
import { sayFieldRefusal, sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MarginFigures, MarginReport } from "../../contract/panel/operator-margin.ts";
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { formatRoubles, type Nano } from "../../kernel/money.ts";
import { MARGIN_DAYS } from "./keep-margins.ts";
import { daysToSum, keptSums, sumDay, type MarginSum } from "./margin.store.ts";

export interface MarginQuery {
  /** Days of Moscow, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  readonly by: MarginReport["by"];
}

const DAY_MS = 86_400_000;

/** Throws Fault("invalid_request") on days that cannot be. */
export async function readMargin(q: Queryable, query: MarginQuery): Promise<MarginReport> {
  const { from, to, by } = query;
  const days = (readDay(to, "to") - readDay(from, "from")) / DAY_MS + 1;
  if (days < 1 || days > MARGIN_DAYS) {
    throw new Fault("invalid_request", {
      ...sayRefusal("days_expected", { limit: MARGIN_DAYS }),
      param: "to",
    });
  }
  const live = new Map<string, MarginSum[]>();
  for (const { day } of await daysToSum(q, from, to)) live.set(day, await sumDay(q, day));
  // A day may have been kept meanwhile.
  const kept = (await keptSums(q, from, to)).filter(({ day }) => !live.has(day));
  const sums = [...kept, ...[...live.values()].flat()];
  const groups = Map.groupBy(sums, (sum) => sum[by]);
  const rows = [...groups].map(([name, group]) => ({
    sum: addUp(group),
    name: name === "" ? null : name,
  }));
  const order =
    by === "day"
      ? (a: Row, b: Row) => compare(a.name ?? "", b.name ?? "")
      : (a: Row, b: Row) => compare(b.sum.charged, a.sum.charged);
  return {
    from,
    to,
    by,
    rows: rows.toSorted(order).map(({ name, sum }) => ({ name, ...figures(sum) })),
    total: figures(addUp(sums)),
  };
}

interface Totals {
  readonly requests: bigint;
  readonly charged: bigint;
  readonly cost: bigint | null;
  readonly unknownRequests: bigint;
  readonly unknownCharged: bigint;
  readonly loss: bigint;
}

interface Row {
  readonly name: string | null;
  readonly sum: Totals;
}

function addUp(sums: readonly MarginSum[]): Totals {
  const add = (of: (sum: MarginSum) => bigint): bigint =>
    sums.reduce((total, sum) => total + of(sum), 0n);
  return {
    requests: add((sum) => sum.requests),
    charged: add((sum) => sum.chargedNano),
    cost: sums.some(({ costNano }) => costNano !== null) ? add((sum) => sum.costNano ?? 0n) : null,
    unknownRequests: add((sum) => sum.unknownRequests),
    unknownCharged: add((sum) => sum.unknownChargedNano),
    loss: add((sum) => sum.lossNano),
  };
}

function figures({
  requests,
  charged,
  cost,
  unknownRequests,
  unknownCharged,
  loss,
}: Totals): MarginFigures {
  return {
    requests: Number(requests),
    revenue: roubles(charged),
    cost: cost === null ? null : roubles(cost),
    unknownCostRequests: Number(unknownRequests),
    unknownCostRevenue: roubles(unknownCharged),
    margin: cost === null ? null : roubles(charged - unknownCharged - cost),
    loss: roubles(loss),
  };
}

function roubles(amount: bigint): string {
  return formatRoubles(amount as Nano);
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function readDay(text: string, param: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // 30 February is read as a day in March.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return time;
  throw new Fault("invalid_request", sayFieldRefusal(param, "no_day"));
}
