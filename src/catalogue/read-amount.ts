/** Reads roubles and multipliers from their exact source text, so that no price ever passes through a float. */
import type { Nano } from "../kernel/money.ts";
import { nano, parseRoubles } from "../kernel/money.ts";
import type { Decimal } from "../contract/price/decimal.ts";
import { parseDecimal } from "../contract/price/decimal.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

/** Ten million roubles for a million tokens is a slip of the hand; it also keeps every product within the ledger's range. */
const HIGHEST_ROUBLES = 10_000_000n;
const HIGHEST = nano(HIGHEST_ROUBLES * 1_000_000_000n);

/** A price in nano-roubles: `"150"`, `4.5`, `"0"`. */
export function readAmount(reader: YamlReader, at: Place): Nano | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const amount = text.startsWith("-") ? null : parseRoubles(text);
  if (amount !== null && amount <= HIGHEST) return amount;
  reader.note(at, complaint(text, shown(at)));
  return undefined;
}

/** A positive factor such as `2` or `"0.75"`. */
export function readFactor(reader: YamlReader, at: Place): Decimal | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const factor = parseDecimal(text);
  if (factor !== null && factor.digits > 0n) return factor;
  reader.note(
    at,
    `a positive decimal such as "2" or "0.75" is expected, with at most nine digits before and after the point, not "${shown(at)}"`,
  );
  return undefined;
}

function complaint(text: string, shownText: string): string {
  if (text.startsWith("-")) return `a price cannot be negative, as "${shownText}" is`;
  if (/^\d+(?:\.\d{1,9})?$/.test(text)) return `${shownText} roubles is above ${HIGHEST_ROUBLES}, surely a slip`;
  if (/^\d+\.\d{10,}$/.test(text)) return `"${shownText}" has more than nine digits after the point; a nano-rouble is the smallest price`;
  return `roubles are expected as a decimal such as "150" or "4.5", not "${shownText}"`;
}
