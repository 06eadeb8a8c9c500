/** Reads the price of a chat model and fills in what follows from it: caches cost what input costs, reasoning what output costs. */
import { ZERO_NANO } from "../kernel/money.ts";
import type { Nano } from "../kernel/money.ts";
import type { ChatPrice } from "./catalogue.ts";
import { readAmount } from "./read-amount.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";

export const CHAT_PRICE_FIELDS = [
  "input",
  "cachedInput",
  "cacheWrite5m",
  "cacheWrite1h",
  "output",
  "reasoning",
  "image",
  "request",
] as const satisfies readonly (keyof ChatPrice)[];

/** `input` and `output` must be there, "0" where they are free: an unknown price is never zero (contract §6). */
export function readChatPrice(reader: YamlReader, at: Place): ChatPrice | undefined {
  const fields = reader.fields(at, CHAT_PRICE_FIELDS);
  if (fields === undefined) return undefined;
  const amounts = new Map<string, Nano>();
  let complete = true;
  for (const name of CHAT_PRICE_FIELDS) {
    const place = name === "input" || name === "output" ? reader.required(at, fields, name) : fields[name];
    if (place === undefined) continue;
    const amount = readAmount(reader, place);
    if (amount === undefined) complete = false;
    else amounts.set(name, amount);
  }
  const input = amounts.get("input");
  const output = amounts.get("output");
  if (!complete || input === undefined || output === undefined) return undefined;
  return {
    input,
    cachedInput: amounts.get("cachedInput") ?? input,
    cacheWrite5m: amounts.get("cacheWrite5m") ?? input,
    cacheWrite1h: amounts.get("cacheWrite1h") ?? input,
    output,
    reasoning: amounts.get("reasoning") ?? output,
    image: amounts.get("image") ?? ZERO_NANO,
    request: amounts.get("request") ?? ZERO_NANO,
  };
}
