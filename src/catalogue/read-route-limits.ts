/**
 * Reads the limits of a task's route: what its provider allows less of than the parameter table
 * does.
 */
import type { MediaDeclaration } from "../contract/tasks/media-declaration.ts";
import type { FileLimits, ParameterLimits, RouteLimits } from "../contract/tasks/route-limits.ts";
import type { TaskParameter } from "../contract/tasks/task-parameter.ts";
import { TASK_TABLES } from "../contract/tasks/task-tables.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

type Parameters = Readonly<Record<string, TaskParameter>>;

const MOST = 1_000_000_000;
const FILE_FIELDS = [
  "contentTypes",
  "maxMegabytes",
  "minSidePx",
  "maxSidePx",
  "pixels",
  "aspect",
  "seconds",
  "framesPerSecond",
  "totalSeconds",
] as const satisfies readonly (keyof FileLimits)[];
const LIST_FIELDS = ["minCount", "maxCount"] as const;
/** Of a parameter of each kind; a flag has none of its own. */
const FIELDS: Readonly<Record<TaskParameter["kind"], readonly string[]>> = {
  text: ["minLength", "maxLength"],
  number: ["min", "max"],
  integer: ["min", "max"],
  choice: ["values"],
  flag: [],
  url: FILE_FIELDS,
  urls: [...LIST_FIELDS, ...FILE_FIELDS],
  texts: LIST_FIELDS,
  objects: LIST_FIELDS,
};

/** Undefined after a mistake; `table` may be one that does not exist, which was noted elsewhere. */
export function readRouteLimits(
  reader: YamlReader,
  at: Place,
  table: string | undefined,
): RouteLimits | undefined {
  const entries = reader.entries(at);
  const parameters = [...TASK_TABLES].find(([id]) => id === table)?.[1].parameters;
  if (entries === undefined || parameters === undefined) return undefined;
  const names = Object.keys(parameters);
  const found = new Map<string, ParameterLimits>();
  let exclusive: RouteLimits["exclusive"] | undefined = [];
  let needs: RouteLimits["needs"] | undefined = new Map();
  let whole = true;
  for (const { name, at: place } of entries) {
    if (name === "exclusive") exclusive = readExclusive(reader, place, names);
    else if (name === "needs") needs = readNeeds(reader, place, names);
    else {
      const limits = readParameterLimits(reader, place, name, parameters);
      if (limits === undefined) whole = false;
      else found.set(name, limits);
    }
  }
  return whole && exclusive !== undefined && needs !== undefined
    ? { parameters: found, exclusive, needs }
    : undefined;
}

function readParameterLimits(
  reader: YamlReader,
  at: Place,
  name: string,
  parameters: Parameters,
): ParameterLimits | undefined {
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter === undefined) return noSuchParameter(reader, at, name, Object.keys(parameters));
  const known = FIELDS[parameter.kind];
  if (known.length === 0) {
    reader.note(at, "flag_limit", { parameter: name });
    return undefined;
  }
  const fields: Partial<Record<string, Place>> | undefined = reader.fields(at, known);
  if (fields === undefined) return undefined;
  const limits: Record<string, unknown> = {};
  const files: Record<string, unknown> = {};
  for (const [field, place] of Object.entries(fields)) {
    if (place === undefined) continue;
    const value = readLimit(reader, place, field, parameter);
    if (value === undefined) return undefined;
    const ofFiles = (FILE_FIELDS as readonly string[]).includes(field);
    (ofFiles ? files : limits)[field] = value;
  }
  return { ...limits, ...(Object.keys(files).length === 0 ? {} : { files }) };
}

function readLimit(
  reader: YamlReader,
  at: Place,
  field: string,
  parameter: TaskParameter,
): unknown {
  switch (field) {
    case "values":
      return parameter.kind === "choice" ? readWords(reader, at, parameter.values) : undefined;
    case "contentTypes": {
      const media =
        parameter.kind === "url" || parameter.kind === "urls" ? parameter.media : undefined;
      return media && readContentTypes(reader, at, media);
    }
    case "pixels":
    case "aspect":
    case "seconds":
    case "framesPerSecond":
      return readRange(reader, at);
    default:
      return readNumber(reader, at);
  }
}

function readNumber(reader: YamlReader, at: Place): number | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  if (/^\d{1,10}(?:\.\d{1,6})?$/.test(text) && Number(text) <= MOST) return Number(text);
  reader.note(at, "expected", { what: "number", got: shown(at) });
  return undefined;
}

function readRange(reader: YamlReader, at: Place): [number, number] | undefined {
  const places = reader.items(at);
  if (places === undefined) return undefined;
  const [min, max] = places.map((place) => readNumber(reader, place));
  if (places.length === 2 && min !== undefined && max !== undefined && min <= max)
    return [min, max];
  if (places.length !== 2) reader.note(at, "not_a_range");
  else if (min !== undefined && max !== undefined)
    reader.note(at, "least_above_most", { min, max });
  return undefined;
}

function readWords(reader: YamlReader, at: Place, known: readonly string[]): string[] | undefined {
  const places = reader.items(at);
  const words = (places ?? []).map((place) => reader.oneOf(place, known));
  return places === undefined || words.includes(undefined)
    ? undefined
    : words.filter((word) => word !== undefined);
}

function readContentTypes(
  reader: YamlReader,
  at: Place,
  { kind, contentTypes }: MediaDeclaration,
): string[] | undefined {
  if (contentTypes !== undefined) return readWords(reader, at, contentTypes);
  const places = reader.items(at);
  const types = (places ?? []).map((place) => {
    const type = reader.text(place);
    if (type === undefined || type.startsWith(`${kind}/`)) return type;
    reader.note(place, "expected", { what: `${kind}_type`, got: shown(place) });
    return undefined;
  });
  return places === undefined || types.includes(undefined)
    ? undefined
    : types.filter((type) => type !== undefined);
}

/**
 * `[[a, b]]`: one of them at most; a list in place of a name is a group whose members may stand
 * together.
 */
function readExclusive(
  reader: YamlReader,
  at: Place,
  names: readonly string[],
): RouteLimits["exclusive"] | undefined {
  const places = reader.items(at);
  const sets = (places ?? []).map((place) => {
    const items = reader.items(place);
    const groups = (items ?? []).map((item) =>
      reader.isList(item) ? readNames(reader, item, names) : readName(reader, item, names),
    );
    if (items !== undefined && items.length < 2)
      reader.note(place, "none_given", { what: "exclusive" });
    if (items === undefined || items.length < 2 || groups.includes(undefined)) return undefined;
    return groups.filter((group) => group !== undefined);
  });
  return places === undefined || sets.includes(undefined)
    ? undefined
    : sets.filter((set) => set !== undefined);
}

function readNeeds(
  reader: YamlReader,
  at: Place,
  names: readonly string[],
): RouteLimits["needs"] | undefined {
  const entries = reader.entries(at);
  if (entries === undefined) return undefined;
  const needs = new Map<string, readonly string[]>();
  for (const { name, at: place } of entries) {
    if (!names.includes(name)) noSuchParameter(reader, place, name, names);
    const others = reader.isList(place)
      ? readNames(reader, place, names)
      : readName(reader, place, names);
    if (names.includes(name) && others !== undefined) needs.set(name, others);
  }
  return needs.size === entries.length ? needs : undefined;
}

function readNames(reader: YamlReader, at: Place, names: readonly string[]): string[] | undefined {
  const places = reader.items(at);
  const read = (places ?? []).map((place) => readName(reader, place, names));
  return places === undefined || read.includes(undefined)
    ? undefined
    : read.flatMap((name) => name ?? []);
}

function readName(reader: YamlReader, at: Place, names: readonly string[]): [string] | undefined {
  const name = reader.text(at);
  if (name === undefined) return undefined;
  return names.includes(name) ? [name] : noSuchParameter(reader, at, name, names);
}

function noSuchParameter(
  reader: YamlReader,
  at: Place,
  name: string,
  names: readonly string[],
): undefined {
  reader.note(at, "unknown_name", {
    what: "table_parameter",
    name: name.slice(0, 80),
    ...meantBy(name, names),
  });
}
