/** What chat requests of so many tokens cost, as the gateway prices them. */
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { fromUnits, toUnits } from "../../ui/decimal.ts";

export type ChatPrice = Extract<PanelModel["price"], { readonly kind: "chat" }>;

const MILLION = 1_000_000n;
/** 10⁻¹⁵ in a billionth of a rouble. */
const NANO_UNITS = 1_000_000n;

export interface ChatTokens {
  /** Of the prompt, neither read from nor written to a cache. */
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly output: bigint;
  readonly requests: bigint;
}

/** As the gateway prices it: exact to the end, then each request rounded up once to a billionth of a rouble. */
export function chatCost(price: ChatPrice, { input, cachedInput, output, requests }: ChatTokens): string {
  const millionths = input * toUnits(price.input) + cachedInput * toUnits(price.cachedInput) + output * toUnits(price.output);
  const nano = divideUp(millionths + toUnits(price.request) * MILLION, MILLION * NANO_UNITS);
  return fromUnits(nano * requests * NANO_UNITS);
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
