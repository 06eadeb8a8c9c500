/**
 * Reads how a provider's task API is called and its answers are read: the whole behaviour of the
 * protocol `http-task`, as data.
 */
import type {
  ErrorReading,
  JsonValue,
  PollSchedule,
  SubmitCall,
  TableMapping,
  TaskProvider,
} from "../protocol/task-provider.ts";
import { TASK_ERROR_CODES } from "../contract/task-error-codes.ts";
import { readJsonValue } from "./read-json-value.ts";
import { readCancel, readLookUp, readPoll } from "./read-provider-calls.ts";
import {
  checkHeaderName,
  checkPlaces,
  placesIn,
  readCodes,
  readHeaders,
  readMap,
  readMeanings,
  readPath,
  readPointer,
  readPointers,
  readRecord,
  readStatuses,
  readTemplate,
  readTest,
} from "./read-provider-parts.ts";
import { isPointerKey, readTables } from "./read-table-mapping.ts";
import { whole } from "./whole.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { shown } from "./yaml-reader.ts";

const TASK_FIELDS = [
  "auth",
  "headers",
  "success",
  "errors",
  "submit",
  "poll",
  "lookUp",
  "cancel",
  "callbackId",
  "schedule",
  "graceSeconds",
  "naming",
  "tables",
] as const;
const SUBMIT_FIELDS = [
  "method",
  "path",
  "query",
  "headers",
  "body",
  "input",
  "id",
  "urls",
  "codes",
] as const;
const SUBMIT_PLACES = ["model", "app", "path", "attempt", "callback", "deadlineSeconds"];
const DEFAULT_SCHEDULE: PollSchedule = { firstMs: 2_000, minMs: 2_000, maxMs: 30_000 };
const DEFAULT_GRACE_SECONDS = 60;

export function readHttpTask(reader: YamlReader, at: Place): TaskProvider | undefined {
  const fields = reader.fields(at, TASK_FIELDS);
  if (fields === undefined) return undefined;
  const submitPlace = reader.required(at, fields, "submit");
  const pollPlace = reader.required(at, fields, "poll");
  const submit = submitPlace && readSubmit(reader, submitPlace);
  /** Undefined: not known, because the submission is mistaken. */
  const urls = submit && Object.keys(submit.urls);
  const tables =
    fields.tables === undefined
      ? new Map<string, TableMapping>()
      : readTables(reader, fields.tables);
  const provider = whole<TaskProvider>({
    auth:
      fields.auth === undefined
        ? { kind: "header", name: "authorization", prefix: "Bearer " }
        : readAuth(reader, fields.auth),
    headers: fields.headers === undefined ? {} : readHeaders(reader, fields.headers, []),
    success: fields.success === undefined ? null : readTest(reader, fields.success),
    errors: readErrors(reader, fields.errors),
    submit,
    poll: pollPlace && readPoll(reader, pollPlace, urls),
    lookUp: fields.lookUp === undefined ? null : readLookUp(reader, fields.lookUp),
    cancel: fields.cancel === undefined ? null : readCancel(reader, fields.cancel, urls),
    callbackId: fields.callbackId === undefined ? [] : readPointers(reader, fields.callbackId),
    schedule:
      fields.schedule === undefined ? DEFAULT_SCHEDULE : readSchedule(reader, fields.schedule),
    graceSeconds:
      fields.graceSeconds === undefined
        ? DEFAULT_GRACE_SECONDS
        : reader.wholeNumber(fields.graceSeconds, 0, 86_400),
    naming:
      fields.naming === undefined
        ? "snake_case"
        : reader.oneOf(fields.naming, ["snake_case", "same"]),
    tables,
  });
  if (provider !== undefined) checkTablePaths(reader, fields.tables ?? at, provider);
  return provider;
}

/** Where calls go by the table's path, each table has one. */
function checkTablePaths(reader: YamlReader, at: Place, provider: TaskProvider): void {
  const { submit, poll, lookUp, cancel, tables } = provider;
  const paths = [submit.path, poll.path, poll.result.second?.path, lookUp?.path, cancel?.path];
  if (!paths.some((path) => placesIn(path ?? "").includes("path"))) return;
  if (tables.size === 0) reader.note(at, "path_without_tables");
  for (const [name, table] of tables)
    if (table.path === null)
      reader.note({ ...at, path: `${at.path}.${name}` }, "table_without_path");
}

function readAuth(reader: YamlReader, at: Place): TaskProvider["auth"] | undefined {
  const fields = reader.fields(at, ["header", "prefix", "query"]);
  if (fields === undefined) return undefined;
  if (
    (fields.header === undefined) === (fields.query === undefined) ||
    (fields.query !== undefined && fields.prefix !== undefined)
  ) {
    reader.note(at, "header_or_query");
    return undefined;
  }
  if (fields.query !== undefined) {
    const name = reader.text(fields.query);
    return name === undefined ? undefined : { kind: "query", name };
  }
  const name = fields.header && reader.text(fields.header);
  const prefix = fields.prefix === undefined ? "" : reader.text(fields.prefix);
  if (fields.header === undefined || name === undefined || prefix === undefined) return undefined;
  return checkHeaderName(reader, fields.header, name, shown(fields.header))
    ? { kind: "header", name: name.toLowerCase(), prefix }
    : undefined;
}

function readErrors(reader: YamlReader, at: Place | undefined): ErrorReading | undefined {
  const fields =
    at === undefined ? {} : reader.fields(at, ["code", "message", "codes", "statuses", "messages"]);
  if (fields === undefined) return undefined;
  if (fields.codes !== undefined && fields.code === undefined)
    reader.note(fields.codes, "codes_without_place");
  const messages =
    fields.messages === undefined
      ? new Map<string, never>()
      : readMeanings(reader, fields.messages, TASK_ERROR_CODES);
  return whole<ErrorReading>({
    code: fields.code === undefined ? [] : readPointers(reader, fields.code),
    message: fields.message === undefined ? [] : readPointers(reader, fields.message),
    codes: readCodes(reader, fields.codes),
    statuses: readStatuses(reader, fields.statuses),
    messages:
      messages && new Map([...messages].map(([words, code]) => [words.toLowerCase(), code])),
  });
}

function readSubmit(reader: YamlReader, at: Place): SubmitCall | undefined {
  const fields = reader.fields(at, SUBMIT_FIELDS);
  if (fields === undefined) return undefined;
  const pathPlace = reader.required(at, fields, "path");
  const idPlace = reader.required(at, fields, "id");
  return whole<SubmitCall>({
    method: fields.method === undefined ? "POST" : reader.oneOf(fields.method, ["POST", "PUT"]),
    path: pathPlace && readPath(reader, pathPlace, SUBMIT_PLACES),
    query:
      fields.query === undefined
        ? {}
        : readRecord(reader, fields.query, (place) => readTemplate(reader, place, SUBMIT_PLACES)),
    headers: fields.headers === undefined ? {} : readHeaders(reader, fields.headers, SUBMIT_PLACES),
    body: fields.body === undefined ? new Map() : readBody(reader, fields.body),
    input: fields.input === undefined ? "" : readPointer(reader, fields.input),
    id: idPlace && readPointer(reader, idPlace),
    urls:
      fields.urls === undefined
        ? {}
        : readRecord(reader, fields.urls, (place) => readPointer(reader, place)),
    codes: readCodes(reader, fields.codes),
  });
}

function readBody(reader: YamlReader, at: Place): Map<string, JsonValue> | undefined {
  return readMap(
    reader,
    at,
    (place) => {
      const value = readJsonValue(reader, place);
      return typeof value === "string" && !checkPlaces(reader, place, value, SUBMIT_PLACES)
        ? undefined
        : value;
    },
    (place, name) => isPointerKey(reader, place, name),
  );
}

function readSchedule(reader: YamlReader, at: Place): PollSchedule | undefined {
  const fields = reader.fields(at, ["firstMs", "minMs", "maxMs"]);
  if (fields === undefined) return undefined;
  const read = (place: Place | undefined, fallback: number): number | undefined =>
    place === undefined ? fallback : reader.wholeNumber(place, 100, 3_600_000);
  const schedule = whole<PollSchedule>({
    firstMs: read(fields.firstMs, DEFAULT_SCHEDULE.firstMs),
    minMs: read(fields.minMs, DEFAULT_SCHEDULE.minMs),
    maxMs: read(fields.maxMs, DEFAULT_SCHEDULE.maxMs),
  });
  if (schedule === undefined || schedule.minMs <= schedule.maxMs) return schedule;
  reader.note(at, "schedule_reversed", { min: schedule.minMs, max: schedule.maxMs });
  return undefined;
}
