/**
 * Makes a tariff of what the file says that a chat model costs, or that one of its routes takes: a
 * price, its tiers and its surcharges, all of them complete (contract §12).
 */
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt } from "../contract/catalogue/mistake-at.ts";
import { EACH_KINDS, TOKEN_KINDS } from "../contract/price/chat-price.ts";
import type { ChatTariff } from "../contract/price/chat-tariff.ts";
import { compileTariff } from "../contract/price/compile-tariff.ts";
import type {
  ChatPriceBody,
  ChatTariffBody,
  SurchargesBody,
  TiersBody,
  VariantBody,
} from "../contract/price/tariff-body.ts";
import { VARIANT_FIELDS } from "../kernel/price-raises.ts";
import { wholeOf } from "./read-by-schema.ts";
import type { Draft, Found } from "./schema-parts.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";

/** What the file says of a tariff, and under which keys of its mapping. */
export interface WrittenTariff {
  readonly price?: Draft<ChatPriceBody> | undefined;
  readonly tiers?: Draft<TiersBody> | undefined;
  readonly surcharges?: Draft<SurchargesBody> | undefined;
}
type TariffKeys = Readonly<Record<keyof WrittenTariff, string>>;

/**
 * A route of the Messages protocol writes to caches wherever its callers ask for it, so both writes
 * have a price.
 */
export interface WriteRule {
  /** For the mistake. */
  readonly upstream: string;
  /**
   * Stored before this rule: writes are read as they were sold then, at the price of input, and
   * this is told.
   */
  readonly warnings: CatalogueMistake[] | null;
}

const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Undefined after a mistake, and where there is no price. `writes`: null where a price for cache
 * writes may be left out, and then they are refused.
 */
export function compileWrittenTariff(
  draft: WrittenTariff,
  keys: TariffKeys,
  writes: WriteRule | null,
  { at, reader }: Found,
): ChatTariff | undefined {
  const read = wholeOf<ChatPriceBody>(draft.price);
  if (read === undefined) return undefined;
  const price =
    writes === null ? read : withWrites(reader, reader.child(at, keys.price), read, writes);
  const tiers = wholeOf<TiersBody>(draft.tiers);
  const surcharges = wholeOf<SurchargesBody>(draft.surcharges);
  if (price === undefined || tiers !== draft.tiers || surcharges !== draft.surcharges)
    return undefined;
  const body: ChatTariffBody = {
    ...price,
    ...(tiers === undefined ? {} : { tiers }),
    ...(surcharges === undefined ? {} : { surcharges }),
  };
  const checks = [
    areTiersWhole(reader, reader.child(at, keys.tiers), tiers ?? [], price),
    areSurchargesWhole(reader, reader.child(at, keys.surcharges), surcharges ?? {}, body),
  ];
  return checks.includes(false) ? undefined : compileTariff(body);
}

function withWrites(
  reader: YamlReader,
  at: Place,
  price: ChatPriceBody,
  { upstream, warnings }: WriteRule,
): ChatPriceBody | undefined {
  const kinds = (["cacheWrite5m", "cacheWrite1h"] as const).filter(
    (kind) => price[kind] === undefined,
  );
  if (kinds.length === 0) return price;
  if (warnings === null) {
    reader.note(at, "cache_writes_missing", { kinds, upstream });
    return undefined;
  }
  warnings.push(mistakeAt(at, "cache_writes_at_input", { kinds, upstream }));
  return { cacheWrite5m: price.input, cacheWrite1h: price.input, ...price };
}

function areTiersWhole(
  reader: YamlReader,
  at: Place,
  tiers: TiersBody,
  base: ChatPriceBody,
): boolean {
  return tiers
    .map((tier, index) => {
      const place = reader.child(at, index);
      const first = tiers.findIndex(
        ({ abovePromptTokens }) => abovePromptTokens === tier.abovePromptTokens,
      );
      if (first !== index) reader.note(place, "second_tier", { tokens: tier.abovePromptTokens });
      return (
        isPriceWhole(reader, reader.child(place, "price"), tier.price, base) && first === index
      );
    })
    .every(Boolean);
}

/**
 * What the base says must be said anew, and nothing else; what is for each image and each request
 * may be left as it is.
 */
function isPriceWhole(
  reader: YamlReader,
  at: Place,
  price: ChatPriceBody,
  base: ChatPriceBody,
): boolean {
  const missing = TOKEN_KINDS.filter(
    (kind) => base[kind] !== undefined && price[kind] === undefined,
  );
  const unknown = [...TOKEN_KINDS, ...EACH_KINDS].filter(
    (kind) => base[kind] === undefined && price[kind] !== undefined,
  );
  if (missing.length > 0) reader.note(at, "price_incomplete", { kinds: missing });
  if (unknown.length > 0) reader.note(at, "price_without_base", { kinds: unknown });
  return missing.length === 0 && unknown.length === 0;
}

function areSurchargesWhole(
  reader: YamlReader,
  at: Place,
  surcharges: SurchargesBody,
  base: ChatTariffBody,
): boolean {
  const variants = VARIANT_FIELDS.flatMap((field) => {
    const fieldPlace = reader.child(at, field);
    return Object.entries(surcharges[field] ?? {}).map(([value, variant]) =>
      isVariantWhole(reader, reader.child(fieldPlace, value), variant, base),
    );
  });
  const toolsPlace = reader.child(at, "tools");
  const tools = Object.entries(surcharges.tools ?? {}).map(([tool, { perCall, perRequest }]) => {
    const place = reader.child(toolsPlace, tool);
    if (!TOOL_NAME.test(tool)) reader.note(place, "bad_name", { what: "tool", name: tool });
    if (perCall === undefined && perRequest === undefined) reader.note(place, "tool_without_price");
    return TOOL_NAME.test(tool) && (perCall !== undefined || perRequest !== undefined);
  });
  return [...variants, ...tools].every(Boolean);
}

function isVariantWhole(
  reader: YamlReader,
  at: Place,
  { multiply, price, tiers }: VariantBody,
  base: ChatTariffBody,
): boolean {
  if ((multiply === undefined) === (price === undefined)) {
    reader.note(at, "multiply_or_price");
    return false;
  }
  if (price === undefined) {
    if (tiers !== undefined) reader.note(at, "tiers_beside_multiply");
    return tiers === undefined;
  }
  if (tiers === undefined && base.tiers !== undefined && base.tiers.length > 0) {
    reader.note(at, "tiers_missing");
    return false;
  }
  const whole = isPriceWhole(reader, reader.child(at, "price"), price, base);
  return (
    (tiers === undefined || areTiersWhole(reader, reader.child(at, "tiers"), tiers, base)) && whole
  );
}
