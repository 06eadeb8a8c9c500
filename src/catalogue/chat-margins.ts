/** What a chat model sells in each tier and variant, and what its dearest route takes for it. */
import { EACH_KINDS, kindNano, TOKEN_KINDS, type TokenKind } from "../contract/price/chat-price.ts";
import { rateOf, variantOf, type ChatRate } from "../contract/price/chat-rate.ts";
import type { ChatTariff, ChatUse } from "../contract/price/chat-tariff.ts";
import type { PriceAndCost } from "../contract/price/margin.ts";
import { divideUp, nano, ZERO_NANO, type Nano } from "../kernel/money.ts";
import { VARIANT_FIELDS, type VariantField } from "../kernel/price-raises.ts";
import type { ChatModel } from "./catalogue.ts";
import { dearest, type SoldPart } from "./sold-part.ts";

interface Chosen {
  readonly field: VariantField;
  readonly value: string;
}

/** The base, every tier of the price or of a cost, each of them in every variant, and the tools. */
export function chatMargins(model: ChatModel): SoldPart[] {
  const costs = model.routes.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const chosen = VARIANT_FIELDS.flatMap((field) =>
    [...(model.surcharges?.variants.get(field)?.keys() ?? [])].map((value) => ({ field, value })),
  );
  const parts = [null, ...chosen].flatMap((variant) =>
    [null, ...thresholdsOf([model, ...costs], variant)].map((tier): SoldPart => ({
      tier,
      variant: variant === null ? null : `${variant.field}: ${variant.value}`,
      kinds: kindsOf(model, costs, (tier ?? 0) + 1, variant),
    })),
  );
  const tools = toolKinds(model, costs);
  return tools.size === 0 ? parts : [...parts, { tier: null, variant: "tools", kinds: tools }];
}

/** Prompt tokens above which one of them costs something else. */
function thresholdsOf(tariffs: readonly ChatTariff[], chosen: Chosen | null): number[] {
  const lists = tariffs.map((tariff) => {
    const variant = chosen === null ? undefined : variantOf(tariff, chosen.field, chosen.value);
    return variant?.kind === "price" ? variant.tiers : (tariff.tiers ?? []);
  });
  return [
    ...new Set(lists.flatMap((tiers) => tiers.map(({ abovePromptTokens }) => abovePromptTokens))),
  ].toSorted((a, b) => a - b);
}

function kindsOf(
  model: ChatModel,
  costs: readonly ChatTariff[],
  promptTokens: number,
  chosen: Chosen | null,
): Map<string, PriceAndCost> {
  const variants: ChatUse["variants"] | null =
    chosen === null ? null : { [chosen.field]: chosen.value };
  const sold = rateOf(model, promptTokens, variants);
  // A route that does not name the variant does not say what it takes for it.
  const known = costs.filter(
    (cost) => chosen === null || variantOf(cost, chosen.field, chosen.value) !== undefined,
  );
  const rates = known.map((cost) => rateOf(cost, promptTokens, variants));
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

function multiplied({ multipliers }: ChatRate, amount: Nano): Nano {
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
