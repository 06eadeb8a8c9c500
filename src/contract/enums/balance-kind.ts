/** How a provider tells what is left of the money that was paid to it in advance. */

/** Each by an endpoint of its own: src/upstreams/balances/balance-shapes.ts. */
export const BALANCE_KINDS = [
  "openrouter-credits",
  "openrouter-key",
  "deepseek",
  "moonshot",
  "novita",
  "kie",
  "fal",
] as const;
export type BalanceKind = (typeof BALANCE_KINDS)[number];

/**
 * Why it is not known by now. `no_credential`: the variable is not set. `no_answer`: it could not be
 * reached, or not in time. `refused`: it answered with an error. `not_understood`: its answer is no
 * balance. `unlimited`: the key has no limit that could be used up.
 */
export const BALANCE_FAILURES = [
  "no_credential",
  "no_answer",
  "refused",
  "not_understood",
  "unlimited",
] as const;
export type BalanceFailure = (typeof BALANCE_FAILURES)[number];
