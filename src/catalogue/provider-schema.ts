/**
 * How a provider's task API is called and its answers are read: the whole behaviour of the protocol
 * `http-task`, as data.
 */
import Type from "typebox";
import { TASK_ERROR_CODES } from "../contract/task-error-codes.ts";
import type { TaskProvider } from "../protocol/task-provider.ts";
import {
  byPointer,
  checkHeaderName,
  checkPlaces,
  ERROR_CODES,
  HEADER_NAME,
  headers,
  JSON_VALUE,
  meanings,
  path,
  placesIn,
  POINTER,
  POINTERS,
  STATUSES,
  template,
  VALUE_TEST,
} from "./provider-parts.ts";
import { CANCEL, checkKeptUrls, LOOK_UP, POLL } from "./provider-calls-schema.ts";
import {
  compiled,
  described,
  type Found,
  named,
  orDefaults,
  orElse,
  recordOf,
  ruled,
  TEXT,
  whole,
  words,
} from "./schema-parts.ts";
import { wholeOf } from "./read-by-schema.ts";
import { TABLES } from "./table-mapping-schema.ts";
import { shown } from "./yaml-reader.ts";

const SUBMIT_PLACES = ["model", "app", "path", "attempt", "callback", "deadlineSeconds"];

const AUTH = compiled(
  ruled(
    Type.Object({
      header: Type.Optional(described("The header that carries the credential.", HEADER_NAME)),
      prefix: Type.Optional(described("What stands before it, such as Bearer.", TEXT)),
      query: Type.Optional(described("The part of the query that carries it instead.", TEXT)),
    }),
    ({ header }, { at, reader }) => {
      const [hasHeader, hasPrefix, hasQuery] = ["header", "prefix", "query"].map((name) =>
        reader.has(at, name),
      );
      if (hasHeader === hasQuery || (hasQuery === true && hasPrefix === true))
        reader.note(at, "header_or_query");
      else if (header !== undefined) {
        const place = reader.child(at, "header");
        checkHeaderName(header, { at: place, reader }, shown(place));
      }
    },
  ),
  ({ header = "", prefix = "", query }): TaskProvider["auth"] =>
    query === undefined
      ? { kind: "header", name: header.toLowerCase(), prefix }
      : { kind: "query", name: query },
);

const ERRORS = ruled(
  Type.Object({
    code: described("Where a refusal has its code; the first that is mapped counts.", POINTERS),
    message: described("Where it has its words, for the log.", POINTERS),
    codes: described("What its codes mean.", ERROR_CODES),
    statuses: described("What HTTP statuses mean, over what they mean by themselves.", STATUSES),
    messages: described(
      "Words in messages that say more of a failure than its code.",
      compiled(
        meanings(TASK_ERROR_CODES),
        (messages) =>
          new Map([...messages].map(([reported, code]) => [reported.toLowerCase(), code])),
      ),
    ),
  }),
  (_, { at, reader }) => {
    if (reader.has(at, "codes") && !reader.has(at, "code"))
      reader.note(reader.child(at, "codes"), "codes_without_place");
  },
);

const SUBMIT = Type.Object({
  method: described("The HTTP method.", orElse(words(["POST", "PUT"]), "POST")),
  path: described("Under the base address.", path(SUBMIT_PLACES)),
  query: described("Parts of its query.", orElse(recordOf(template(SUBMIT_PLACES)), {})),
  headers: described("Headers of this call.", headers(SUBMIT_PLACES)),
  body: described(
    "What stands in the body beside the parameters, by JSON pointer; texts may have places.",
    byPointer(
      ruled(JSON_VALUE, (value, found) => {
        if (typeof value === "string") checkPlaces(value, SUBMIT_PLACES, found);
      }),
    ),
  ),
  input: described("Where the parameters stand.", orElse(POINTER, "")),
  id: described("Where the answer has the id of the task.", POINTER),
  urls: described(
    "Absolute URLs of the answer to keep for later calls, by a name of yours.",
    orElse(recordOf(POINTER), {}),
  ),
  codes: ERROR_CODES,
});

const MILLISECONDS = whole(100, 3_600_000);
const SCHEDULE = orDefaults(
  ruled(
    Type.Object({
      firstMs: described("So long after the submission.", orElse(MILLISECONDS, 2_000)),
      minMs: described("Then so often.", orElse(MILLISECONDS, 2_000)),
      maxMs: described("And at last so seldom.", orElse(MILLISECONDS, 30_000)),
    }),
    ({ firstMs, minMs: min, maxMs: max }, { at, reader }) => {
      if (firstMs !== undefined && min !== undefined && max !== undefined && min > max)
        reader.note(at, "schedule_reversed", { min, max });
    },
  ),
);

/** Where calls go by the table's path, each table has one. */
function checkTablePaths(
  { submit, poll, lookUp, cancel, tables }: TaskProvider,
  { at, reader }: Found,
): void {
  const paths = [submit.path, poll.path, poll.result.second?.path, lookUp?.path, cancel?.path];
  if (!paths.some((each) => placesIn(each ?? "").includes("path"))) return;
  const place = reader.has(at, "tables") ? reader.child(at, "tables") : at;
  if (tables.size === 0) reader.note(place, "path_without_tables");
  for (const [name, table] of tables)
    if (table.path === null)
      reader.note({ ...place, path: `${place.path}.${name}` }, "table_without_path");
}

export const PROVIDER = named(
  "taskProvider",
  ruled(
    Type.Object({
      auth: described(
        "Where the credential goes; by default the header authorization, as Bearer.",
        orElse(AUTH, { kind: "header", name: "authorization", prefix: "Bearer " }),
      ),
      headers: described("Of every call.", headers([])),
      success: described(
        "An answer with a status of success is one only where this holds too.",
        orElse(VALUE_TEST, null),
      ),
      errors: described("How refusals are read.", orDefaults(ERRORS)),
      submit: described("The call that orders a task.", SUBMIT),
      poll: described("The call that asks how a task is.", POLL),
      lookUp: described("The call that finds a task by our id.", orElse(LOOK_UP, null)),
      cancel: described("The call that cancels a task.", orElse(CANCEL, null)),
      callbackId: described("Where a report of the provider has the id of the task.", POINTERS),
      schedule: described("How often it is asked.", SCHEDULE),
      graceSeconds: described(
        "So long after its submission a task may not be known there yet.",
        orElse(whole(0, 86_400), 60),
      ),
      naming: described(
        "How the names of parameters are written where a table says nothing of them.",
        orElse(words(["snake_case", "same"]), "snake_case"),
      ),
      tables: described("By parameter table, T1 to T19.", TABLES),
    }),
    (draft, found) => {
      checkKeptUrls(draft, found);
      const provider = wholeOf<TaskProvider>(draft);
      if (provider !== undefined) checkTablePaths(provider, found);
    },
  ),
);
