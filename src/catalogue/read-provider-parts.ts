/**
 * Reads the small parts that descriptions of providers are made of: pointers, templates, headers,
 * and maps of words.
 */
import type { ErrorMeaning, JsonPointer, Template, ValueTest } from "../protocol/task-provider.ts";
import { ERROR_MEANINGS } from "../protocol/task-provider.ts";
import { whole } from "./whole.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
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
const STATUS = /^[1-5]\d\d$/;

export function readPointer(reader: YamlReader, at: Place): JsonPointer | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  if (POINTER.test(text) && !text.split("/").includes("__proto__")) return text;
  reader.note(at, "expected", { what: "pointer", got: shown(at) });
  return undefined;
}

/** One, or a list. */
export function readPointers(reader: YamlReader, at: Place): JsonPointer[] | undefined {
  const places = reader.isList(at) ? reader.items(at) : [at];
  const pointers = (places ?? []).map((place) => readPointer(reader, place));
  return pointers.includes(undefined)
    ? undefined
    : pointers.filter((pointer) => pointer !== undefined);
}

/** `known`: the places that have a value there. */
export function readTemplate(
  reader: YamlReader,
  at: Place,
  known: readonly string[],
): Template | undefined {
  const text = reader.text(at);
  if (text === undefined || !checkPlaces(reader, at, text, known)) return undefined;
  return text;
}

export function checkPlaces(
  reader: YamlReader,
  at: Place,
  text: string,
  known: readonly string[],
): boolean {
  const unknown = [...text.matchAll(PLACE)]
    .map(([, name = ""]) => name)
    .filter((name) => !known.includes(name));
  for (const name of unknown) {
    // A name that came from the environment is not repeated.
    const isWritten = shown(at).includes(`${name}}`);
    if (isWritten)
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

/** A path under the base address. */
export function readPath(
  reader: YamlReader,
  at: Place,
  known: readonly string[],
): Template | undefined {
  const text = readTemplate(reader, at, known);
  if (text === undefined || /^(?:\/|\{\+path\})[^\s\\#]*$/.test(text)) return text;
  reader.note(at, "expected", { what: "path", got: shown(at) });
  return undefined;
}

/** In the order of the file. */
export function readMap<T>(
  reader: YamlReader,
  at: Place,
  readValue: (place: Place, name: string) => T | undefined,
  checkName: (place: Place, name: string) => boolean = () => true,
): Map<string, T> | undefined {
  const entries = reader.entries(at);
  if (entries === undefined) return undefined;
  const map = new Map<string, T>();
  for (const entry of entries) {
    const value = readValue(entry.at, entry.name);
    if (checkName(entry.at, entry.name) && value !== undefined) map.set(entry.name, value);
  }
  return map.size === entries.length ? map : undefined;
}

export function readRecord<T>(
  reader: YamlReader,
  at: Place,
  readValue: (place: Place, name: string) => T | undefined,
): Record<string, T> | undefined {
  const map = readMap(reader, at, readValue);
  return map && Object.fromEntries(map);
}

/** Names in lower case. */
export function readHeaders(
  reader: YamlReader,
  at: Place,
  known: readonly string[],
): Record<string, Template> | undefined {
  const headers = readMap(
    reader,
    at,
    (place) => {
      const value = readTemplate(reader, place, known);
      if (value === undefined || /^[\t\x20-\x7e]*$/.test(value)) return value;
      reader.note(place, "header_not_ascii");
      return undefined;
    },
    (place, name) => checkHeaderName(reader, place, name),
  );
  return (
    headers && Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]))
  );
}

/** `said`: how the file writes it. */
export function checkHeaderName(
  reader: YamlReader,
  at: Place,
  name: string,
  said = name.slice(0, 80),
): boolean {
  if (!HEADER.test(name)) reader.note(at, "bad_name", { what: "header", name: said });
  else if (OWN_HEADERS.has(name.toLowerCase())) reader.note(at, "own_header", { header: said });
  else return true;
  return false;
}

export function readMeanings<Word extends string>(
  reader: YamlReader,
  at: Place,
  words: readonly Word[],
): Map<string, Word> | undefined {
  return readMap(reader, at, (place) => reader.oneOf(place, words));
}

export function readCodes(
  reader: YamlReader,
  at: Place | undefined,
): Map<string, ErrorMeaning> | undefined {
  return at === undefined ? new Map() : readMeanings(reader, at, ERROR_MEANINGS);
}

export function readStatuses(
  reader: YamlReader,
  at: Place | undefined,
): Map<string, ErrorMeaning> | undefined {
  if (at === undefined) return new Map();
  return readMap(
    reader,
    at,
    (place) => reader.oneOf(place, ERROR_MEANINGS),
    (place, name) => {
      if (!STATUS.test(name))
        reader.note(place, "expected", { what: "status", got: name.slice(0, 80) });
      return STATUS.test(name);
    },
  );
}

export function readTest(reader: YamlReader, at: Place): ValueTest | undefined {
  const fields = reader.fields(at, ["at", "equals"]);
  if (fields === undefined) return undefined;
  const atPlace = reader.required(at, fields, "at");
  const equalsPlace = reader.required(at, fields, "equals");
  const places =
    equalsPlace && (reader.isList(equalsPlace) ? reader.items(equalsPlace) : [equalsPlace]);
  if (equalsPlace !== undefined && places?.length === 0)
    reader.note(equalsPlace, "none_given", { what: "value" });
  const equals = places?.map((place) => reader.text(place));
  return whole<ValueTest>({
    at: atPlace && readPointer(reader, atPlace),
    equals:
      equals === undefined || equals.length === 0 || equals.includes(undefined)
        ? undefined
        : equals.filter((text) => text !== undefined),
  });
}

export function readFlag(reader: YamlReader, at: Place | undefined): boolean | undefined {
  const word = at === undefined ? "false" : reader.oneOf(at, ["true", "false"]);
  return word === undefined ? undefined : word === "true";
}
