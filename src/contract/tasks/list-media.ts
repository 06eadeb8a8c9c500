/**
 * Finds every media URL in a task's parameters, with what is allowed to be there, and puts other
 * URLs in their places.
 */
import type { MediaDeclaration } from "./media-declaration.ts";
import type { TaskParameter } from "./task-parameter.ts";
import type { TaskParameters, TaskTable } from "./task-table.ts";

/** From the parameters inwards: `["videoUrls", 0]`, `["elements", 1, "urls", 0]`. */
export type MediaPath = readonly (string | number)[];

export interface MediaReference {
  /** The parameter: the path's first name. */
  readonly param: string;
  /** The place in the parameter's list; null when it is no list. */
  readonly index: number | null;
  readonly path: MediaPath;
  /** The path as mistakes write it: `elements[1].urls[0]`. */
  readonly field: string;
  readonly url: string;
  /** What the file has to be. Sums over a parameter (`totalSeconds`) are `checkMeasured`'s. */
  readonly media: MediaDeclaration;
}

/**
 * `parameters` as `readTaskParameters` gave them. In the order of the table; the same URL in two
 * places is two references.
 */
export function listMedia(table: TaskTable, parameters: TaskParameters): MediaReference[] {
  return referencesIn(table.parameters, parameters, []);
}

function referencesIn(
  fields: Readonly<Record<string, TaskParameter>>,
  values: Readonly<Record<string, unknown>>,
  before: MediaPath,
): MediaReference[] {
  return Object.entries(fields).flatMap(([name, parameter]) => {
    const value = values[name];
    const path = [...before, name];
    if (parameter.kind === "url")
      return typeof value === "string" ? [referenceTo(path, value, parameter.media)] : [];
    if (!Array.isArray(value)) return [];
    if (parameter.kind === "urls") {
      const media = value.length === 1 ? (parameter.alone ?? parameter.media) : parameter.media;
      return value.map((url: string, index) => referenceTo([...path, index], url, media));
    }
    if (parameter.kind !== "objects") return [];
    return value.flatMap((item: Readonly<Record<string, unknown>>, index) =>
      referencesIn(parameter.fields, item, [...path, index]),
    );
  });
}

function referenceTo(path: MediaPath, url: string, media: MediaDeclaration): MediaReference {
  return {
    param: String(path[0]),
    index: typeof path[1] === "number" ? path[1] : null,
    path,
    field: fieldOf(path),
    url,
    media,
  };
}

export function fieldOf(path: MediaPath): string {
  return path.reduce<string>((field, part) => {
    if (typeof part === "number") return `${field}[${part}]`;
    return field === "" ? part : `${field}.${part}`;
  }, "");
}

export interface MediaReplacement {
  readonly path: MediaPath;
  readonly url: string;
}

/**
 * The parameters with other URLs in the named places; what was given stays as it is. Paths are
 * those of `listMedia`.
 */
export function replaceMedia(
  parameters: TaskParameters,
  replacements: readonly MediaReplacement[],
): TaskParameters {
  const urls = new Map(replacements.map(({ path, url }) => [fieldOf(path), url]));
  return replaceIn(parameters, [], urls) as TaskParameters;
}

function replaceIn(value: unknown, path: MediaPath, urls: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return urls.get(fieldOf(path)) ?? value;
  if (Array.isArray(value))
    return value.map((item, index) => replaceIn(item, [...path, index], urls));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceIn(item, [...path, name], urls)]),
  );
}
