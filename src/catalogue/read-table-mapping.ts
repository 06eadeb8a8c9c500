/** Reads how the parameters of one table of the specification become those of a provider. */
import { TASK_TABLES } from "../contract/tasks/task-tables.ts";
import type {
  FieldMapping,
  MappingChoice,
  ParameterTest,
  TableMapping,
} from "../protocol/task-provider.ts";
import { readJsonValue } from "./read-json-value.ts";
import { checkPlaces, readFlag, readMap, readPointer, readRecord } from "./read-provider-parts.ts";
import { whole } from "./whole.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const MAPPING_FIELDS = [
  "path",
  "fields",
  "drop",
  "constants",
  "inModel",
  "words",
  "choices",
] as const;
const FIELD_FIELDS = [
  "to",
  "as",
  "values",
  "item",
  "at",
  "keys",
  "only",
  "value",
  "suffix",
] as const;
const CASTS = ["text", "number", "list", "first"] as const;
const KINDS = ["text", "number", "flag", "list"] as const;
const CHOICE_FIELDS = ["when", "reject", "model", "words", "fields", "drop"] as const;

export function readTables(reader: YamlReader, at: Place): Map<string, TableMapping> | undefined {
  const known = [...TASK_TABLES.keys()] as readonly string[];
  return readMap(
    reader,
    at,
    (place, name) => readTableMapping(reader, place, parametersOf(name)),
    (place, name) => {
      if (!known.includes(name))
        reader.note(place, "unknown_name", {
          what: "table",
          name: name.slice(0, 80),
          ...meantBy(name, known),
        });
      return known.includes(name);
    },
  );
}

/**
 * Undefined for a table that does not exist, so that its parameters are not held against anything.
 */
function parametersOf(table: string): readonly string[] | undefined {
  const found = [...TASK_TABLES].find(([id]) => id === table)?.[1];
  return found === undefined ? undefined : Object.keys(found.parameters);
}

function readTableMapping(
  reader: YamlReader,
  at: Place,
  parameters: readonly string[] | undefined,
): TableMapping | undefined {
  const fields = reader.fields(at, MAPPING_FIELDS);
  if (fields === undefined) return undefined;
  return whole<TableMapping>({
    path: fields.path === undefined ? null : readTablePath(reader, fields.path),
    fields: readFieldMappings(reader, fields.fields, parameters),
    drop: readParameterNames(reader, fields.drop, parameters),
    constants:
      fields.constants === undefined
        ? new Map()
        : readMap(
            reader,
            fields.constants,
            (place) => readJsonValue(reader, place),
            (place, name) => isPointerKey(reader, place, name),
          ),
    inModel: readParameterNames(reader, fields.inModel, parameters),
    words:
      fields.words === undefined
        ? {}
        : readRecord(reader, fields.words, (place) => reader.text(place)),
    choices: fields.choices === undefined ? [] : readChoices(reader, fields.choices, parameters),
  });
}

/** Whether the key of an entry is a JSON pointer. */
export function isPointerKey(reader: YamlReader, at: Place, name: string): boolean {
  const isPointer =
    /^(?:\/(?:[^~/]|~[01])*)+$/.test(name) && !name.split("/").includes("__proto__");
  if (!isPointer) reader.note(at, "expected", { what: "pointer_key", got: name.slice(0, 80) });
  return isPointer;
}

function readTablePath(reader: YamlReader, at: Place): string | undefined {
  const text = reader.text(at);
  if (
    text === undefined ||
    (checkPlaces(reader, at, text, []) && /^\/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*$/.test(text))
  )
    return text;
  reader.note(at, "expected", { what: "table_path", got: shown(at) });
  return undefined;
}

function readParameterNames(
  reader: YamlReader,
  at: Place | undefined,
  parameters: readonly string[] | undefined,
): string[] | undefined {
  if (at === undefined) return [];
  const places = reader.isList(at) ? reader.items(at) : [at];
  const names = (places ?? []).map((place) => {
    const name = reader.text(place);
    return name !== undefined && isParameter(reader, place, name, parameters, shown(place))
      ? name
      : undefined;
  });
  return places === undefined || names.includes(undefined)
    ? undefined
    : names.filter((name) => name !== undefined);
}

/** `said`: how the file writes it. */
function isParameter(
  reader: YamlReader,
  at: Place,
  name: string,
  parameters: readonly string[] | undefined,
  said = name.slice(0, 80),
): boolean {
  if (parameters === undefined || parameters.includes(name)) return true;
  reader.note(at, "unknown_name", {
    what: "table_parameter",
    name: said,
    ...meantBy(name, parameters),
  });
  return false;
}

function readFieldMappings(
  reader: YamlReader,
  at: Place | undefined,
  parameters: readonly string[] | undefined,
): Map<string, readonly FieldMapping[]> | undefined {
  if (at === undefined) return new Map();
  return readMap(
    reader,
    at,
    (place) => {
      const places = reader.isList(place) ? reader.items(place) : [place];
      const mappings = (places ?? []).map((one) => readFieldMapping(reader, one));
      return places === undefined || mappings.includes(undefined)
        ? undefined
        : mappings.filter((mapping) => mapping !== undefined);
    },
    (place, name) => isParameter(reader, place, name, parameters),
  );
}

/** A text alone is where the parameter goes. */
function readFieldMapping(reader: YamlReader, at: Place): FieldMapping | undefined {
  const plain = {
    as: null,
    values: new Map(),
    item: undefined,
    at: null,
    keys: {},
    only: null,
    value: undefined,
    suffix: null,
  };
  if (!reader.isMapping(at)) {
    const to = readPointer(reader, at);
    return to === undefined ? undefined : { ...plain, to };
  }
  const fields = reader.fields(at, FIELD_FIELDS);
  if (fields === undefined) return undefined;
  const toPlace = reader.required(at, fields, "to");
  const item = fields.item === undefined ? null : readJsonValue(reader, fields.item);
  const value = fields.value === undefined ? null : readJsonValue(reader, fields.value);
  if (fields.at !== undefined && fields.item === undefined)
    reader.note(fields.at, "at_without_item");
  const mapping = whole<FieldMapping>({
    to: toPlace && readPointer(reader, toPlace),
    as: fields.as === undefined ? null : reader.oneOf(fields.as, CASTS),
    values:
      fields.values === undefined
        ? new Map()
        : readMap(reader, fields.values, (place) => readJsonValue(reader, place)),
    item,
    at: fields.at === undefined ? null : readPointer(reader, fields.at),
    keys:
      fields.keys === undefined
        ? {}
        : readRecord(reader, fields.keys, (place) => reader.text(place)),
    only: fields.only === undefined ? null : reader.oneOf(fields.only, KINDS),
    value,
    suffix: fields.suffix === undefined ? null : reader.text(fields.suffix),
  });
  // Absent is not null here: a field may be meant to be put as null.
  if (mapping === undefined) return undefined;
  return {
    ...mapping,
    item: fields.item === undefined ? undefined : mapping.item,
    value: fields.value === undefined ? undefined : mapping.value,
  };
}

function readChoices(
  reader: YamlReader,
  at: Place,
  parameters: readonly string[] | undefined,
): MappingChoice[] | undefined {
  const places = reader.items(at);
  const choices = (places ?? []).map((place) => readChoice(reader, place, parameters));
  return places === undefined || choices.includes(undefined)
    ? undefined
    : choices.filter((choice) => choice !== undefined);
}

function readChoice(
  reader: YamlReader,
  at: Place,
  parameters: readonly string[] | undefined,
): MappingChoice | undefined {
  const fields = reader.fields(at, CHOICE_FIELDS);
  if (fields === undefined) return undefined;
  const whenPlace = reader.required(at, fields, "when");
  return whole<MappingChoice>({
    when:
      whenPlace &&
      readMap(
        reader,
        whenPlace,
        (place) => readParameterTest(reader, place),
        (place, name) => isParameter(reader, place, name, parameters),
      ),
    reject: fields.reject === undefined ? null : reader.text(fields.reject),
    model: fields.model === undefined ? null : reader.text(fields.model),
    words:
      fields.words === undefined
        ? {}
        : readRecord(reader, fields.words, (place) => reader.text(place)),
    fields: readFieldMappings(reader, fields.fields, parameters),
    drop: readParameterNames(reader, fields.drop, parameters),
  });
}

/** A value, `{ given: true }` or `{ above: 12 }`. */
function readParameterTest(reader: YamlReader, at: Place): ParameterTest | undefined {
  if (!reader.isMapping(at)) {
    const value = reader.text(at);
    return value === undefined ? undefined : { kind: "is", value };
  }
  const fields = reader.fields(at, ["given", "above"]);
  if (fields === undefined) return undefined;
  if ((fields.given === undefined) === (fields.above === undefined)) {
    reader.note(at, "given_or_above");
    return undefined;
  }
  if (fields.given !== undefined) {
    const given = readFlag(reader, fields.given);
    return given === undefined ? undefined : { kind: "given", given };
  }
  const above = fields.above && reader.wholeNumber(fields.above, 0, 1_000_000);
  return above === undefined ? undefined : { kind: "above", above };
}
