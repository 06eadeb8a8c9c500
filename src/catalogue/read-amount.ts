/**
 * Reads roubles and multipliers from their exact source text, so that no price ever passes through
 * a float.
 */
import type { Nano } from "../kernel/money.ts";
import { nano, parseRoubles } from "../kernel/money.ts";
import type { Decimal } from "../contract/price/decimal.ts";
import { parseDecimal } from "../contract/price/decimal.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

/**
 * Ten million roubles for a million tokens is a slip of the hand; it also keeps every product
 * within the ledger's range.
 */
const HIGHEST_ROUBLES = 10_000_000n;
const HIGHEST = nano(HIGHEST_ROUBLES * 1_000_000_000n);

/** A price in nano-roubles: `"150"`, `4.5`, `"0"`. */
export function readAmount(reader: YamlReader, at: Place): Nano | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const amount = text.startsWith("-") ? null : parseRoubles(text);
  if (amount !== null && amount <= HIGHEST) return amount;
  noteAmount(reader, at, text);
  return undefined;
}

/** A positive factor such as `2` or `"0.75"`. */
export function readFactor(reader: YamlReader, at: Place): Decimal | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const factor = parseDecimal(text);
  if (factor !== null && factor.digits > 0n) return factor;
  reader.note(at, "expected", { what: "factor", got: shown(at) });
  return undefined;
}

function noteAmount(reader: YamlReader, at: Place, text: string): void {
  const got = shown(at);
  if (text.startsWith("-")) reader.note(at, "negative_price", { got });
  else if (/^\d+(?:\.\d{1,9})?$/.test(text))
    reader.note(at, "price_too_high", { got, max: String(HIGHEST_ROUBLES) });
  else if (/^\d+\.\d{10,}$/.test(text)) reader.note(at, "price_too_fine", { got });
  else reader.note(at, "expected", { what: "roubles", got });
}
