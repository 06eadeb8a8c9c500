/**
 * What an upstream's `GET /v1/models` says: ids, and from OpenRouter what each costs
 * (https://openrouter.ai/docs/models). What is no price is told by name, never taken for one.
 */
import { decimalOf, type SignedDecimal } from "../json/decimal-of.ts";
import { isRecord } from "../json/is-record.ts";

/** Its fields of prices that mean what a kind of ours does, in dollars for a token or a request. */
const PRICE_FIELDS = {
  prompt: "input",
  input_cache_read: "cachedInput",
  input_cache_write: "cacheWrite5m",
  completion: "output",
  internal_reasoning: "reasoning",
  request: "request",
} as const;
export type ListedKind = (typeof PRICE_FIELDS)[keyof typeof PRICE_FIELDS];

export interface ListedModel {
  readonly id: string;
  readonly name: string | null;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** For one token, or one request; empty: it tells none. */
  readonly prices: ReadonlyMap<ListedKind, SignedDecimal>;
  /** Fields of prices that hold none: below zero, as where the price varies, or no number. */
  readonly odd: readonly string[];
}

export type ModelListReading =
  | {
      readonly kind: "list";
      readonly models: readonly ListedModel[];
      /** The query of the next page; null: this was the last. */
      readonly next: string | null;
    }
  | { readonly kind: "none" };

const LONGEST_ID = 300;
const LONGEST_NAME = 100;
/** What is written in it may be sent to the same path: nothing else of the address is taken over. */
const NEXT_QUERY = /\?((?:[a-z_]+=[A-Za-z0-9_.%:-]+&?)+)$/;

export function readModelList(json: unknown): ModelListReading {
  const data = isRecord(json) ? json["data"] : null;
  if (!isRecord(json) || !Array.isArray(data)) return { kind: "none" };
  const models = data.map(readModel).filter((model) => model !== null);
  // A list of which nothing can be read is none.
  if (models.length === 0 && data.length > 0) return { kind: "none" };
  return { kind: "list", models, next: nextOf(json, models) };
}

function readModel(entry: unknown): ListedModel | null {
  if (!isRecord(entry)) return null;
  const { id, name, display_name: displayName, pricing } = entry;
  if (typeof id !== "string" || id.trim() === "" || id.length > LONGEST_ID) return null;
  const provider = entry["top_provider"];
  const shown = typeof name === "string" ? name : displayName;
  return {
    id,
    name: typeof shown === "string" && shown.trim() !== "" ? shown.slice(0, LONGEST_NAME) : null,
    contextTokens: tokensOf(entry["context_length"]),
    maxOutputTokens: tokensOf(isRecord(provider) ? provider["max_completion_tokens"] : null),
    ...readPrices(isRecord(pricing) ? pricing : {}),
  };
}

function readPrices(pricing: Record<string, unknown>): Pick<ListedModel, "prices" | "odd"> {
  const prices = new Map<ListedKind, SignedDecimal>();
  const odd: string[] = [];
  for (const [field, kind] of Object.entries(PRICE_FIELDS)) {
    const reported = pricing[field];
    if (reported === undefined || reported === null) continue;
    const price = decimalOf(reported);
    if (price === null || price.digits < 0n) odd.push(field);
    // Of all but these nought says that nothing is charged apart.
    else if (price.digits > 0n || kind === "input" || kind === "output") prices.set(kind, price);
  }
  return { prices, odd };
}

function tokensOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function nextOf(json: Record<string, unknown>, models: readonly ListedModel[]): string | null {
  const links = json["links"];
  const next = isRecord(links) ? links["next"] : null;
  if (typeof next === "string") return NEXT_QUERY.exec(next)?.[1] ?? null;
  // As Anthropic has it.
  const last = models.at(-1)?.id;
  return json["has_more"] === true && last !== undefined
    ? `limit=1000&after_id=${encodeURIComponent(last)}`
    : null;
}
