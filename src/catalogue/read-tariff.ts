/**
 * Reads what a chat model costs, or what one of its routes takes: a price, its tiers and its
 * surcharges, all of them complete (contract §12).
 */
import type { CatalogueMistake } from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt } from "../contract/catalogue/mistake-at.ts";
import { EACH_KINDS, TOKEN_KINDS } from "../contract/price/chat-price.ts";
import type { ChatTariff } from "../contract/price/chat-tariff.ts";
import { compileTariff } from "../contract/price/compile-tariff.ts";
import {
  ChatPriceBody,
  type ChatTariffBody,
  SurchargesBody,
  TiersBody,
  type VariantBody,
} from "../contract/price/tariff-body.ts";
import { VARIANT_FIELDS } from "../kernel/price-raises.ts";
import { readBySchema } from "./read-by-schema.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";

/** Where the parts of a tariff stand in the file. */
export interface TariffPlaces {
  readonly price: Place;
  readonly tiers: Place | undefined;
  readonly surcharges: Place | undefined;
}

export interface TariffRules {
  /** Null: a price for cache writes may be left out, and then they are refused. */
  readonly writes: WriteRule | null;
}

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

export function readTariff(
  reader: YamlReader,
  places: TariffPlaces,
  { writes }: TariffRules,
): ChatTariff | undefined {
  const read = readBySchema(reader, places.price, ChatPriceBody);
  const price =
    read === undefined || writes === null ? read : withWrites(reader, places.price, read, writes);
  const tiers = places.tiers === undefined ? null : readBySchema(reader, places.tiers, TiersBody);
  const surcharges =
    places.surcharges === undefined
      ? null
      : readBySchema(reader, places.surcharges, SurchargesBody);
  if (price === undefined || tiers === undefined || surcharges === undefined) return undefined;
  const body: ChatTariffBody = {
    ...price,
    ...(tiers === null ? {} : { tiers }),
    ...(surcharges === null ? {} : { surcharges }),
  };
  const checks = [
    tiers === null ||
      places.tiers === undefined ||
      areTiersWhole(reader, places.tiers, tiers, price),
    surcharges === null ||
      places.surcharges === undefined ||
      areSurchargesWhole(reader, places.surcharges, surcharges, body),
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
  const places = reader.items(at) ?? [];
  return tiers
    .map((tier, index) => {
      const place = places[index] ?? at;
      const first = tiers.findIndex(
        ({ abovePromptTokens }) => abovePromptTokens === tier.abovePromptTokens,
      );
      if (first !== index) reader.note(place, "second_tier", { tokens: tier.abovePromptTokens });
      return (
        isPriceWhole(reader, placeOf(reader, place, "price"), tier.price, base) && first === index
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
    const fieldPlace = placeOf(reader, at, field);
    return Object.entries(surcharges[field] ?? {}).map(([value, variant]) =>
      isVariantWhole(reader, placeOf(reader, fieldPlace, value), variant, base),
    );
  });
  const toolsPlace = placeOf(reader, at, "tools");
  const tools = Object.entries(surcharges.tools ?? {}).map(([tool, { perCall, perRequest }]) => {
    const place = placeOf(reader, toolsPlace, tool);
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
  const whole = isPriceWhole(reader, placeOf(reader, at, "price"), price, base);
  return (
    (tiers === undefined || areTiersWhole(reader, placeOf(reader, at, "tiers"), tiers, base)) &&
    whole
  );
}

/** Of an entry that was read before. */
function placeOf(reader: YamlReader, at: Place, name: string): Place {
  return reader.entries(at)?.find((entry) => entry.name === name)?.at ?? at;
}
