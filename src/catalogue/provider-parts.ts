/**
 * The small parts that descriptions of providers are made of: pointers, templates, headers, and
 * maps of words.
 */
import Type from "typebox";
import type { TUnsafe } from "typebox";
import type { JsonValue } from "../protocol/task-provider.ts";
import { ERROR_MEANINGS } from "../protocol/task-provider.ts";
import { readJsonValue } from "./read-json-value.ts";
import {
  compiled,
  described,
  type Found,
  mapOf,
  named,
  oneOrMore,
  orElse,
  recordOf,
  TEXT,
  value,
  words,
} from "./schema-parts.ts";
import { expected, patterned } from "./single-values.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const PLACE = /\{\+?([^{}]*)\}/g;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Those that the call itself decides. */
const OWN_HEADERS = new Set([
  "host",
  "content-length",
  "content-type",
  "transfer-encoding",
  "connection",
  "accept-encoding",
  "expect",
  "te",
]);
const POINTER_FORM = /^(?!(?:.*\/)?__proto__(?:\/|$))(?:\/(?:[^~/]|~[01])*)*$/;
const POINTER_KEY = /^(?!(?:.*\/)?__proto__(?:\/|$))(?:\/(?:[^~/]|~[01])*)+$/;
const STATUS = /^[1-5]\d\d$/;

export const POINTER = named("pointer", patterned(POINTER_FORM, "pointer"));
export const POINTERS = orElse(oneOrMore(POINTER), []);
export const JSON_VALUE: TUnsafe<JsonValue> = Type.Unsafe({
  "~place": ({ at, reader }: Found) => readJsonValue(reader, at),
});

/** Notes of every place that has no value there; whether there was none. */
export function checkPlaces(
  text: string,
  known: readonly string[],
  { at, reader }: Found,
): boolean {
  const unknown = placesIn(text).filter((name) => !known.includes(name));
  for (const name of unknown) {
    // A name that came from the environment is not repeated.
    if (shown(at).includes(`${name}}`))
      reader.note(at, "unknown_name", { what: "place", name, ...meantBy(name, known) });
    else reader.note(at, "place_hidden");
  }
  const isBroken = /[{}]/.test(text.replaceAll(PLACE, ""));
  if (isBroken) reader.note(at, "brace_alone", { got: shown(at) });
  return unknown.length === 0 && !isBroken;
}

export function placesIn(text: string): string[] {
  return [...text.matchAll(PLACE)].map(([, name = ""]) => name);
}

/** `known`: the places that have a value there. */
export function template(known: readonly string[]): TUnsafe<string> {
  return value(TEXT, (text, found) => (checkPlaces(text, known, found) ? text : undefined));
}

const PATH_FORM = /^(?:\/|\{\+path\})[^\s\\#]*$/;

/** A path under the base address. */
export function path(known: readonly string[]): TUnsafe<string> {
  return value({ type: "string", pattern: PATH_FORM.source }, (text, found) => {
    if (!checkPlaces(text, known, found)) return undefined;
    return PATH_FORM.test(text) ? text : expected("path", found);
  });
}

/** The rule of its mapping checks it. */
export const HEADER_NAME = value({ type: "string", pattern: HEADER.source }, (text) => text);

/** `said`: how the file writes it. */
export function checkHeaderName(name: string, { at, reader }: Found, label = name.slice(0, 80)) {
  if (!HEADER.test(name)) reader.note(at, "bad_name", { what: "header", name: label });
  else if (OWN_HEADERS.has(name.toLowerCase())) reader.note(at, "own_header", { header: label });
}

/** Names in lower case. */
export function headers(known: readonly string[]) {
  const header = value(TEXT, (text, found) => {
    if (!checkPlaces(text, known, found)) return undefined;
    return /^[\t\x20-\x7e]*$/.test(text) ? text : found.reader.note(found.at, "header_not_ascii");
  });
  const all = recordOf(header, { key: checkHeaderName, keyPattern: HEADER.source });
  return orElse(
    compiled(all, (read) =>
      Object.fromEntries(Object.entries(read).map(([name, text]) => [name.toLowerCase(), text])),
    ),
    {},
  );
}

/** In the order of the file. */
export function meanings<const Words extends readonly string[]>(known: Words) {
  return orElse(mapOf(words(known)), new Map<string, never>());
}

export const ERROR_CODES = named("errorCodes", meanings(ERROR_MEANINGS));
export const STATUSES = orElse(
  mapOf(words(ERROR_MEANINGS), {
    keyPattern: STATUS.source,
    key(name, { at, reader }) {
      if (!STATUS.test(name))
        reader.note(at, "expected", { what: "status", got: name.slice(0, 80) });
    },
  }),
  new Map<string, never>(),
);

/** By where each stands. */
export function byPointer<Schema extends typeof JSON_VALUE>(entry: Schema) {
  return orElse(
    mapOf(entry, {
      keyPattern: POINTER_KEY.source,
      key(name, { at, reader }) {
        if (!POINTER_KEY.test(name))
          reader.note(at, "expected", { what: "pointer_key", got: name.slice(0, 80) });
      },
    }),
    new Map<string, never>(),
  );
}

export const TEXTS_BY_NAME = orElse(recordOf(TEXT), {});

export const VALUE_TEST = Type.Object({
  at: described("Where the value stands.", POINTER),
  equals: described("The value, or a list of such.", oneOrMore(TEXT, "value")),
});
