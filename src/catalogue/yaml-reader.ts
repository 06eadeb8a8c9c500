/**
 * Reads a YAML document place by place, noting every mistake with its path and line instead of
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
  /** Mistakes of one line are told in the order of their places. */
  readonly offset: number;
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
  note<Code extends CatalogueMistakeCode>(
    at: Place,
    code: Code,
    ...params: ParamsOf<Code>
  ): undefined;
  /**
   * How many values were mistaken or missing so far; a key that is too many leaves the rest of its
   * mapping whole.
   */
  gaps(): number;
  /** In the order of the file. */
  mistakes(): CatalogueMistake[];
  /** All entries of a mapping, in order. */
  entries(at: Place): Entry[] | undefined;
  /**
   * A mapping whose keys are known; unknown ones are mistakes. Absent keys, and those with an empty
   * value, have no place.
   */
  fields(at: Place, known: readonly string[]): ReadonlyMap<string, Place> | undefined;
  items(at: Place): Place[] | undefined;
  /**
   * Further in: by the name of a key or the place in a list, which a value that stands without its
   * list has for itself. What is not there is told where it should be.
   */
  child(at: Place, ...steps: readonly (string | number)[]): Place;
  /** Whether the mapping has this key with a value. */
  has(at: Place, name: string): boolean;
  isMapping(at: Place): boolean;
  isList(at: Place): boolean;
  /** The text of a scalar exactly as it was written, a number's too: `4.50` stays `4.50`. */
  text(at: Place): string | undefined;
  oneOf<Word extends string>(at: Place, words: readonly Word[]): Word | undefined;
  wholeNumber(at: Place, low: number, high: number): number | undefined;
  /** The same reader with `${NAME}` replaced in every text. */
  readonly withEnvironment: YamlReader;
}

const SPARE_KEYS: ReadonlySet<CatalogueMistakeCode> = new Set([
  "unknown_key",
  "key_twice",
  "empty_key",
]);

interface Noted {
  readonly mistake: CatalogueMistake;
  readonly offset: number;
}

export function createYamlReader(
  document: Document,
  lines: LineCounter,
  env: Environment,
): YamlReader {
  return readerOf(document, lines, { env, replaces: false }, { all: [], gaps: 0 });
}

function readerOf(
  document: Document,
  lines: LineCounter,
  references: { readonly env: Environment; readonly replaces: boolean },
  noted: { readonly all: Noted[]; gaps: number },
): YamlReader {
  function placeOf(path: string, value: unknown, key: Node | null): Place {
    const node = isAlias(value)
      ? (value.resolve(document) ?? null)
      : ((value as Node | null | undefined) ?? null);
    const offset = key?.range?.[0] ?? (value as Node | null | undefined)?.range?.[0];
    const line = offset === undefined ? null : lines.linePos(offset).line;
    return { path, line, offset: offset ?? 0, node };
  }

  function note<Code extends CatalogueMistakeCode>(
    at: Place,
    code: Code,
    ...params: ParamsOf<Code>
  ): undefined {
    const mistake = mistakeAt(at, code, ...params);
    if (!SPARE_KEYS.has(code)) noted.gaps += 1;
    // A place may be read twice; its mistakes are told once.
    const noticed = noted.all.some(
      ({ mistake: { path, line, message } }) =>
        path === at.path && line === at.line && message === mistake.message,
    );
    if (!noticed) noted.all.push({ mistake, offset: at.offset });
    return undefined;
  }

  function step(at: Place, name: string | number): Place {
    if (typeof name === "number")
      return isSeq(at.node) ? placeOf(`${at.path}[${name}]`, at.node.items[name], null) : at;
    const pair = isMap(at.node)
      ? at.node.items.find(({ key }) => isScalar(key) && keyOf(key) === name)
      : undefined;
    return pair === undefined
      ? { ...at, path: join(at.path, name), node: null }
      : placeOf(join(at.path, name), pair.value, pair.key as Node);
  }

  const reader: YamlReader = {
    root: placeOf("", document.contents, null),
    note,
    gaps: () => noted.gaps,
    mistakes: () =>
      noted.all
        .toSorted((a, b) => (a.mistake.line ?? 0) - (b.mistake.line ?? 0) || a.offset - b.offset)
        .map(({ mistake }) => mistake),

    entries(at) {
      if (!isMap(at.node))
        return note(at, "wrong_kind", { wanted: "mapping", got: kindOf(at.node) });
      const entries: Entry[] = [];
      const names = new Set<string>();
      for (const pair of at.node.items) {
        const key = isScalar(pair.key) ? pair.key : null;
        const name = key === null ? "" : keyOf(key);
        const place = placeOf(join(at.path, name), pair.value, key);
        if (name === "") note(place, "empty_key");
        else if (names.has(name)) note(place, "key_twice", { key: name });
        else entries.push({ name, at: place });
        names.add(name);
      }
      return entries;
    },

    fields(at, known) {
      const entries = reader.entries(at);
      if (entries === undefined) return undefined;
      const found = new Map<string, Place>();
      for (const { name, at: place } of entries) {
        if (!known.includes(name))
          note({ ...place, offset: at.offset }, "unknown_key", {
            key: name,
            ...meantBy(name, known),
          });
        else if (!isEmpty(place.node)) found.set(name, place);
      }
      return found;
    },

    items(at) {
      if (!isSeq(at.node)) return note(at, "wrong_kind", { wanted: "list", got: kindOf(at.node) });
      return at.node.items.map((item, index) => placeOf(`${at.path}[${index}]`, item, null));
    },

    child: (at, ...steps) => steps.reduce(step, at),
    has: (at, name) => !isEmpty(step(at, name).node),
    isMapping: (at) => isMap(at.node),
    isList: (at) => isSeq(at.node),

    text(at) {
      if (!isScalar(at.node) || isEmpty(at.node))
        return note(at, "wrong_kind", { wanted: "text", got: kindOf(at.node) });
      const written = at.node.source ?? String(at.node.value);
      if (!hasReference(written)) return written;
      if (!references.replaces) return note(at, "reference_outside_upstreams");
      const result = interpolate(written, references.env);
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

    get withEnvironment() {
      return readerOf(document, lines, { ...references, replaces: true }, noted);
    },
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

function keyOf(key: { readonly source?: string; readonly value: unknown }): string {
  return key.source ?? String(key.value);
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
