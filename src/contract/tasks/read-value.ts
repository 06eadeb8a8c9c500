/** Reads one value, or the fields of one object, against what their parameters allow. */
import { nearestName } from "../../kernel/nearest-name.ts";
import type { Reading } from "./read-media-url.ts";
import { readMediaUrl, reportNoList } from "./read-media-url.ts";
import type {
  ChoiceParameter,
  NumberParameter,
  ObjectsParameter,
  TaskParameter,
  TextParameter,
  TextsParameter,
  UrlsParameter,
} from "./task-parameter.ts";
import { defaultOf } from "./task-parameter.ts";

type JsonObject = Readonly<Record<string, unknown>>;

export interface ReadFields {
  /** Those that are valid, and the defaults of those that are absent. */
  readonly values: Record<string, unknown>;
  /** Names whose values came from the body. */
  readonly given: ReadonlySet<string>;
}

/** `prefix` stands before names in mistakes: `elements[0].`, or nothing. */
export function readFields(
  fields: Readonly<Record<string, TaskParameter>>,
  object: JsonObject,
  prefix: string,
  reading: Reading,
): ReadFields {
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  for (const [name, parameter] of Object.entries(fields)) {
    const param = `${prefix}${name}`;
    // Own properties only: what every object inherits is no task's parameter.
    const value = Object.hasOwn(object, name) ? (object[name] ?? null) : null;
    if (value === null) {
      const byDefault = defaultOf(parameter);
      if (parameter.required === true) reading.report({ param, code: "required", message: `'${param}' is required.` });
      else if (byDefault !== undefined) values[name] = byDefault;
      continue;
    }
    const read = readValue(parameter, value, param, reading);
    if (read === undefined) continue;
    values[name] = read;
    given.add(name);
  }
  reportUnknown(fields, object, prefix, reading);
  return { values, given };
}

function reportUnknown(fields: JsonObject, object: JsonObject, prefix: string, { report }: Reading): void {
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(fields, name)) continue;
    const nearest = nearestName(name, Object.keys(fields));
    const hint = nearest === null ? `Known: ${Object.keys(fields).join(", ")}.` : `Did you mean '${nearest}'?`;
    const message = `There is no parameter '${shown(`${prefix}${name}`)}'. ${hint}`;
    if (!report({ param: shown(`${prefix}${name}`), code: "unknown_parameter", message })) return;
  }
}

/** Undefined: a mistake was reported, or an empty list stands for nothing. */
function readValue(parameter: TaskParameter, value: unknown, param: string, reading: Reading): unknown {
  switch (parameter.kind) {
    case "text":
      return readText(parameter, value, param, reading);
    case "number":
    case "integer":
      return readNumber(parameter, value, param, reading);
    case "flag":
      if (typeof value === "boolean") return value;
      return refuse(reading, param, "type", "must be true or false");
    case "choice":
      return readChoice(parameter, value, param, reading);
    case "url":
      return readMediaUrl(value, param, reading);
    case "urls":
      return readUrls(parameter, value, param, reading);
    case "texts":
      return readTexts(parameter, value, param, reading);
    case "objects":
      return readObjects(parameter, value, param, reading);
  }
}

function refuse({ report }: Reading, param: string, code: string, must: string): undefined {
  report({ param, code, message: `'${param}' ${must}${must.endsWith("?") ? "" : "."}` });
  return undefined;
}

function readText(parameter: TextParameter, value: unknown, param: string, reading: Reading): string | undefined {
  if (typeof value !== "string") return refuse(reading, param, "type", "must be a string");
  // Neither can be stored or sent on: PostgreSQL takes no NUL, and half a pair is no text in UTF-8.
  if (!value.isWellFormed() || value.includes("\0")) {
    return refuse(reading, param, "characters", "contains a NUL character or half a surrogate pair");
  }
  const { minLength = 0, maxLength } = parameter;
  const length = lengthOf(value);
  // Spaces alone say nothing.
  if (minLength > 0 && value.trim() === "") return refuse(reading, param, "minLength", "must not be empty");
  if (length < minLength) {
    return refuse(reading, param, "minLength", `must have at least ${minLength} characters`);
  }
  if (length > maxLength) return refuse(reading, param, "maxLength", `must have at most ${maxLength} characters; it has ${length}`);
  return value;
}

/** In code points, as people count: an emoji is one. */
function lengthOf(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1) length++;
  return length;
}

function readNumber(parameter: NumberParameter, value: unknown, param: string, reading: Reading): number | undefined {
  const whole = parameter.kind === "integer";
  const wanted = whole ? "a whole number" : "a number";
  if (typeof value !== "number") return refuse(reading, param, "type", `must be ${wanted}, not ${kindOf(value)}`);
  const { min, max } = parameter;
  if (min !== undefined && value < min) return refuse(reading, param, "minimum", `must be at least ${min}`);
  if (max !== undefined && value > max) return refuse(reading, param, "maximum", `must be at most ${max}`);
  // JSON can write numbers that a double cannot hold: 1e999, or a seed of twenty digits that would reach the provider as another one.
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) return refuse(reading, param, "type", `must be ${wanted}`);
  return value;
}

function readChoice(parameter: ChoiceParameter, value: unknown, param: string, reading: Reading): string | undefined {
  const { values } = parameter;
  const listed = `one of ${values.map((allowed) => JSON.stringify(allowed)).join(", ")}`;
  if (typeof value !== "string") return refuse(reading, param, "type", `must be a string, ${listed}; not ${kindOf(value)}`);
  if (values.includes(value)) return value;
  const nearest = nearestName(value, values);
  return refuse(reading, param, "enum", `must be ${listed}${nearest === null ? "" : `; did you mean ${JSON.stringify(nearest)}?`}`);
}

function readUrls(parameter: UrlsParameter, value: unknown, param: string, reading: Reading): string[] | undefined {
  if (!Array.isArray(value) || isNumbers(value)) {
    reportNoList(value, param, reading);
    return undefined;
  }
  return readItems(parameter, value, param, reading, (item, at) => readMediaUrl(item, at, reading));
}

/** A file as JSON writes its bytes, not a list of files. */
function isNumbers(list: readonly unknown[]): boolean {
  return list.length > 0 && list.every((item) => typeof item === "number");
}

function readTexts(parameter: TextsParameter, value: unknown, param: string, reading: Reading): string[] | undefined {
  if (!Array.isArray(value)) return refuse(reading, param, "type", "must be a list of strings");
  const item: TextParameter = { ...parameter, kind: "text", minLength: 1 };
  return readItems(parameter, value, param, reading, (text, at) => readText(item, text, at, reading));
}

function readObjects(parameter: ObjectsParameter, value: unknown, param: string, reading: Reading): object[] | boolean | undefined {
  if (parameter.orFlag === true && typeof value === "boolean") return value;
  if (!Array.isArray(value)) {
    return refuse(reading, param, "type", `must be a list of objects${parameter.orFlag === true ? ", true or false" : ""}`);
  }
  return readItems(parameter, value, param, reading, (item: unknown, at) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return refuse(reading, at, "type", "must be an object");
    return readFields(parameter.fields, item as JsonObject, `${at}.`, reading).values;
  });
}

/** Items beyond the allowed count are counted and not looked at. */
function readItems<Item>(
  parameter: { readonly count: readonly [number, number]; readonly required?: true },
  list: readonly unknown[],
  param: string,
  reading: Reading,
  readItem: (item: unknown, at: string) => Item | undefined,
): Item[] | undefined {
  const [min, max] = parameter.count;
  if (list.length < min)
    refuse(reading, param, "minItems", `must have ${min === max ? "exactly" : "at least"} ${min}; it has ${list.length}`);
  if (list.length > max)
    refuse(reading, param, "maxItems", `must have ${min === max ? "exactly" : "at most"} ${max}; it has ${list.length}`);
  if (list.length === 0) return undefined;
  const items = list.slice(0, max).map((item, index) => readItem(item, `${param}[${index}]`));
  return list.length < min || list.length > max ? undefined : items.filter((item) => item !== undefined);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Names come from strangers: neither long nor able to break a line. */
function shown(name: string): string {
  const text = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return text.toWellFormed().replaceAll(/\p{Cc}/gu, "�");
}
