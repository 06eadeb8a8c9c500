/**
 * What a model of calls sells, kind by kind, and what its dearest route takes for it. A route that
 * counts something else does not say what it takes for that.
 */
import { BATCH_CALL_ENDPOINTS } from "../contract/enums/batch-endpoint.ts";
import { CALL_TYPE_OF, type CallType } from "../contract/enums/call-endpoint.ts";
import {
  CALL_TOKEN_KINDS,
  CALL_UNITS,
  type CallAmountKind,
  type CallPrice,
} from "../contract/price/call-price.ts";
import type { PriceAndCost } from "../contract/price/margin.ts";
import { lookUpAmount } from "../contract/price/price-task.ts";
import type { AmountTable } from "../contract/price/task-price.ts";
import { BATCH_VARIANT } from "../contract/price/batch-variant.ts";
import type { Decimal } from "../contract/price/decimal.ts";
import { divideUp, nano, type Nano } from "../kernel/money.ts";
import type { CallModel } from "./catalogue.ts";
import { dearest, type HasBatches, type SoldPart } from "./sold-part.ts";

/** Types that a line of a batch may ask for. */
const IN_BATCHES: ReadonlySet<CallType> = new Set(
  BATCH_CALL_ENDPOINTS.map((endpoint) => CALL_TYPE_OF[endpoint]),
);

type Choice = Readonly<Record<string, string>>;

export function callMargins(
  { type, price, routes }: CallModel,
  hasBatches: HasBatches,
): SoldPart[] {
  const costs = routes.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const base: SoldPart = { tier: null, variant: null, kinds: kindsOf(price, costs) };
  const passed = IN_BATCHES.has(type) && routes.some(({ upstream }) => hasBatches(upstream));
  if (price.batch === undefined && !passed) return [base];
  const ofLines = routes.flatMap(({ upstream, cost }) => {
    if (cost === null || !hasBatches(upstream)) return cost ?? [];
    return cost.batch === undefined ? [] : timesAll(cost, cost.batch);
  });
  const sold = price.batch === undefined ? price : timesAll(price, price.batch);
  const variant = `${BATCH_VARIANT.field}: ${BATCH_VARIANT.value}`;
  return [base, { tier: null, variant, kinds: kindsOf(sold, ofLines) }];
}

function kindsOf(price: CallPrice, costs: readonly CallPrice[]): SoldPart["kinds"] {
  const kinds = [...CALL_TOKEN_KINDS, ...CALL_UNITS].flatMap((kind): [string, PriceAndCost][] => {
    const priceNano = price.amounts.get(kind);
    if (priceNano === undefined) return [];
    return [[kind, { priceNano, costNano: dearest(costs.map((cost) => costOf(cost, kind))) }]];
  });
  return new Map([...kinds, ...imageKinds(price, costs)]);
}

/** Each of its amounts so many times; what is paid for in batches has no images. */
export function timesAll(price: CallPrice, { digits, scale }: Decimal): CallPrice {
  const amounts = [...price.amounts].map(
    ([kind, amount]) => [kind, nano(divideUp(amount * digits, 10n ** BigInt(scale)))] as const,
  );
  return { ...price, amounts: new Map(amounts) };
}

/** A cost that says nothing of caches or of media is that of what is sent and answered. */
function costOf({ amounts }: CallPrice, kind: CallAmountKind): Nano | null {
  const own = amounts.get(kind);
  if (own !== undefined) return own;
  if (kind === "imageInput" || kind === "audioInput") return amounts.get("input") ?? null;
  return kind === "imageOutput" ? (amounts.get("output") ?? null) : null;
}

function imageKinds(
  { image }: CallPrice,
  costs: readonly CallPrice[],
): (readonly [string, PriceAndCost])[] {
  if (image === undefined) return [];
  return choicesOf(image, {}).map(([choice, priceNano]) => {
    const known = costs.map((cost) => {
      const amount = cost.image === undefined ? null : lookUpAmount(cost.image, choice);
      return typeof amount === "bigint" ? amount : null;
    });
    return [imageKind(choice), { priceNano, costNano: dearest(known) }] as const;
  });
}

/** For one image, by what is asked of it. */
export function imageAmounts({ image }: CallPrice): ReadonlyMap<string, Nano> {
  if (image === undefined) return new Map();
  return new Map(choicesOf(image, {}).map(([choice, amount]) => [imageKind(choice), amount]));
}

function imageKind(choice: Choice): string {
  const words = Object.entries(choice).map(([name, value]) => `${name}=${value}`);
  return words.length === 0 ? "image" : words.join(", ");
}

function choicesOf(table: AmountTable, choice: Choice): (readonly [Choice, Nano])[] {
  if (table.kind === "amount") return [[choice, table.perUnitNano]];
  return [...table.values].flatMap(([value, inner]) =>
    choicesOf(inner, { ...choice, [table.parameter]: value }),
  );
}
