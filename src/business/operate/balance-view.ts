/** What operators are shown of the balance with a provider. */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { UpstreamBalance } from "../../contract/panel/operator-upstreams.ts";
import { formatRoubles, nano } from "../../kernel/money.ts";
import { billionthsOf } from "../../protocol/json/decimal-of.ts";
import { lastsDays } from "./balance-trend.ts";
import type { StoredBalance } from "./upstream-balances.store.ts";

/** Hundredths are enough of what is left. */
const HUNDREDTH = 10_000_000n;

/** Decimal, rounded down to hundredths: `74.5`. */
export function hundredthsText(amount: bigint): string {
  const cut =
    (amount / HUNDREDTH - (amount < 0n && amount % HUNDREDTH !== 0n ? 1n : 0n)) * HUNDREDTH;
  return formatRoubles(nano(cut));
}

/** Null: its provider is not asked. */
export function balanceView(
  { name, balance }: Pick<UpstreamConfig, "name" | "balance">,
  stored: readonly StoredBalance[],
): UpstreamBalance | null {
  if (balance === undefined) return null;
  const found = stored.find(({ upstream }) => upstream === name);
  const { reportedAt = null, amount = null, currency = null } = found ?? {};
  const below = balance.alertBelow === undefined ? null : billionthsOf(balance.alertBelow);
  return {
    kind: balance.kind,
    amount: amount === null ? null : hundredthsText(amount),
    currency,
    reportedAt: reportedAt?.toISOString() ?? null,
    below: below === null ? null : hundredthsText(below),
    low: amount !== null && below !== null && amount < below,
    lastsDays:
      found === undefined || reportedAt === null || amount === null
        ? null
        : lastsDays(found.samples, { at: reportedAt, amount }),
    failure: found?.failure ?? null,
    failureStatus: found?.failureStatus ?? null,
  };
}
