/** An amount as `/metrics` shows it. */
import type { Nano } from "../kernel/money.ts";

/** Prometheus knows floats only; these figures are for graphs, the ledger has the exact ones. */
export function roublesForGraphs(amount: Nano): number {
  return Number(amount) / 1e9;
}
