/**
 * What a rule says of an account's money: whether it is past its threshold, and whether it is
 * clearly on the good side again.
 */
import type { Spent } from "./looks.store.ts";
import type { Rule } from "./rules.store.ts";
import type { Nano } from "../../kernel/money.ts";

export interface Measured {
  /** What the account owns, held money included. */
  readonly balanceNano: Nano;
  /** Of the rule's subject. */
  readonly spent: Spent;
}

export interface Judgement {
  /** What the rule watches. */
  readonly valueNano: Nano;
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
  rule: Pick<Rule, "kind" | "thresholdNano" | "factor">,
  { balanceNano, spent }: Measured,
): Judgement {
  const { kind, thresholdNano, factor } = rule;
  switch (kind) {
    case "balance_below":
      return {
        valueNano: balanceNano,
        past: balanceNano < thresholdNano,
        clear: balanceNano * 10n >= thresholdNano * CLEAR_TENTHS,
      };
    case "spend_day":
      return { valueNano: spent.dayNano, past: spent.dayNano >= thresholdNano, clear: false };
    case "spend_month":
      return { valueNano: spent.monthNano, past: spent.monthNano >= thresholdNano, clear: false };
    case "spend_spike": {
      // More than so many times the mean hour, without a division.
      const steep = spent.hourNano * WEEK_HOURS > BigInt(factor ?? 1) * spent.weekNano;
      return {
        valueNano: spent.hourNano,
        past: steep && spent.hourNano >= thresholdNano,
        clear: false,
      };
    }
  }
}
