/** What a chat model sells in each tier and variant, and what its dearest route takes for it. */
import { EACH_KINDS, kindNano, TOKEN_KINDS, type TokenKind } from "../contract/price/chat-price.ts";
import { rateOf, variantOf, type ChatRate } from "../contract/price/chat-rate.ts";
import { BATCH_VARIANT, isBatchVariant } from "../contract/price/batch-variant.ts";
import type { ChatTariff } from "../contract/price/chat-tariff.ts";
import type { PriceAndCost } from "../contract/price/margin.ts";
import { divideUp, nano, ZERO_NANO, type Nano } from "../kernel/money.ts";
import { VARIANT_FIELDS, type VariantField } from "../kernel/price-raises.ts";
import type { ChatModel } from "./catalogue.ts";
import { dearest, type HasBatches, type SoldPart } from "./sold-part.ts";

export interface Chosen {
  readonly field: VariantField;
  readonly value: string;
}

/** A price list as it counts: in a variant, or null in none. */
interface Counted {
  readonly tariff: ChatTariff;
  readonly chosen: Chosen | null;
}

/** The base, every tier of the price or of a cost, each of them in every variant, and the tools. */
export function chatMargins(model: ChatModel, hasBatches: HasBatches): SoldPart[] {
  const variants = VARIANT_FIELDS.flatMap((field) =>
    [...(model.surcharges?.variants.get(field)?.keys() ?? [])].map((value) => ({ field, value })),
  );
  // Without a price for batches they are sold at the base.
  const passed = model.routes.some(({ upstream }) => hasBatches(upstream));
  const alone = passed && !variants.some(isBatch) ? [BATCH_VARIANT] : [];
  const parts = [null, ...variants, ...alone].flatMap((chosen) => {
    const costs = costsIn(model, chosen, hasBatches);
    return [null, ...thresholdsOf([{ tariff: model, chosen }, ...costs])].map((tier): SoldPart => ({
      tier,
      variant: chosen === null ? null : `${chosen.field}: ${chosen.value}`,
      kinds: kindsOf({ tariff: model, chosen }, costs, (tier ?? 0) + 1),
    }));
  });
  const tools = toolKinds(
    model,
    model.routes.flatMap(({ cost }) => cost ?? []),
  );
  return tools.size === 0 ? parts : [...parts, { tier: null, variant: "tools", kinds: tools }];
}

function isBatch({ field, value }: Chosen): boolean {
  return isBatchVariant(field, value);
}

/**
 * Of the routes that say what they take for it. A line of a batch is an ordinary request for an
 * upstream that has no batches.
 */
function costsIn(model: ChatModel, chosen: Chosen | null, hasBatches: HasBatches): Counted[] {
  return model.routes.flatMap(({ upstream, cost: tariff }): Counted[] => {
    if (tariff === null) return [];
    const ordinary = chosen === null || (isBatch(chosen) && !hasBatches(upstream));
    if (ordinary) return [{ tariff, chosen: null }];
    return variantOf(tariff, chosen.field, chosen.value) === undefined ? [] : [{ tariff, chosen }];
  });
}

/** Prompt tokens above which one of them costs something else. */
export function thresholdsOf(lists: readonly Counted[]): number[] {
  const tiers = lists.flatMap(({ tariff, chosen }) => {
    const variant = chosen === null ? undefined : variantOf(tariff, chosen.field, chosen.value);
    return variant?.kind === "price" ? variant.tiers : (tariff.tiers ?? []);
  });
  return [...new Set(tiers.map(({ abovePromptTokens }) => abovePromptTokens))].toSorted(
    (a, b) => a - b,
  );
}

export function rateIn({ tariff, chosen }: Counted, promptTokens: number): ChatRate {
  return rateOf(tariff, promptTokens, chosen === null ? null : { [chosen.field]: chosen.value });
}

function kindsOf(
  counted: Counted,
  costs: readonly Counted[],
  promptTokens: number,
): Map<string, PriceAndCost> {
  const sold = rateIn(counted, promptTokens);
  const rates = costs.map((cost) => rateIn(cost, promptTokens));
  const tokens = TOKEN_KINDS.filter((kind) => sold.price[kind] !== undefined).map(
    (kind): [string, PriceAndCost] => [
      kind,
      {
        priceNano: multiplied(sold, kindNano(sold.price, kind)),
        costNano: dearest(rates.map((rate) => costOf(rate, kind))),
      },
    ],
  );
  const others = EACH_KINDS.map((kind): [string, PriceAndCost] => [
    kind,
    { priceNano: sold.price[kind], costNano: dearest(rates.map(({ price }) => price[kind])) },
  ]);
  return new Map([
    ...tokens,
    ...others.filter(([, { priceNano, costNano }]) => priceNano > 0n || (costNano ?? 0n) > 0n),
  ]);
}

/**
 * Null where the route does not say it. Cached input at the price of input is a cost that says
 * nothing of caches: by that figure nearly every model would be sold below its cost, and its
 * operator would learn to confirm losses unread.
 */
function costOf(rate: ChatRate, kind: TokenKind): Nano | null {
  const { price } = rate;
  if (price[kind] === undefined && kind !== "imageInput") return null;
  if (kind === "cachedInput" && price.cachedInput === price.input) return null;
  return multiplied(rate, kindNano(price, kind));
}

export function multiplied({ multipliers }: ChatRate, amount: Nano): Nano {
  return nano(
    multipliers.reduce<bigint>(
      (total, { by }) => divideUp(total * by.digits, 10n ** BigInt(by.scale)),
      amount,
    ),
  );
}

function toolKinds(model: ChatModel, costs: readonly ChatTariff[]): Map<string, PriceAndCost> {
  const kinds = new Map<string, PriceAndCost>();
  for (const [tool, charge] of model.surcharges?.tools ?? []) {
    const known = costs.flatMap(({ surcharges }) => {
      const cost = surcharges?.tools.get(tool);
      if (cost !== undefined) return [cost];
      return surcharges?.free.has(tool) === true
        ? [{ perCall: ZERO_NANO, perRequest: ZERO_NANO }]
        : [];
    });
    for (const part of ["perCall", "perRequest"] as const) {
      const costNano = dearest(known.map((cost) => cost[part]));
      if (charge[part] > 0n || (costNano ?? 0n) > 0n)
        kinds.set(`${tool}.${part}`, { priceNano: charge[part], costNano });
    }
  }
  return kinds;
}
