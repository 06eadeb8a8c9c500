/**
 * The single values of the file: how each is read from its exact text, so that no price ever passes
 * through a float, and what an editor is told of it.
 */
import type { ExpectedValue } from "../contract/catalogue/catalogue-mistake.ts";
import type { Decimal } from "../contract/price/decimal.ts";
import { parseDecimal } from "../contract/price/decimal.ts";
import type { Nano } from "../kernel/money.ts";
import { nano, parseRoubles } from "../kernel/money.ts";
import { isEnvironmentName } from "./interpolate.ts";
import type { Found } from "./schema-parts.ts";
import { named, value } from "./schema-parts.ts";
import { shown } from "./yaml-reader.ts";

/**
 * Ten million roubles for a million tokens is a slip of the hand; it also keeps every product
 * within the ledger's range.
 */
const HIGHEST_ROUBLES = 10_000_000n;
export const HIGHEST_NANO = nano(HIGHEST_ROUBLES * 1_000_000_000n);

export function expected(what: ExpectedValue, { at, reader }: Found): undefined {
  return reader.note(at, "expected", { what, got: shown(at) });
}

/** A price in nano-roubles: `"150"`, `4.5`, `"0"`. */
export function readRoubles(text: string, found: Found): Nano | undefined {
  const amount = text.startsWith("-") ? null : parseRoubles(text);
  if (amount !== null && amount <= HIGHEST_NANO) return amount;
  const { at, reader } = found;
  const got = shown(at);
  if (text.startsWith("-")) return reader.note(at, "negative_price", { got });
  if (/^\d+(?:\.\d{1,9})?$/.test(text))
    return reader.note(at, "price_too_high", { got, max: String(HIGHEST_ROUBLES) });
  return /^\d+\.\d{10,}$/.test(text)
    ? reader.note(at, "price_too_fine", { got })
    : expected("roubles", found);
}

/** A positive factor such as `2` or `"0.75"`. */
export function readFactor(text: string, found: Found): Decimal | undefined {
  const factor = parseDecimal(text);
  return factor !== null && factor.digits > 0n ? factor : expected("factor", found);
}

const ROUBLES_JSON = {
  description: 'Decimal roubles, such as "150" or "4.5".',
  anyOf: [
    {
      type: "string",
      pattern: String.raw`^0{0,2}(?:\d{1,7}(?:\.\d{1,9})?|10000000(?:\.0{1,9})?)$`,
    },
    { type: "number", minimum: 0, maximum: Number(HIGHEST_ROUBLES) },
  ],
};
const POSITIVE = String.raw`(?!0+(?:\.0+)?$)\d{1,9}(?:\.\d{1,9})?`;
const FACTOR_JSON = {
  description: 'A positive decimal, such as "2" or "0.75".',
  anyOf: [
    { type: "string", pattern: `^${POSITIVE}$` },
    { type: "number", exclusiveMinimum: 0, maximum: 999_999_999.999 },
  ],
};

export const ROUBLES = named("roubles", value(ROUBLES_JSON, readRoubles));
export const FACTOR = value(FACTOR_JSON, readFactor);

/** A value that is its text, if the text has this form. */
export function patterned(pattern: RegExp, what: ExpectedValue, json: object = {}) {
  return value({ type: "string", pattern: pattern.source, ...json }, (text, found) =>
    pattern.test(text) ? text : expected(what, found),
  );
}

const MONTH_AND_DAY = String.raw`(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

export const DATE = value(
  { type: "string", pattern: MOMENT.source.replace(String.raw`\d{2}-\d{2}`, MONTH_AND_DAY) },
  (text, found) => {
    const date = new Date(MOMENT.test(text) ? text : Number.NaN);
    return Number.isNaN(date.getTime()) ? expected("date", found) : date;
  },
);

/** Tax law counts days in Moscow. */
const MOSCOW_MIDNIGHT = "T00:00:00+03:00";

export const MOSCOW_DAY = value(
  { type: "string", pattern: `^\\d{4}-${MONTH_AND_DAY}$` },
  (text, found) => {
    const from = new Date(`${text}${MOSCOW_MIDNIGHT}`);
    // The 31st of a month that has 30 days would be another day.
    const isDay =
      /^\d{4}-\d{2}-\d{2}$/.test(text) &&
      !Number.isNaN(from.getTime()) &&
      new Date(`${text}T00:00:00Z`).toISOString().startsWith(text);
    return isDay ? from : expected("day", found);
  },
);

/** http(s), without a slash at its end. Mistakes never repeat the value of a variable. */
export const BASE_URL = value(
  { type: "string", pattern: String.raw`^\s*[Hh][Tt][Tt][Pp][Ss]?:` },
  (text, found) => {
    const { at, reader } = found;
    const url = URL.parse(text);
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
      return expected("address", found);
    if (url.username !== "" || url.password !== "") return reader.note(at, "address_with_password");
    if (url.hash !== "") return reader.note(at, "address_with_fragment");
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}${url.search}`;
  },
);

/**
 * An address without a path names its host too, so that a variable that holds an address can be
 * used.
 */
const HOST_FORM = /^([Hh][Tt][Tt][Pp][Ss]?:\/\/)?([^/?#@\\\s]+)\/?$/;

export const HOST = value({ type: "string", pattern: HOST_FORM.source }, (text, found) => {
  const [, scheme, host = ""] = HOST_FORM.exec(text) ?? [];
  const url = URL.parse(`${scheme ?? "http://"}${host}`);
  if (url === null) return expected("host", found);
  return scheme === undefined ? host.toLowerCase() : url.host;
});

/** The name of a variable that holds a credential. */
export const CREDENTIAL_NAME = value(
  { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
  // Not repeated: an operator who writes the credential itself here must not find it in a log.
  (text, { at, reader }) =>
    isEnvironmentName(text) ? text : reader.note(at, "not_a_variable_name"),
);
