/** Sums of spend as the panel's pages show them. */
import type { SpendSums } from "../../../contract/panel/spend.ts";
import { formatRoubles, type Nano } from "../../../kernel/money.ts";
import type { SpendSum } from "./spend.store.ts";

export function sumsView(sum: SpendSum): SpendSums {
  return {
    charged: formatRoubles(sum.chargedNano),
    requests: Number(sum.requests),
    tasks: Number(sum.tasks),
    errors: Number(sum.failed),
    inputTokens: Number(sum.inputTokens),
    cachedTokens: Number(sum.cachedTokens),
    outputTokens: Number(sum.outputTokens),
  };
}

export function addUp(sums: readonly SpendSum[]): SpendSum {
  const total = (count: (sum: SpendSum) => bigint): bigint =>
    sums.reduce((all, sum) => all + count(sum), 0n);
  return {
    chargedNano: total((sum) => sum.chargedNano) as Nano,
    requests: total((sum) => sum.requests),
    tasks: total((sum) => sum.tasks),
    failed: total((sum) => sum.failed),
    inputTokens: total((sum) => sum.inputTokens),
    cachedTokens: total((sum) => sum.cachedTokens),
    outputTokens: total((sum) => sum.outputTokens),
  };
}

/** Dearest first; of equal ones the busier. */
export function byCharge(a: SpendSum, b: SpendSum): number {
  if (a.chargedNano !== b.chargedNano) return a.chargedNano > b.chargedNano ? -1 : 1;
  return Number(b.requests + b.tasks - a.requests - a.tasks);
}
