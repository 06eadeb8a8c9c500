/**
 * A figure at which a rule would fire, for its test: what is measured now mostly says the opposite
 * of the alert.
 */
import type { Judgement } from "./judge-rule.ts";
import { shareOf } from "./judge-rule.ts";
import type { Rule } from "./rules.store.ts";
import { nano, NANO_PER_ROUBLE, type Nano } from "../../kernel/money.ts";

const KOPECK = 10_000_000n;
/** Where there is no limit now. */
const EXAMPLE_LIMIT_NANO = nano(1_000n * NANO_PER_ROUBLE);

export function exampleValue(
  { kind, thresholdNano, percent }: Pick<Rule, "kind" | "thresholdNano" | "percent">,
  /** Of the rule's subject; null: it has none. */
  limitNano: Nano | null,
): Pick<Judgement, "valueNano" | "thresholdNano"> {
  const line = thresholdNano ?? shareOf(limitNano ?? EXAMPLE_LIMIT_NANO, percent ?? 100);
  return { valueNano: valueAt(kind, line), thresholdNano: line };
}

function valueAt(kind: Rule["kind"], line: Nano): Nano {
  switch (kind) {
    case "balance_below":
      // A tenth below, in whole kopecks.
      return nano(((line * 9n) / 10n / KOPECK) * KOPECK);
    case "spend_day":
    case "spend_month":
    case "limit_used":
      return line;
    case "spend_spike":
      return nano(((line * 11n) / 10n / KOPECK + 1n) * KOPECK);
  }
}
