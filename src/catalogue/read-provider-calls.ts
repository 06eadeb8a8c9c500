/**
 * Reads the calls about a task that a provider has: asking how it is, finding it by our id,
 * cancelling it.
 */
import type {
  CallAddress,
  CancelCall,
  LookUpCall,
  PollCall,
  ResultReading,
} from "../protocol/task-provider.ts";
import { TASK_ERROR_CODES } from "../contract/task-error-codes.ts";
import { CALL_METHODS, CANCEL_MEANINGS, STATE_MEANINGS } from "../protocol/task-provider.ts";
import {
  placesIn,
  readCodes,
  readFlag,
  readMeanings,
  readPath,
  readPointer,
  readPointers,
  readTest,
} from "./read-provider-parts.ts";
import { whole } from "./whole.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const POLL_FIELDS = [
  "method",
  "path",
  "url",
  "state",
  "failure",
  "result",
  "progress",
  "queuePosition",
  "cost",
  "codes",
] as const;
const HANDLE_PLACES = ["id", "model", "app", "path"];

type AddressFields = Partial<Record<"method" | "path" | "url", Place>>;

/** `urls`: the names that the submission keeps. */
function readAddress(
  reader: YamlReader,
  at: Place,
  fields: AddressFields,
  known: {
    readonly urls: readonly string[] | undefined;
    readonly places: readonly string[];
    readonly method: CallAddress["method"];
  },
): CallAddress | undefined {
  if (fields.path === undefined && fields.url === undefined) {
    reader.note(at, "path_or_url");
    return undefined;
  }
  const url = fields.url && reader.text(fields.url);
  const isKept = url === undefined || known.urls === undefined || known.urls.includes(url);
  if (fields.url !== undefined && !isKept)
    reader.note(fields.url, "unknown_name", {
      what: "kept_url",
      name: shown(fields.url),
      ...meantBy(url, known.urls ?? []),
    });
  return whole<CallAddress>({
    method: fields.method === undefined ? known.method : reader.oneOf(fields.method, CALL_METHODS),
    path: fields.path === undefined ? null : readPath(reader, fields.path, known.places),
    url: fields.url === undefined ? null : isKept ? url : undefined,
  });
}

export function readPoll(
  reader: YamlReader,
  at: Place,
  urls: readonly string[] | undefined,
): PollCall | undefined {
  const fields = reader.fields(at, POLL_FIELDS);
  if (fields === undefined) return undefined;
  const statePlace = reader.required(at, fields, "state");
  const resultPlace = reader.required(at, fields, "result");
  const address = readAddress(reader, at, fields, { urls, places: HANDLE_PLACES, method: "GET" });
  if (
    fields.path !== undefined &&
    address?.path !== undefined &&
    address.path !== null &&
    !placesIn(address.path).includes("id")
  )
    reader.note(fields.path, "path_without_id");
  const own = whole<Omit<PollCall, keyof CallAddress>>({
    state: statePlace && readState(reader, statePlace),
    failure: readFailure(reader, fields.failure),
    result: resultPlace && readResult(reader, resultPlace, urls),
    progress: fields.progress === undefined ? null : readProgress(reader, fields.progress),
    queuePosition:
      fields.queuePosition === undefined ? null : readPointer(reader, fields.queuePosition),
    cost: fields.cost === undefined ? null : readCost(reader, fields.cost),
    codes: readCodes(reader, fields.codes),
  });
  return address === undefined || own === undefined ? undefined : { ...address, ...own };
}

function readState(reader: YamlReader, at: Place): PollCall["state"] | undefined {
  const fields = reader.fields(at, ["at", "values", "absent"]);
  if (fields === undefined) return undefined;
  const atPlace = reader.required(at, fields, "at");
  const valuesPlace = reader.required(at, fields, "values");
  const values = valuesPlace && readMeanings(reader, valuesPlace, STATE_MEANINGS);
  if (
    valuesPlace !== undefined &&
    values !== undefined &&
    ![...values.values()].includes("succeeded")
  )
    reader.note(valuesPlace, "no_success_state");
  return whole<PollCall["state"]>({
    at: atPlace && readPointer(reader, atPlace),
    values,
    absent: fields.absent === undefined ? null : reader.oneOf(fields.absent, STATE_MEANINGS),
  });
}

function readFailure(reader: YamlReader, at: Place | undefined): PollCall["failure"] | undefined {
  const fields = at === undefined ? {} : reader.fields(at, ["present", "code", "message", "codes"]);
  if (fields === undefined) return undefined;
  return whole<PollCall["failure"]>({
    present: fields.present === undefined ? null : readPointer(reader, fields.present),
    code: fields.code === undefined ? [] : readPointers(reader, fields.code),
    message: fields.message === undefined ? [] : readPointers(reader, fields.message),
    codes:
      fields.codes === undefined ? new Map() : readMeanings(reader, fields.codes, TASK_ERROR_CODES),
  });
}

function readResult(
  reader: YamlReader,
  at: Place,
  urls: readonly string[] | undefined,
): ResultReading | undefined {
  const fields = reader.fields(at, ["urls", "otherwise", "json", "second", "authorize", "blocked"]);
  if (fields === undefined) return undefined;
  const urlsPlace = reader.required(at, fields, "urls");
  return whole<ResultReading>({
    urls: urlsPlace && readPointers(reader, urlsPlace),
    otherwise: fields.otherwise === undefined ? [] : readPointers(reader, fields.otherwise),
    json: readFlag(reader, fields.json),
    second: fields.second === undefined ? null : readSecond(reader, fields.second, urls),
    authorize: readFlag(reader, fields.authorize),
    blocked: fields.blocked === undefined ? null : readTest(reader, fields.blocked),
  });
}

function readSecond(
  reader: YamlReader,
  at: Place,
  urls: readonly string[] | undefined,
): ResultReading["second"] | undefined {
  const fields = reader.fields(at, ["method", "path", "url", "value"]);
  if (fields === undefined) return undefined;
  const places = fields.value === undefined ? HANDLE_PLACES : [...HANDLE_PLACES, "value"];
  const address = readAddress(reader, at, fields, { urls, places, method: "GET" });
  const value = fields.value === undefined ? null : readPointer(reader, fields.value);
  return address === undefined || value === undefined ? undefined : { ...address, value };
}

function readProgress(reader: YamlReader, at: Place): PollCall["progress"] | undefined {
  const fields = reader.fields(at, ["at", "of"]);
  if (fields === undefined) return undefined;
  const atPlace = reader.required(at, fields, "at");
  return whole<NonNullable<PollCall["progress"]>>({
    at: atPlace && readPointer(reader, atPlace),
    of: fields.of === undefined ? 100 : reader.wholeNumber(fields.of, 1, 1_000_000),
  });
}

function readCost(reader: YamlReader, at: Place): PollCall["cost"] | undefined {
  const fields = reader.fields(at, ["at", "unit"]);
  if (fields === undefined) return undefined;
  const atPlace = reader.required(at, fields, "at");
  const unitPlace = reader.required(at, fields, "unit");
  return whole<NonNullable<PollCall["cost"]>>({
    at: atPlace && readPointer(reader, atPlace),
    unit: unitPlace && reader.text(unitPlace),
  });
}

export function readLookUp(reader: YamlReader, at: Place): LookUpCall | undefined {
  const fields = reader.fields(at, ["method", "path", "list", "id", "absent"]);
  if (fields === undefined) return undefined;
  const pathPlace = reader.required(at, fields, "path");
  const idPlace = reader.required(at, fields, "id");
  const path = pathPlace && readPath(reader, pathPlace, ["attempt", "model", "path"]);
  if (
    pathPlace !== undefined &&
    path !== undefined &&
    fields.list === undefined &&
    !placesIn(path).includes("attempt")
  )
    reader.note(pathPlace, "path_without_attempt");
  const absent =
    fields.absent === undefined
      ? []
      : reader.items(fields.absent)?.map((place) => reader.text(place));
  return whole<LookUpCall>({
    method: fields.method === undefined ? "GET" : reader.oneOf(fields.method, CALL_METHODS),
    path,
    list: fields.list === undefined ? null : readPointer(reader, fields.list),
    id: idPlace && readPointer(reader, idPlace),
    absent:
      absent === undefined || absent.includes(undefined)
        ? undefined
        : absent.filter((code) => code !== undefined),
  });
}

export function readCancel(
  reader: YamlReader,
  at: Place,
  urls: readonly string[] | undefined,
): CancelCall | undefined {
  const fields = reader.fields(at, ["method", "path", "url", "state", "values", "done"]);
  if (fields === undefined) return undefined;
  const address = readAddress(reader, at, fields, { urls, places: HANDLE_PLACES, method: "POST" });
  const own = whole<Omit<CancelCall, keyof CallAddress>>({
    state: fields.state === undefined ? null : readPointer(reader, fields.state),
    values:
      fields.values === undefined
        ? new Map()
        : readMeanings(reader, fields.values, CANCEL_MEANINGS),
    done: fields.done === undefined ? "unknown" : reader.oneOf(fields.done, CANCEL_MEANINGS),
  });
  return address === undefined || own === undefined ? undefined : { ...address, ...own };
}
