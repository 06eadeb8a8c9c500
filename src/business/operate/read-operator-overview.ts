/** The operator's first page: what today brought, and what the operator should look at. */
import { countAccounts } from "../../accounts/blocks.store.ts";
import { compareMargins } from "../../catalogue/compare-margins.ts";
import type { CurrentCatalogue } from "../../catalogue/live-catalogue.ts";
import { judgeErrors } from "../../contract/operator/upstream-judgement.ts";
import type { OperatorOverview } from "../../contract/panel/operator-overview.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import { balances, totalMoney } from "../../ledger/accounts.store.ts";
import { countTasks } from "../../tasks/counts.store.ts";
import { countParked } from "../../usage/receipts.store.ts";
import { moscowNow } from "../panel/account/spend.store.ts";
import { countDue, countUnmatched } from "../payments/due-payments.store.ts";
import { firstIdAt } from "../requests/first-id-at.ts";
import { findDoubtfulTasks } from "../../serving/tasks/reconcile-tasks.store.ts";
import { readCircuits } from "./circuits.store.ts";
import { dayFigures } from "./day-figures.ts";
import { chargedInHours, hourSums, type HourSum } from "./day-hours.store.ts";
import { moneyIn } from "./day-money.store.ts";
import { accountNames } from "./find-accounts.store.ts";
import { percentilesOf, todayGroups, type TodayGroup } from "./overview.store.ts";
import { newestFrom } from "./request-hours.store.ts";
import { routesOut } from "./routes-out.store.ts";
import { chatFigures } from "./upstreams.store.ts";
import { findLast } from "./verifications.store.ts";

export interface OverviewDeps {
  readonly db: Queryable;
  readonly catalogue: { current(): CurrentCatalogue };
}

const TOP = 5;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK = 7;
/** Moscow has had no other since 2014. */
const MOSCOW_MIDNIGHT = "T00:00:00+03:00";
/** Enough to tell how fast answers are, and read in a moment. */
const MOST_MEASURED = 5_000;
const FAILING_MS = 15 * 60_000;
const UNMATCHED_DAYS = 14;

export async function readOperatorOverview({
  db,
  catalogue,
}: OverviewDeps): Promise<OperatorOverview> {
  const { now, today } = await moscowNow(db);
  const midnight = Date.parse(`${today}${MOSCOW_MIDNIGHT}`);
  const [day, money, accounts, tasks, doubtful, upstreams, payments, last, parkedReceipts] =
    await Promise.all([
      readDay(db, { now, today, midnight }),
      totalMoney(db),
      countAccounts(db),
      countTasks(db),
      findDoubtfulTasks(db),
      readTroubles(db, now),
      Promise.all([countUnmatched(db, UNMATCHED_DAYS), countDue(db)]),
      findLast(db),
      countParked(db),
    ]);
  const [unmatched, { late }] = payments;
  const losing = compareMargins(null, catalogue.current().catalogue).filter(
    ({ belowCost }) => belowCost,
  );
  return {
    at: now.toISOString(),
    day: today,
    ...day,
    liabilities: {
      balance: formatRoubles(money.balanceNano),
      held: formatRoubles(money.heldNano),
    },
    accounts,
    tasks: {
      living: [...tasks.byState.values()].reduce((sum, count) => sum + count, 0),
      doubtful: doubtful.length,
    },
    upstreams,
    payments: { unmatched, late },
    belowCost: [...new Set(losing.map(({ model }) => model))],
    verifier: {
      state: last === null ? "never" : last.mismatchCount === 0 ? "ok" : "mismatch",
      finishedAt: last?.finishedAt?.toISOString() ?? null,
    },
    parkedReceipts,
  };
}

type Day = Pick<
  OperatorOverview,
  "today" | "compared" | "hours" | "latency" | "topAccounts" | "topModels"
>;

interface Moment {
  readonly now: Date;
  /** Of Moscow. */
  readonly today: string;
  readonly midnight: number;
}

async function readDay(q: Queryable, { now, today, midnight }: Moment): Promise<Day> {
  const hours = Math.floor((now.getTime() - midnight) / HOUR_MS);
  const span = (daysBack: number, until = midnight + hours * HOUR_MS) => ({
    from: new Date(midnight - daysBack * DAY_MS),
    to: new Date(until - daysBack * DAY_MS),
  });
  const start = await newestFrom(q, firstIdAt(new Date(midnight)), MOST_MEASURED);
  const [sums, groups, soFar, same, yesterday, weekAgo, measured] = await Promise.all([
    hourSums(q, today),
    todayGroups(q, today, TOP),
    moneyIn(q, span(0, now.getTime())),
    moneyIn(q, span(0)),
    moneyIn(q, span(1)),
    moneyIn(q, span(WEEK)),
    percentilesOf(q, start, MOST_MEASURED),
  ]);
  const first = (daysBack: number): HourSum[] =>
    sums.filter((sum) => sum.daysBack === daysBack && sum.hour < hours);
  const charged = (daysBack: number, hour: number): string =>
    formatRoubles(
      sums.find((sum) => sum.daysBack === daysBack && sum.hour === hour)?.chargedNano ?? ZERO_NANO,
    );
  const ofToday = sums.filter(({ daysBack }) => daysBack === 0);
  const active = groups.find(({ grouped }) => grouped === "all")?.active ?? 0n;
  return {
    today: { ...dayFigures(ofToday, soFar), activeAccounts: Number(active) },
    compared:
      hours === 0
        ? null
        : {
            hours,
            today: dayFigures(first(0), same),
            yesterday: dayFigures(first(1), yesterday),
            weekAgo: dayFigures(first(WEEK), weekAgo),
          },
    hours: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      today: hour > hours ? null : charged(0, hour),
      yesterday: charged(1, hour),
      weekAgo: charged(WEEK, hour),
    })),
    latency: {
      requests: Number(measured.requests),
      whole: percentiles(measured.whole),
      firstContent: percentiles(measured.firstContent),
    },
    topAccounts: await topAccounts(q, groups, { today: span(0), yesterday: span(1) }),
    topModels: groups
      .filter(({ grouped }) => grouped === "model")
      .map(({ model, chargedNano, ended, costNano, unknownChargedNano }) => ({
        name: model ?? "",
        revenue: formatRoubles(chargedNano),
        requests: Number(ended),
        unknownCostRevenue: formatRoubles(unknownChargedNano),
        margin:
          costNano === null
            ? null
            : formatRoubles((chargedNano - unknownChargedNano - costNano) as Nano),
      })),
  };
}

async function topAccounts(
  q: Queryable,
  groups: readonly TodayGroup[],
  spans: Readonly<Record<"today" | "yesterday", { readonly from: Date; readonly to: Date }>>,
): Promise<OperatorOverview["topAccounts"]> {
  const top = groups.filter(({ grouped }) => grouped === "account");
  const ids = top.flatMap(({ accountId }) => accountId ?? []);
  const [names, money, today, yesterday] = await Promise.all([
    accountNames(q, ids),
    balances(q, ids),
    chargedInHours(q, ids, spans.today),
    chargedInHours(q, ids, spans.yesterday),
  ]);
  const of = (sums: ReadonlyMap<Uuid, Nano>, accountId: Uuid): string =>
    formatRoubles(sums.get(accountId) ?? ZERO_NANO);
  return top.map(({ accountId, chargedNano, ended }) => {
    const id = accountId ?? "";
    return {
      accountId: id,
      name: names.get(id) ?? "",
      revenue: formatRoubles(chargedNano),
      requests: Number(ended),
      available: formatRoubles(money.get(id)?.availableNano ?? ZERO_NANO),
      sameHours: { today: of(today, id), yesterday: of(yesterday, id) },
    };
  });
}

async function readTroubles(q: Queryable, now: Date): Promise<OperatorOverview["upstreams"]> {
  const from = firstIdAt(new Date(now.getTime() - FAILING_MS));
  const start = await newestFrom(q, from, MOST_MEASURED);
  const [circuits, figures, out] = await Promise.all([
    readCircuits(q),
    chatFigures(q, start, MOST_MEASURED),
    routesOut(q),
  ]);
  const routesIn = (state: number): string[] => [
    ...new Set(
      circuits.flatMap(({ routes }) =>
        Object.entries(routes).flatMap(([route, is]) => (is === state ? [route] : [])),
      ),
    ),
  ];
  const failing = figures.flatMap(({ upstream, upstreamModel, served, failed }) => {
    const figure = { upstream, calls: Number(served + failed), failed: Number(failed) };
    const isBad = upstreamModel === null && judgeErrors(figure.calls, figure.failed) === "bad";
    return isBad ? [figure] : [];
  });
  return {
    open: routesIn(2),
    resting: routesIn(1),
    failing: failing.toSorted((a, b) => b.failed / b.calls - a.failed / a.calls),
    out: out.map(({ upstream, upstreamModel }) =>
      upstreamModel === null ? upstream : `${upstream}/${upstreamModel}`,
    ),
  };
}

function percentiles(values: readonly number[] | null): OperatorOverview["latency"]["whole"] {
  const [p50Ms = null, p95Ms = null] = values ?? [];
  return { p50Ms, p95Ms };
}
