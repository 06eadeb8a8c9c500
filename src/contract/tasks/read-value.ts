/** Reads one value, or the fields of one object, against what their parameters allow. */
import { nearestName } from "../../kernel/nearest-name.ts";
import type { Reading } from "./read-media-url.ts";
import { readMediaUrl, reportNoList } from "./read-media-url.ts";
import { bodyMistake, valueMistake } from "./say-mistake.ts";
import type { JsonKind, TaskMistake } from "./task-mistake.ts";
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
      if (parameter.required === true) reading.report(valueMistake(param, "required"));
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

function reportUnknown(
  fields: JsonObject,
  object: JsonObject,
  prefix: string,
  { report }: Reading,
): void {
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(fields, name)) continue;
    const [at, known] = [shown(`${prefix}${name}`), Object.keys(fields)];
    const near = nearestName(name, known);
    if (
      !report(
        bodyMistake(at, "unknown_parameter", {
          name: at,
          known,
          ...(near === null ? {} : { near }),
        }),
      )
    )
      return;
  }
}

/** Undefined: a mistake was reported, or an empty list stands for nothing. */
function readValue(
  parameter: TaskParameter,
  value: unknown,
  param: string,
  reading: Reading,
): unknown {
  switch (parameter.kind) {
    case "text":
      return readText(parameter, value, param, reading);
    case "number":
    case "integer":
      return readNumber(parameter, value, param, reading);
    case "flag":
      if (typeof value === "boolean") return value;
      return refuse(reading, valueMistake(param, "expected", { what: "flag" }));
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

function refuse({ report }: Reading, mistake: TaskMistake): undefined {
  report(mistake);
  return undefined;
}

function readText(
  parameter: TextParameter,
  value: unknown,
  param: string,
  reading: Reading,
): string | undefined {
  if (typeof value !== "string")
    return refuse(reading, valueMistake(param, "expected", { what: "text" }));
  // Neither can be stored or sent on: PostgreSQL takes no NUL, and half a pair is no text in UTF-8.
  if (!value.isWellFormed() || value.includes("\0"))
    return refuse(reading, valueMistake(param, "characters"));
  const { minLength = 0, maxLength } = parameter;
  const length = lengthOf(value);
  // Spaces alone say nothing.
  if (minLength > 0 && value.trim() === "")
    return refuse(reading, valueMistake(param, "empty_text"));
  if (length < minLength)
    return refuse(reading, valueMistake(param, "minLength", { limit: minLength }));
  if (length > maxLength)
    return refuse(reading, valueMistake(param, "maxLength", { limit: maxLength, has: length }));
  return value;
}

/** In code points, as people count: an emoji is one. */
function lengthOf(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
    length++;
  return length;
}

function readNumber(
  parameter: NumberParameter,
  value: unknown,
  param: string,
  reading: Reading,
): number | undefined {
  const whole = parameter.kind === "integer";
  const wanted = whole ? "no_whole_number" : "no_number";
  if (typeof value !== "number")
    return refuse(reading, valueMistake(param, wanted, { got: kindOf(value) }));
  const { min, max } = parameter;
  if (min !== undefined && value < min)
    return refuse(reading, valueMistake(param, "minimum", { limit: min }));
  if (max !== undefined && value > max)
    return refuse(reading, valueMistake(param, "maximum", { limit: max }));
  // JSON can write numbers that a double cannot hold: 1e999, or a seed of twenty digits that would
  // reach the provider as another one.
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value)))
    return refuse(reading, valueMistake(param, wanted, { got: "number" }));
  return value;
}

function readChoice(
  parameter: ChoiceParameter,
  value: unknown,
  param: string,
  reading: Reading,
): string | undefined {
  const { values } = parameter;
  if (typeof value !== "string")
    return refuse(reading, valueMistake(param, "no_choice", { values, got: kindOf(value) }));
  if (values.includes(value)) return value;
  const near = nearestName(value, values);
  return refuse(
    reading,
    valueMistake(param, "enum", { values, ...(near === null ? {} : { near }) }),
  );
}

function readUrls(
  parameter: UrlsParameter,
  value: unknown,
  param: string,
  reading: Reading,
): string[] | undefined {
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

function readTexts(
  parameter: TextsParameter,
  value: unknown,
  param: string,
  reading: Reading,
): string[] | undefined {
  if (!Array.isArray(value))
    return refuse(reading, valueMistake(param, "expected", { what: "texts" }));
  const item: TextParameter = { ...parameter, kind: "text", minLength: 1 };
  return readItems(parameter, value, param, reading, (text, at) =>
    readText(item, text, at, reading),
  );
}

function readObjects(
  parameter: ObjectsParameter,
  value: unknown,
  param: string,
  reading: Reading,
): object[] | boolean | undefined {
  if (parameter.orFlag === true && typeof value === "boolean") return value;
  if (!Array.isArray(value)) {
    return refuse(
      reading,
      valueMistake(param, "expected", {
        what: parameter.orFlag === true ? "objects_or_flag" : "objects",
      }),
    );
  }
  return readItems(parameter, value, param, reading, (item: unknown, at) => {
    if (typeof item !== "object" || item === null || Array.isArray(item))
      return refuse(reading, valueMistake(at, "expected", { what: "object" }));
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
  const [how, has] = [min === max ? "exactly" : "bounded", list.length] as const;
  if (has < min) refuse(reading, valueMistake(param, "minItems", { how, limit: min, has }));
  if (has > max) refuse(reading, valueMistake(param, "maxItems", { how, limit: max, has }));
  if (list.length === 0) return undefined;
  const items = list.slice(0, max).map((item, index) => readItem(item, `${param}[${index}]`));
  return has < min || has > max ? undefined : items.filter((item) => item !== undefined);
}

function kindOf(value: unknown): JsonKind {
  return Array.isArray(value) ? "list" : (typeof value as JsonKind);
}

/** Names come from strangers: neither long nor able to break a line. */
function shown(name: string): string {
  const text = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return text.toWellFormed().replaceAll(/\p{Cc}/gu, "�");
}
