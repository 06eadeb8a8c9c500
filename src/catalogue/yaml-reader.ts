/** Reads a YAML document field by field, noting every mistake with its path and line instead of stopping at the first. */
import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document, LineCounter, Node } from "yaml";
import { nearestName } from "../kernel/nearest-name.ts";
import type { Environment } from "./interpolate.ts";
import { hasReference, interpolate } from "./interpolate.ts";

export interface Mistake {
  /** Where in the document, as in `models.sandbox-large.routes[0].upstream`; empty for the document itself. */
  readonly path: string;
  /** Counted from 1; null when the place has no line of its own. */
  readonly line: number | null;
  /** Says what is wrong and what is expected; values that came from the environment are never repeated. */
  readonly message: string;
}

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
  note(at: Place, message: string): void;
  /** All entries of a mapping, in order. */
  entries(at: Place): Entry[] | undefined;
  /** A mapping whose keys are known; unknown ones are mistakes. Absent keys, and those with an empty value, have no place. */
  fields<Name extends string>(at: Place, known: readonly Name[]): Partial<Record<Name, Place>> | undefined;
  /** The place of a field that must be there. */
  required<Name extends string>(at: Place, fields: Partial<Record<Name, Place>>, name: Name): Place | undefined;
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

export function createYamlReader(document: Document, lines: LineCounter, mistakes: Mistake[], env?: Environment): YamlReader {
  function lineOf(node: Node | null): number | null {
    const offset = node?.range?.[0];
    return offset === undefined ? null : lines.linePos(offset).line;
  }

  function placeOf(path: string, value: unknown, key: Node | null): Place {
    const node = isAlias(value) ? (value.resolve(document) ?? null) : ((value as Node | null | undefined) ?? null);
    return { path, line: lineOf(key) ?? lineOf(value as Node | null), node };
  }

  function note(at: Place, message: string): undefined {
    // A place may be read twice; its mistakes are told once.
    const told = mistakes.some((mistake) => mistake.path === at.path && mistake.line === at.line && mistake.message === message);
    if (!told) mistakes.push({ path: at.path, line: at.line, message });
    return undefined;
  }

  const reader: YamlReader = {
    root: placeOf("", document.contents, null),
    note,

    entries(at) {
      if (!isMap(at.node)) return note(at, `a mapping (key: value) is expected, not ${kindOf(at.node)}`);
      const entries: Entry[] = [];
      for (const pair of at.node.items) {
        const key = isScalar(pair.key) ? pair.key : null;
        const name = key === null ? "" : (key.source ?? String(key.value));
        const place = placeOf(join(at.path, name), pair.value, key);
        if (name === "") note(place, "a key must be a text that is not empty");
        else if (entries.some((entry) => entry.name === name)) note(place, `"${name}" stands here a second time`);
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
        if (name === undefined) note(entry.at, `unknown key "${entry.name}"; ${suggestion(entry.name, known)}`);
        else if (!isEmpty(entry.at.node)) found[name] = entry.at;
      }
      return found;
    },

    required(at, fields, name) {
      return fields[name] ?? note({ ...at, path: join(at.path, name) }, "required, and missing");
    },

    items(at) {
      if (!isSeq(at.node)) return note(at, `a list is expected, not ${kindOf(at.node)}`);
      return at.node.items.map((item, index) => placeOf(`${at.path}[${index}]`, item, null));
    },

    isMapping: (at) => isMap(at.node),
    isList: (at) => isSeq(at.node),

    text(at) {
      if (!isScalar(at.node) || isEmpty(at.node)) return note(at, `a text is expected, not ${kindOf(at.node)}`);
      const written = at.node.source ?? String(at.node.value);
      if (!hasReference(written)) return written;
      if (env === undefined) return note(at, "${…} is replaced in upstreams only; write the value itself here");
      const result = interpolate(written, env);
      if (result.ok) return result.text;
      for (const problem of result.problems) note(at, problem);
      return undefined;
    },

    oneOf<Word extends string>(at: Place, words: readonly Word[]) {
      const text = reader.text(at);
      if (text === undefined) return undefined;
      const word = words.find((candidate) => candidate === text);
      return word ?? note(at, `"${shown(at)}" is not one of the known words; ${suggestion(text, words)}`);
    },

    wholeNumber(at, low, high) {
      const text = reader.text(at);
      if (text === undefined) return undefined;
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return number >= low && number <= high ? number : note(at, `a whole number from ${low} to ${high} is expected, not "${shown(at)}"`);
    },

    withEnvironment: (given) => createYamlReader(document, lines, mistakes, given),
  };
  return reader;
}

/** What the author wrote there, references unreplaced and not too long, so that a mistake can repeat it. */
export function shown(at: Place): string {
  const text = isScalar(at.node) ? (at.node.source ?? String(at.node.value)) : kindOf(at.node);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** "did you mean …?" when a known name is near, else the list of what is known. */
export function suggestion(given: string, known: Iterable<string>): string {
  const names = [...known];
  const nearest = nearestName(given, names);
  if (nearest !== null) return `did you mean "${nearest}"?`;
  if (names.length === 0) return "none is defined";
  const listed = names.slice(0, 20).join(", ");
  return `known: ${listed}${names.length > 20 ? ", …" : ""}`;
}

function join(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}["${name}"]`;
  return path === "" ? name : `${path}.${name}`;
}

function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function kindOf(node: Node | null): string {
  if (isEmpty(node)) return "nothing";
  if (isMap(node)) return "a mapping";
  return isSeq(node) ? "a list" : "a plain value";
}
