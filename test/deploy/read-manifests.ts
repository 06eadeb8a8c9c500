/** The files below ops/, read as what runs them would read them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

export const ROOT = join(import.meta.dirname, "../..");

export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [name: string]: Value };

export type Settings = Readonly<Record<string, string>>;

/** From the root, sorted. */
export function yamlFiles(): string[] {
  return globSync("ops/**/*.yaml", { cwd: ROOT }).toSorted();
}

export function readOps(path: string): string {
  return readFileSync(join(ROOT, "ops", path), "utf8");
}

/** Documents of YAML; throws at the first mistake or warning. */
export function documentsIn(text: string): Value[] {
  const documents = parseAllDocuments(text, { merge: true });
  return [...documents].map((document) => {
    const [mistake] = [...document.errors, ...document.warnings];
    if (mistake !== undefined) throw mistake;
    return document.toJS() as Value;
  });
}

/** The document of this kind among those of a file of ops/; the first one where none is named. */
export function readDocument(path: string, kind?: string): Value {
  const found = documentsIn(readOps(path)).find(
    (document) => kind === undefined || at(document, "kind") === kind,
  );
  if (found === undefined) throw new Error(`${path} has no ${kind ?? "document"}`);
  return found;
}

/** What lies below, by names and numbers; null where nothing does. */
export function at(value: Value, ...path: readonly (string | number)[]): Value {
  let found: Value = value;
  for (const part of path) {
    if (typeof found !== "object" || found === null) return null;
    found = (found as { readonly [name: string]: Value })[String(part)] ?? null;
  }
  return found;
}

export function listAt(value: Value, ...path: readonly (string | number)[]): readonly Value[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as readonly Value[]) : [];
}

export function entriesAt(
  value: Value,
  ...path: readonly (string | number)[]
): readonly (readonly [string, Value])[] {
  const found = at(value, ...path);
  return typeof found === "object" && found !== null && !Array.isArray(found)
    ? Object.entries(found)
    : [];
}

/** What is found under a name, at any depth. */
export function everyNamed(value: Value, name: string): Value[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [
    ...(key === name ? [below] : []),
    ...everyNamed(below, name),
  ]);
}

/** A text, or a number or boolean that stands without quotes; anything else is a mistake of ours. */
export function textOf(value: Value): string {
  if (value === null || typeof value === "object")
    throw new Error(`a text is expected, not ${JSON.stringify(value)}`);
  return String(value);
}

/** `NAME=VALUE` lines as settings. */
export function settingsOf(lines: readonly string[]): Settings {
  return Object.fromEntries(
    lines.map((line) => {
      const equals = line.indexOf("=");
      if (equals < 1) throw new Error(`not a setting: ${line}`);
      return [line.slice(0, equals), line.slice(equals + 1)];
    }),
  );
}

/** Compose's `${NAME:-default}`, with the defaults. */
export function withDefaults(text: string): string {
  return text.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, "$1");
}
