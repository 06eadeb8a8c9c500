/** The figures of a day, or of its first hours, from what each hour brought and what came in. */
import type { DayFigures } from "../../contract/panel/operator-overview.ts";
import { formatRoubles, type Nano } from "../../kernel/money.ts";
import type { HourSum } from "./day-hours.store.ts";
import type { MoneyIn } from "./day-money.store.ts";

export function dayFigures(hours: readonly HourSum[], came: MoneyIn): DayFigures {
  const add = (of: (hour: HourSum) => bigint): bigint =>
    hours.reduce((total, hour) => total + of(hour), 0n);
  const revenue = add(({ chargedNano }) => chargedNano);
  const unknown = add(({ unknownChargedNano }) => unknownChargedNano);
  const cost = hours.some(({ costNano }) => costNano !== null)
    ? add(({ costNano }) => costNano ?? 0n)
    : null;
  const [requests, failed] = [
    Number(add(({ ended }) => ended)),
    Number(add((hour) => hour.failed)),
  ];
  return {
    revenue: roubles(revenue),
    cost: cost === null ? null : roubles(cost),
    unknownCostRevenue: roubles(unknown),
    margin: cost === null ? null : roubles(revenue - unknown - cost),
    loss: roubles(add(({ lossNano }) => lossNano)),
    requests,
    failed,
    errorRate: requests === 0 ? null : failed / requests,
    topUps: formatRoubles(came.paidNano),
    refunded: formatRoubles(came.refundedNano),
    topUpCount: Number(came.paidCount),
    given: formatRoubles(came.givenNano),
    newAccounts: Number(came.newAccounts),
    meanMs: mean(
      add(({ servedMs }) => servedMs),
      add(({ served }) => served),
    ),
    meanFirstMs: mean(
      add(({ firstMs }) => firstMs),
      add(({ firsts }) => firsts),
    ),
  };
}

function mean(sum: bigint, count: bigint): number | null {
  return count === 0n ? null : Number(sum) / Number(count);
}

function roubles(amount: bigint): string {
  return formatRoubles(amount as Nano);
}
