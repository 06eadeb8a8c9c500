/**
 * What a count by our tokenizer is multiplied by, where the model of a route has another one
 * (contract §6).
 */
import type { Catalogue, ChatModel, CountFactor, Route } from "../../catalogue/catalogue.ts";
import type { UsageSource } from "../../contract/enums/usage-source.ts";
import { decimalText, type Decimal } from "../../contract/price/decimal.ts";
import { divideUp } from "../../kernel/money.ts";
import type { CountFactorText } from "../money/hold-detail.ts";

/** Whole tokens, rounded up. */
export function timesFactor(tokens: number, factor: Decimal | undefined): number {
  return factor === undefined
    ? tokens
    : Number(divideUp(BigInt(tokens) * factor.digits, 10n ** BigInt(factor.scale)));
}

/** For estimates, which are upper bounds already: a factor below one takes nothing off. */
export function raisedByFactor(
  tokens: number,
  side: keyof CountFactor,
  routes: readonly Route[],
): number {
  let most = tokens;
  for (const { countFactor } of routes)
    if (countFactor !== undefined) most = Math.max(most, timesFactor(tokens, countFactor[side]));
  return most;
}

/**
 * What a prompt of so many tokens by our count has at the route with the greatest factor. Null
 * where some route's tokenizer is not known to be near ours: one that speaks the Messages protocol,
 * without a factor.
 */
export function promptAtItsDearest(
  counted: number,
  model: ChatModel,
  catalogue: Catalogue,
): number | null {
  let most = 0;
  for (const { upstream, countFactor } of model.routes) {
    if (countFactor === undefined && catalogue.upstreams.get(upstream)?.protocol === "anthropic")
      return null;
    most = Math.max(most, timesFactor(counted, countFactor?.input));
  }
  return most;
}

/**
 * On the receipt: what was counted can be recomputed by it. Nothing where the upstream told its
 * usage.
 */
export function countFactorPart(
  served: Route | null,
  usageSource: UsageSource,
): { readonly countFactor?: CountFactorText } {
  const factor = served?.countFactor;
  if (factor === undefined || usageSource === "upstream" || usageSource === "none") return {};
  return { countFactor: { input: decimalText(factor.input), output: decimalText(factor.output) } };
}

/** For estimates of what is delivered, which are upper bounds already. */
export function outputFactorOf(served: Route | null): number {
  const output = served?.countFactor?.output;
  return output === undefined ? 1 : Math.max(1, Number(decimalText(output)));
}
