/**
 * What a rule says of an account's money: whether it is past its threshold, and whether it is
 * clearly on the good side again.
 */
import type { Spent } from "./looks.store.ts";
import type { Rule } from "./rules.store.ts";
import { assert } from "../../kernel/assert.ts";
import { nano, type Nano } from "../../kernel/money.ts";
import type { BudgetState } from "../../ledger/budgets.store.ts";

export interface Measured {
  /** What the account owns, held money included. */
  readonly balanceNano: Nano;
  /** Of the rule's subject. */
  readonly spent: Spent;
  /** Of the rule's subject, where it goes by a limit; null: there is none. */
  readonly budget: Pick<BudgetState, "limitNano" | "periodChargedNano"> | null;
}

export interface Judgement {
  /** What the rule watches. */
  readonly valueNano: Nano;
  /** What that is held against. */
  readonly thresholdNano: Nano;
  readonly past: boolean;
  /**
   * It may fire again. Periods end by themselves, and a spike is over an hour after it was last
   * seen.
   */
  readonly clear: boolean;
}

const WEEK_HOURS = 168n;
/**
 * A balance is clearly above its threshold when it is a tenth above: it does not fire at every
 * small top-up.
 */
const CLEAR_TENTHS = 11n;

export function judgeRule(
  rule: Pick<Rule, "kind" | "thresholdNano" | "factor" | "percent">,
  { balanceNano, spent, budget }: Measured,
): Judgement {
  const { kind, factor } = rule;
  if (kind === "limit_used") return judgeLimit(rule.percent ?? 100, budget);
  const { thresholdNano } = rule;
  assert(thresholdNano !== null, "only a limit is watched without an amount");
  switch (kind) {
    case "balance_below":
      return {
        valueNano: balanceNano,
        thresholdNano,
        past: balanceNano < thresholdNano,
        clear: balanceNano * 10n >= thresholdNano * CLEAR_TENTHS,
      };
    case "spend_day":
    case "spend_month": {
      const valueNano = kind === "spend_day" ? spent.dayNano : spent.monthNano;
      return { valueNano, thresholdNano, past: valueNano >= thresholdNano, clear: false };
    }
    case "spend_spike": {
      // More than so many times the mean hour, without a division.
      const steep = spent.hourNano * WEEK_HOURS > BigInt(factor ?? 1) * spent.weekNano;
      return {
        valueNano: spent.hourNano,
        thresholdNano,
        past: steep && spent.hourNano >= thresholdNano,
        clear: false,
      };
    }
  }
}

/**
 * Charged in the limit's period; what is held by requests that still run is not used yet. A limit that
 * was raised, or taken away, is clear at once: only a person does that.
 */
function judgeLimit(percent: number, budget: Measured["budget"]): Judgement {
  const valueNano = budget?.periodChargedNano ?? nano(0n);
  const limitNano = budget?.limitNano ?? null;
  if (limitNano === null) return { valueNano, thresholdNano: nano(0n), past: false, clear: true };
  const thresholdNano = shareOf(limitNano, percent);
  const past = valueNano >= thresholdNano;
  return { valueNano, thresholdNano, past, clear: !past };
}

/** Rounded up, so that nothing fires before its share is used. */
export function shareOf(limitNano: Nano, percent: number): Nano {
  return nano((limitNano * BigInt(percent) + 99n) / 100n);
}
