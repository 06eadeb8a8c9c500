/** A body that was read as JSON, with what in it makes its upstream dearer. */
import type { Fault } from "../../kernel/faults.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import type { JsonObject } from "../json/read-json-object.ts";
import { FOREIGN_FIELDS } from "./foreign-ids.ts";
import { RAISING_FIELDS } from "./raising-fields.ts";
import { readRaises } from "./read-raises.ts";

export type PricedObjectReading =
  | { readonly ok: true; readonly object: JsonObject; readonly raises: readonly PriceRaise[] }
  | { readonly ok: false; readonly fault: Fault };

/**
 * The members that decide the price, or name what is not the caller's: each may come once, and only
 * under its exact name.
 */
export const GUARDED_RAISES: readonly string[] = [
  ...RAISING_FIELDS.keys(),
  ...FOREIGN_FIELDS.keys(),
];

/** `ownIds`: see readRaises. */
export function withRaises(
  object: JsonObject,
  walked?: readonly string[],
  ownIds?: ReadonlySet<string>,
): PricedObjectReading {
  const reading = readRaises(object.value, walked, ownIds);
  return reading.ok ? { ok: true, object, raises: reading.raises } : reading;
}

/** The longest life that a request asks for its cached prompt. */
export function cacheLifeOf(raises: readonly PriceRaise[]): "5m" | "1h" {
  for (const raise of raises) if (raise.kind === "cacheWrite" && raise.life === "1h") return "1h";
  return "5m";
}
