/**
 * From a chat tariff as it is written to the one that is counted with, and back: exact both ways.
 */
import { assert } from "../../kernel/assert.ts";
import { formatRoubles, parseRoubles, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import { VARIANT_FIELDS, type VariantField } from "../../kernel/price-raises.ts";
import { CHAT_PRICE_KINDS, type ChatPrice } from "./chat-price.ts";
import type { ChatSurcharges, ChatTariff, ChatTier, ChatVariant } from "./chat-tariff.ts";
import { decimalText, parseDecimal, type Decimal } from "./decimal.ts";
import type {
  ChatPriceBody,
  ChatTariffBody,
  SurchargesBody,
  TiersBody,
  VariantBody,
} from "./tariff-body.ts";

/** Calls of a tool that are held for where neither the caller nor the catalogue names a bound. */
const DEFAULT_CALLS = 10;

/** Amounts must be checked already; throws InvariantError on one that is no decimal of roubles. */
export function compileTariff({ tiers, surcharges, ...price }: ChatTariffBody): ChatTariff {
  const base = compilePrice(price, null);
  return {
    price: base,
    ...(tiers === undefined || tiers.length === 0 ? {} : { tiers: compileTiers(tiers, base) }),
    ...(surcharges === undefined ? {} : { surcharges: compileSurcharges(surcharges, base) }),
  };
}

/**
 * Caches cost what input costs and reasoning what output costs; what is for each image and request,
 * what it costs at the base.
 */
function compilePrice(body: ChatPriceBody, base: ChatPrice | null): ChatPrice {
  const input = amountOf(body.input);
  const output = amountOf(body.output);
  return {
    input,
    cachedInput: optional(body.cachedInput) ?? input,
    ...own("cacheWrite5m", body),
    ...own("cacheWrite1h", body),
    ...own("imageInput", body),
    ...own("audioInput", body),
    output,
    reasoning: optional(body.reasoning) ?? output,
    ...own("audioOutput", body),
    ...own("imageOutput", body),
    image: optional(body.image) ?? base?.image ?? ZERO_NANO,
    request: optional(body.request) ?? base?.request ?? ZERO_NANO,
  };
}

type OwnKind =
  | "cacheWrite5m"
  | "cacheWrite1h"
  | "imageInput"
  | "audioInput"
  | "audioOutput"
  | "imageOutput";

function own<Kind extends OwnKind>(kind: Kind, body: ChatPriceBody): Partial<Record<Kind, Nano>> {
  const amount = optional(body[kind]);
  return amount === undefined ? {} : ({ [kind]: amount } as Record<Kind, Nano>);
}

function compileTiers(tiers: TiersBody, base: ChatPrice): ChatTier[] {
  return tiers
    .map(({ abovePromptTokens, price }) => ({
      abovePromptTokens,
      price: compilePrice(price, base),
    }))
    .toSorted((a, b) => a.abovePromptTokens - b.abovePromptTokens);
}

function compileSurcharges(body: SurchargesBody, base: ChatPrice): ChatSurcharges {
  const fields = VARIANT_FIELDS.flatMap((field): [VariantField, Map<string, ChatVariant>][] => {
    const values = body[field];
    return values === undefined
      ? []
      : [
          [
            field,
            new Map(
              Object.entries(values).map(([value, variant]) => [
                value,
                compileVariant(variant, base),
              ]),
            ),
          ],
        ];
  });
  const tools = Object.entries(body.tools ?? {}).map(
    ([tool, { perCall, perRequest, maxCalls = DEFAULT_CALLS }]) => {
      return [
        tool,
        {
          perCall: optional(perCall) ?? ZERO_NANO,
          perRequest: optional(perRequest) ?? ZERO_NANO,
          maxCalls,
        },
      ] as const;
    },
  );
  return { variants: new Map(fields), tools: new Map(tools), free: new Set(body.free) };
}

function compileVariant({ multiply, price, tiers }: VariantBody, base: ChatPrice): ChatVariant {
  if (price !== undefined)
    return {
      kind: "price",
      price: compilePrice(price, base),
      tiers: compileTiers(tiers ?? [], base),
    };
  return { kind: "multiply", by: factorOf(multiply ?? "1") };
}

function amountOf(text: string): Nano {
  const amount = parseRoubles(text);
  assert(amount !== null, "an amount is a decimal of roubles");
  return amount;
}

function optional(text: string | undefined): Nano | undefined {
  return text === undefined ? undefined : amountOf(text);
}

function factorOf(text: string): Decimal {
  const factor = parseDecimal(text);
  assert(factor !== null, "a factor is a decimal");
  return factor;
}

/** Every kind that has a price, defaults filled in. */
function describePrice(price: ChatPrice): DescribedPrice {
  const pairs = CHAT_PRICE_KINDS.flatMap((kind) => {
    const amount = price[kind];
    return amount === undefined ? [] : [[kind, formatRoubles(amount)] as const];
  });
  return Object.fromEntries(pairs) as unknown as DescribedPrice;
}

/** A price with its defaults filled in. */
type DescribedPrice = ChatPriceBody &
  Record<"cachedInput" | "reasoning" | "image" | "request", string>;

/** What `compileTariff` reads as the same tariff. */
export function describeTariff({
  price,
  tiers,
  surcharges,
}: ChatTariff): DescribedPrice & Pick<ChatTariffBody, "tiers" | "surcharges"> {
  return {
    ...describePrice(price),
    ...(tiers === undefined ? {} : { tiers: describeTiers(tiers) }),
    ...(surcharges === undefined ? {} : { surcharges: describeSurcharges(surcharges) }),
  };
}

function describeTiers(tiers: readonly ChatTier[]): TiersBody {
  return tiers.map(({ abovePromptTokens, price }) => ({
    abovePromptTokens,
    price: describePrice(price),
  }));
}

function describeSurcharges({ variants, tools, free }: ChatSurcharges): SurchargesBody {
  const fields = [...variants].map(([field, values]) => {
    return [
      field,
      Object.fromEntries([...values].map(([value, variant]) => [value, describeVariant(variant)])),
    ] as const;
  });
  const charges = [...tools].map(([tool, { perCall, perRequest, maxCalls }]) => {
    return [
      tool,
      { perCall: formatRoubles(perCall), perRequest: formatRoubles(perRequest), maxCalls },
    ] as const;
  });
  return { ...Object.fromEntries(fields), tools: Object.fromEntries(charges), free: [...free] };
}

function describeVariant(variant: ChatVariant): VariantBody {
  if (variant.kind === "multiply") return { multiply: decimalText(variant.by) };
  return { price: describePrice(variant.price), tiers: describeTiers(variant.tiers) };
}
