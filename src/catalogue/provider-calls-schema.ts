/**
 * The calls about a task that a provider has: asking how it is, finding it by our id, cancelling
 * it.
 */
import Type from "typebox";
import { TASK_ERROR_CODES } from "../contract/task-error-codes.ts";
import {
  CALL_METHODS,
  CANCEL_MEANINGS,
  STATE_MEANINGS,
  type CallMethod,
  type TaskProvider,
} from "../protocol/task-provider.ts";
import {
  ERROR_CODES,
  meanings,
  path,
  placesIn,
  POINTER,
  POINTERS,
  VALUE_TEST,
} from "./provider-parts.ts";
import { wholeOf } from "./read-by-schema.ts";
import {
  described,
  type Draft,
  flag,
  type Found,
  listOf,
  mapOf,
  oneOrMore,
  orDefaults,
  orElse,
  ruled,
  TEXT,
  whole,
  words,
} from "./schema-parts.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const HANDLE_PLACES = ["id", "model", "app", "path"];

function address(method: CallMethod, places: readonly string[] = HANDLE_PLACES) {
  return {
    method: described("The HTTP method.", orElse(words(CALL_METHODS), method)),
    path: described("Under the base address.", orElse(path(places), null)),
    url: described("The name of a URL that the submission keeps.", orElse(TEXT, null)),
  };
}

function isAddressed({ at, reader }: Found): void {
  if (!reader.has(at, "path") && !reader.has(at, "url")) reader.note(at, "path_or_url");
}

/** A path that does not name what its call is about. */
function lacks(draft: { readonly path?: string | null | undefined }, place: string): boolean {
  return typeof draft.path === "string" && !placesIn(draft.path).includes(place);
}

const STATE = ruled(
  Type.Object({
    at: described("Where the answer has the state.", POINTER),
    values: described(
      "What each state means; one of them is `succeeded`.",
      mapOf(words(STATE_MEANINGS)),
    ),
    absent: described("What it means that there is none.", orElse(words(STATE_MEANINGS), null)),
  }),
  ({ values }, { at, reader }) => {
    const known = wholeOf(values);
    if (known !== undefined && ![...known.values()].includes("succeeded"))
      reader.note(reader.child(at, "values"), "no_success_state");
  },
);

const FAILURE = orDefaults(
  Type.Object({
    present: described(
      "Something here means that a finished task has failed.",
      orElse(POINTER, null),
    ),
    code: described("Where the reason has its code.", POINTERS),
    message: described("Where it has its words.", POINTERS),
    codes: described("What its codes mean.", meanings(TASK_ERROR_CODES)),
  }),
);

const SECOND = ruled(
  Type.Object({
    ...address("GET", [...HANDLE_PLACES, "value"]),
    value: described("Where the first answer has what {value} stands for.", orElse(POINTER, null)),
  }),
  (second, { at, reader }) => {
    isAddressed({ at, reader });
    if (!reader.has(at, "value") && typeof second.path === "string" && !lacks(second, "value"))
      reader.note(reader.child(at, "path"), "unknown_name", {
        what: "place",
        name: "value",
        ...meantBy("value", HANDLE_PLACES),
      });
  },
);

const RESULT = Type.Object({
  urls: described("Where the URLs of the result are searched for.", oneOrMore(POINTER)),
  otherwise: described("And where, if there are none.", POINTERS),
  json: described("Texts on the way may be JSON themselves.", orElse(flag(), false)),
  second: described("The URLs stand in the answer to a second call.", orElse(SECOND, null)),
  authorize: described("The files are given to the credential only.", orElse(flag(), false)),
  blocked: described(
    "What says that the content was blocked, where a success comes without files.",
    orElse(VALUE_TEST, null),
  ),
});

export const POLL = ruled(
  Type.Object({
    ...address("GET"),
    state: described("How its state is read.", STATE),
    failure: described("How the failure of a task is read.", FAILURE),
    result: described("How its result is read.", RESULT),
    progress: described(
      "How far it is.",
      orElse(
        Type.Object({
          at: described("Where the answer has it.", POINTER),
          of: described("Of so many.", orElse(whole(1, 1_000_000), 100)),
        }),
        null,
      ),
    ),
    queuePosition: described("Where it has the place in the queue.", orElse(POINTER, null)),
    cost: described(
      "What the provider says that it charged, in its own unit.",
      orElse(
        Type.Object({
          at: described("Where the answer has it.", POINTER),
          unit: described("What it counts in, for the log.", TEXT),
        }),
        null,
      ),
    ),
    codes: ERROR_CODES,
  }),
  (poll, { at, reader }) => {
    isAddressed({ at, reader });
    if (lacks(poll, "id")) reader.note(reader.child(at, "path"), "path_without_id");
  },
);

export const LOOK_UP = ruled(
  Type.Object({
    method: described("The HTTP method.", orElse(words(CALL_METHODS), "GET")),
    path: described("Under the base address.", path(["attempt", "model", "path"])),
    list: described("A list that is searched for our id.", orElse(POINTER, null)),
    id: described("Where the answer, or the entry, has the id of the task.", POINTER),
    absent: described(
      "Codes or statuses by which the provider is sure that there is no such task.",
      orElse(listOf(TEXT), []),
    ),
  }),
  (lookUp, { at, reader }) => {
    if (!reader.has(at, "list") && lacks(lookUp, "attempt"))
      reader.note(reader.child(at, "path"), "path_without_attempt");
  },
);

export const CANCEL = ruled(
  Type.Object({
    ...address("POST"),
    state: described("Where the answer has a state.", orElse(POINTER, null)),
    values: described("What each state means.", meanings(CANCEL_MEANINGS)),
    done: described(
      "What a success means whose state is not among the values.",
      orElse(words(CANCEL_MEANINGS), "unknown"),
    ),
  }),
  (_, found) => isAddressed(found),
);

/** Which URLs there are is not known where the submission is mistaken. */
export function checkKeptUrls(
  { submit, poll, cancel }: Draft<TaskProvider>,
  { at, reader }: Found,
): void {
  const urls = wholeOf(submit)?.urls;
  if (urls === undefined) return;
  const known = Object.keys(urls);
  const check = (url: string | null | undefined, ...steps: readonly string[]): void => {
    if (typeof url !== "string" || known.includes(url)) return;
    const place = reader.child(at, ...steps, "url");
    reader.note(place, "unknown_name", {
      what: "kept_url",
      name: shown(place),
      ...meantBy(url, known),
    });
  };
  check(poll?.url, "poll");
  check(poll?.result?.second?.url, "poll", "result", "second");
  check(cancel?.url, "cancel");
}
