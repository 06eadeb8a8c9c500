/** The operator's first page: what today brought, and what the operator should look at. */
import { countAccounts } from "../../accounts/blocks.store.ts";
import type { OperatorOverview } from "../../contract/panel/operator-overview.ts";
import type { Queryable } from "../../db/database.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { totalMoney } from "../../ledger/accounts.store.ts";
import { countTasks } from "../../tasks/counts.store.ts";
import { countParked } from "../../usage/receipts.store.ts";
import { moscowNow } from "../panel/account/spend.store.ts";
import { findDoubtfulTasks } from "../../serving/tasks/reconcile-tasks.store.ts";
import { readCircuits } from "./circuits.store.ts";
import { accountNames } from "./find-accounts.store.ts";
import { todayGroups } from "./overview.store.ts";
import { findLast } from "./verifications.store.ts";

const TOP = 5;

export async function readOperatorOverview(q: Queryable): Promise<OperatorOverview> {
  const { now, today } = await moscowNow(q);
  const [groups, money, accounts, tasks, doubtful, circuits, last, parkedReceipts] =
    await Promise.all([
      todayGroups(q, today, TOP),
      totalMoney(q),
      countAccounts(q),
      countTasks(q),
      findDoubtfulTasks(q),
      readCircuits(q),
      findLast(q),
      countParked(q),
    ]);
  const all = groups.find(({ grouped }) => grouped === "all");
  const byAccount = groups.filter(({ grouped }) => grouped === "account");
  const names = await accountNames(
    q,
    byAccount.flatMap(({ accountId }) => accountId ?? []),
  );
  const [requests, failed] = [Number(all?.ended ?? 0n), Number(all?.failed ?? 0n)];
  const routesIn = (state: number): string[] => [
    ...new Set(
      circuits.flatMap(({ routes }) =>
        Object.entries(routes).flatMap(([route, is]) => (is === state ? [route] : [])),
      ),
    ),
  ];
  return {
    at: now.toISOString(),
    today: {
      day: today,
      revenue: formatRoubles(all?.chargedNano ?? ZERO_NANO),
      requests,
      failed,
      errorRate: requests === 0 ? null : failed / requests,
      activeAccounts: Number(all?.active ?? 0n),
    },
    held: formatRoubles(money.heldNano),
    accounts,
    tasks: {
      living: [...tasks.byState.values()].reduce((sum, count) => sum + count, 0),
      doubtful: doubtful.length,
    },
    upstreams: { open: routesIn(2), resting: routesIn(1) },
    verifier: {
      state: last === null ? "never" : last.mismatchCount === 0 ? "ok" : "mismatch",
      finishedAt: last?.finishedAt?.toISOString() ?? null,
    },
    parkedReceipts,
    topAccounts: byAccount.map(({ accountId, chargedNano, ended }) => ({
      accountId: accountId ?? "",
      name: names.get(accountId ?? "") ?? "",
      revenue: formatRoubles(chargedNano),
      requests: Number(ended),
    })),
    topModels: groups
      .filter(({ grouped }) => grouped === "model")
      .map(({ model, chargedNano, ended }) => ({
        name: model ?? "",
        revenue: formatRoubles(chargedNano),
        requests: Number(ended),
      })),
  };
}
