/** What is wrong with the installation at this moment, of what operators are told. */
import type { OperatorAlertKind } from "../../contract/enums/operator-alert-kind.ts";
import type { Queryable } from "../../db/database.ts";
import { countParked } from "../../usage/receipts.store.ts";
import { hundredthsText } from "../operate/balance-view.ts";
import { readCircuits } from "../operate/circuits.store.ts";
import { keptSums, type MarginSum } from "../operate/margin.store.ts";
import { lowBalances } from "../operate/upstream-balances.store.ts";
import { countDue } from "../payments/due-payments.store.ts";

export interface Trouble {
  /** What it is about, the same as long as it lasts: a route, a day, an upstream; the kind itself for all else. */
  readonly subject: string;
  /** A figure for people: so many, or percent; null: there is none. */
  readonly figure: number | null;
  /** Of a balance: what is left, and what was asked to be. */
  readonly balance?: { readonly left: string; readonly below: string };
}

const OPEN = 2;
/** Moscow has no summer time. */
const MOSCOW_MS = 3 * 3_600_000;
const DAY_MS = 86_400_000;

/** By kind. `percent`: below which the margin of the last whole day is a trouble. */
export async function findTroubles(
  q: Queryable,
  { now, percent }: { readonly now: Date; readonly percent: number },
): Promise<Record<OperatorAlertKind, readonly Trouble[]>> {
  const parked = await countParked(q);
  const { late } = await countDue(q);
  const yesterday = new Date(now.getTime() + MOSCOW_MS - DAY_MS).toISOString().slice(0, 10);
  const margin = marginPercent(await keptSums(q, yesterday, yesterday));
  return {
    circuit_open: await openRoutes(q),
    receipts_parked: parked === 0 ? [] : [{ subject: "receipts_parked", figure: parked }],
    payments_late: late === 0 ? [] : [{ subject: "payments_late", figure: late }],
    margin_below:
      margin !== null && margin < percent ? [{ subject: yesterday, figure: margin }] : [],
    balance_below: (await lowBalances(q)).map(({ upstream, amount, currency, below }) => ({
      subject: upstream,
      figure: null,
      balance: { left: `${hundredthsText(amount)} ${currency}`, below: hundredthsText(below) },
    })),
  };
}

/** Open in any process. */
async function openRoutes(q: Queryable): Promise<Trouble[]> {
  const open = new Set<string>();
  for (const { routes } of await readCircuits(q))
    for (const [route, state] of Object.entries(routes)) if (state === OPEN) open.add(route);
  return [...open].toSorted().map((subject) => ({ subject, figure: null }));
}

/**
 * In whole percent, rounded down; of what has a known cost alone. Null: nothing was sold, or its day is
 * not summed up yet.
 */
export function marginPercent(
  sums: readonly Pick<MarginSum, "chargedNano" | "unknownChargedNano" | "costNano">[],
): number | null {
  let [sold, cost] = [0n, 0n];
  for (const { chargedNano, unknownChargedNano, costNano } of sums) {
    sold += chargedNano - unknownChargedNano;
    cost += costNano ?? 0n;
  }
  if (sold <= 0n) return null;
  const hundredfold = (sold - cost) * 100n;
  const whole = hundredfold / sold;
  return Number(hundredfold < 0n && hundredfold % sold !== 0n ? whole - 1n : whole);
}
