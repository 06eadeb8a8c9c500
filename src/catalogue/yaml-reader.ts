/**
 * Reads a YAML document field by field, noting every mistake with its path and line instead of
 * stopping at the first.
 */
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document, LineCounter, Node } from "yaml";
import type {
  CatalogueMistake,
  CatalogueMistakeCode,
  Meant,
  YamlKind,
} from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt, type ParamsOf } from "../contract/catalogue/mistake-at.ts";
import { nearestName } from "../kernel/nearest-name.ts";
import type { Environment } from "./interpolate.ts";
import { hasReference, interpolate } from "./interpolate.ts";

/** A place in the document: what stands there, and how a mistake names it. */
export interface Place {
  readonly path: string;
  readonly line: number | null;
  readonly node: Node | null;
}

export interface Entry {
  readonly name: string;
  readonly at: Place;
}

/** Every reading function returns undefined after it noted a mistake. */
export interface YamlReader {
  readonly root: Place;
  /** Values that came from the environment are never among the params. */
  note<Code extends CatalogueMistakeCode>(at: Place, code: Code, ...params: ParamsOf<Code>): void;
  /** All entries of a mapping, in order. */
  entries(at: Place): Entry[] | undefined;
  /**
   * A mapping whose keys are known; unknown ones are mistakes. Absent keys, and those with an empty
   * value, have no place.
   */
  fields<Name extends string>(
    at: Place,
    known: readonly Name[],
  ): Partial<Record<Name, Place>> | undefined;
  /** The place of a field that must be there. */
  required<Name extends string>(
    at: Place,
    fields: Partial<Record<Name, Place>>,
    name: Name,
  ): Place | undefined;
  items(at: Place): Place[] | undefined;
  isMapping(at: Place): boolean;
  isList(at: Place): boolean;
  /** The text of a scalar exactly as it was written, a number's too: `4.50` stays `4.50`. */
  text(at: Place): string | undefined;
  oneOf<Word extends string>(at: Place, words: readonly Word[]): Word | undefined;
  wholeNumber(at: Place, low: number, high: number): number | undefined;
  /** The same reader with `${NAME}` replaced in every text. */
  withEnvironment(env: Environment): YamlReader;
}

export function createYamlReader(
  document: Document,
  lines: LineCounter,
  mistakes: CatalogueMistake[],
  env?: Environment,
): YamlReader {
  function lineOf(node: Node | null): number | null {
    const offset = node?.range?.[0];
    return offset === undefined ? null : lines.linePos(offset).line;
  }

  function placeOf(path: string, value: unknown, key: Node | null): Place {
    const node = isAlias(value)
      ? (value.resolve(document) ?? null)
      : ((value as Node | null | undefined) ?? null);
    return { path, line: lineOf(key) ?? lineOf(value as Node | null), node };
  }

  function note<Code extends CatalogueMistakeCode>(
    at: Place,
    code: Code,
    ...params: ParamsOf<Code>
  ): undefined {
    const found = mistakeAt(at, code, ...params);
    // A place may be read twice; its mistakes are told once.
    const told = mistakes.some(
      ({ path, line, message }) =>
        path === at.path && line === at.line && message === found.message,
    );
    if (!told) mistakes.push(found);
    return undefined;
  }

  const reader: YamlReader = {
    root: placeOf("", document.contents, null),
    note,

    entries(at) {
      if (!isMap(at.node))
        return note(at, "wrong_kind", { wanted: "mapping", got: kindOf(at.node) });
      const entries: Entry[] = [];
      for (const pair of at.node.items) {
        const key = isScalar(pair.key) ? pair.key : null;
        const name = key === null ? "" : (key.source ?? String(key.value));
        const place = placeOf(join(at.path, name), pair.value, key);
        if (name === "") note(place, "empty_key");
        else if (entries.some((entry) => entry.name === name))
          note(place, "key_twice", { key: name });
        else entries.push({ name, at: place });
      }
      return entries;
    },

    fields<Name extends string>(at: Place, known: readonly Name[]) {
      const entries = reader.entries(at);
      if (entries === undefined) return undefined;
      const found: Partial<Record<Name, Place>> = {};
      for (const entry of entries) {
        const name = known.find((candidate) => candidate === entry.name);
        if (name === undefined)
          note(entry.at, "unknown_key", { key: entry.name, ...meantBy(entry.name, known) });
        else if (!isEmpty(entry.at.node)) found[name] = entry.at;
      }
      return found;
    },

    required(at, fields, name) {
      return fields[name] ?? note({ ...at, path: join(at.path, name) }, "missing");
    },

    items(at) {
      if (!isSeq(at.node)) return note(at, "wrong_kind", { wanted: "list", got: kindOf(at.node) });
      return at.node.items.map((item, index) => placeOf(`${at.path}[${index}]`, item, null));
    },

    isMapping: (at) => isMap(at.node),
    isList: (at) => isSeq(at.node),

    text(at) {
      if (!isScalar(at.node) || isEmpty(at.node))
        return note(at, "wrong_kind", { wanted: "text", got: kindOf(at.node) });
      const written = at.node.source ?? String(at.node.value);
      if (!hasReference(written)) return written;
      if (env === undefined) return note(at, "reference_outside_upstreams");
      const result = interpolate(written, env);
      if (result.ok) return result.text;
      for (const { code, params } of result.problems) note(at, code, params);
      return undefined;
    },

    oneOf<Word extends string>(at: Place, words: readonly Word[]) {
      const text = reader.text(at);
      if (text === undefined) return undefined;
      const word = words.find((candidate) => candidate === text);
      return word ?? note(at, "unknown_word", { got: shown(at), ...meantBy(text, words) });
    },

    wholeNumber(at, low, high) {
      const text = reader.text(at);
      if (text === undefined) return undefined;
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return number >= low && number <= high
        ? number
        : note(at, "not_whole_number", { min: low, max: high, got: shown(at) });
    },

    withEnvironment: (given) => createYamlReader(document, lines, mistakes, given),
  };
  return reader;
}

/**
 * What the author wrote there, references unreplaced and not too long, so that a mistake can repeat
 * it.
 */
export function shown(at: Place): string {
  const text = isScalar(at.node) ? (at.node.source ?? String(at.node.value)) : kindOf(at.node);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** No mistake lists more names. */
const LISTED = 20;

/** The known name that is near, else what is known. */
export function meantBy(given: string, known: Iterable<string>): Meant {
  const names = [...known];
  const near = nearestName(given, names);
  return near === null
    ? { near, known: names.slice(0, LISTED), more: names.length > LISTED }
    : { near, known: [], more: false };
}

function join(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}["${name}"]`;
  return path === "" ? name : `${path}.${name}`;
}

function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function kindOf(node: Node | null): YamlKind {
  if (isEmpty(node)) return "nothing";
  if (isMap(node)) return "mapping";
  return isSeq(node) ? "list" : "value";
}
