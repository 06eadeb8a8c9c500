/**
 * A figure at which a rule would fire, for its test: what is measured now mostly says the opposite
 * of the alert.
 */
import type { Rule } from "./rules.store.ts";
import { nano, type Nano } from "../../kernel/money.ts";

const KOPECK = 10_000_000n;

export function exampleValue({ kind, thresholdNano }: Pick<Rule, "kind" | "thresholdNano">): Nano {
  switch (kind) {
    case "balance_below":
      // A tenth below, in whole kopecks.
      return nano(((thresholdNano * 9n) / 10n / KOPECK) * KOPECK);
    case "spend_day":
    case "spend_month":
      return thresholdNano;
    case "spend_spike":
      return nano(((thresholdNano * 11n) / 10n / KOPECK + 1n) * KOPECK);
  }
}
