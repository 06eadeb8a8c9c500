/**
 * What is known of a provider of tasks, as data: how its API is called and how its answers are
 * read. The catalogue writes it, the adapters obey it.
 */
import { TASK_ERROR_CODES, type TaskErrorCode } from "../contract/task-error-codes.ts";

/**
 * What an error code of a provider means. `busy`: not taken, may be tried again. `operator`: our
 * account there. `missing`: such a task is not known (yet). `unknown`: says nothing, so nothing is
 * concluded from it.
 */
export const ERROR_MEANINGS = [
  "busy",
  "operator",
  "missing",
  "unknown",
  ...TASK_ERROR_CODES,
] as const;
export type ErrorMeaning = (typeof ERROR_MEANINGS)[number];

/** What a state of a provider means; a code says that the task has failed, and why. */
export const STATE_MEANINGS = ["running", "succeeded", "failed", ...TASK_ERROR_CODES] as const;
export type StateMeaning = (typeof STATE_MEANINGS)[number];

/** What became of the wish to cancel. */
export const CANCEL_MEANINGS = ["canceled", "too_late", "unknown"] as const;
export type CancelMeaning = (typeof CANCEL_MEANINGS)[number];

export const CALL_METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * RFC 6901, as in `/data/taskId`; the empty text is the whole document. Where values are put, `-`
 * appends to a list.
 */
export type JsonPointer = string;

/**
 * A text with places: `{name}` is encoded for a URL, `{+name}` stands there as it is. Names:
 * `model` (the upstream's id of the model), `app` (its first two parts), `path` (that of the
 * parameter table), `id` (of the task there), `attempt` (our id of this submission), `callback`
 * (where the provider may report), `deadlineSeconds` (none over a day), `value` (of the second
 * hop).
 */
export type Template = string;

export interface TaskProvider {
  /** Where the credential goes: a header behind a prefix, or a part of the query. */
  readonly auth:
    | { readonly kind: "header"; readonly name: string; readonly prefix: string }
    | { readonly kind: "query"; readonly name: string };
  /** Of every call, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * An answer with a status of success is one only where this holds too; null: the status is
   * enough.
   */
  readonly success: ValueTest | null;
  readonly errors: ErrorReading;
  readonly submit: SubmitCall;
  readonly poll: PollCall;
  readonly lookUp: LookUpCall | null;
  readonly cancel: CancelCall | null;
  /** Where a report of the provider has its id of the task; the first that is there counts. */
  readonly callbackId: readonly JsonPointer[];
  readonly schedule: PollSchedule;
  /**
   * So long after its submission a task that is not known there is `missing`: it may not be visible
   * yet.
   */
  readonly graceSeconds: number;
  /** How the names of parameters are written where a table says nothing of them. */
  readonly naming: "snake_case" | "same";
  /** By parameter table, `T1` to `T19`. */
  readonly tables: ReadonlyMap<string, TableMapping>;
}

/** The value at the place is one of these; numbers and texts compare by how they are written. */
export interface ValueTest {
  readonly at: JsonPointer;
  readonly equals: readonly string[];
}

/**
 * How refusals are read: the first code that is mapped, in the order of the places, else the HTTP
 * status.
 */
export interface ErrorReading {
  readonly code: readonly JsonPointer[];
  /** For the log. */
  readonly message: readonly JsonPointer[];
  readonly codes: ReadonlyMap<string, ErrorMeaning>;
  /** Over what the statuses of HTTP mean by themselves. */
  readonly statuses: ReadonlyMap<string, ErrorMeaning>;
  /**
   * Words in messages, in lower case, that say more of a failure than its code; they never decide
   * whether there is one.
   */
  readonly messages: ReadonlyMap<string, TaskErrorCode>;
}

export interface PollSchedule {
  readonly firstMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Where a call goes: the absolute URL that the submission returned under this name, else the path.
 */
export interface CallAddress {
  readonly method: CallMethod;
  /** Under the base address; null where only the URL is known. */
  readonly path: Template | null;
  readonly url: string | null;
}

export interface SubmitCall {
  readonly method: CallMethod;
  readonly path: Template;
  readonly query: Readonly<Record<string, Template>>;
  readonly headers: Readonly<Record<string, Template>>;
  /**
   * What stands in the body beside the parameters; texts are templates, and one whose only place
   * has no value is left out.
   */
  readonly body: ReadonlyMap<JsonPointer, JsonValue>;
  /** Where the parameters stand. */
  readonly input: JsonPointer;
  readonly id: JsonPointer;
  /** Absolute URLs to keep for later calls. */
  readonly urls: Readonly<Record<string, JsonPointer>>;
  /** Over those of `errors`, for this call. */
  readonly codes: ReadonlyMap<string, ErrorMeaning>;
}

export interface PollCall extends CallAddress {
  readonly state: {
    readonly at: JsonPointer;
    readonly values: ReadonlyMap<string, StateMeaning>;
    /** What it means that there is none. */
    readonly absent: StateMeaning | null;
  };
  readonly failure: {
    /** Something here means that a finished task has failed, whatever its state says. */
    readonly present: JsonPointer | null;
    readonly code: readonly JsonPointer[];
    readonly message: readonly JsonPointer[];
    readonly codes: ReadonlyMap<string, TaskErrorCode>;
  };
  readonly result: ResultReading;
  /** Of so many; 1 or 100. */
  readonly progress: { readonly at: JsonPointer; readonly of: number } | null;
  readonly queuePosition: JsonPointer | null;
  readonly cost: { readonly at: JsonPointer; readonly unit: string } | null;
  /** Over those of `errors`, for this call. A code of ours here ends the task. */
  readonly codes: ReadonlyMap<string, ErrorMeaning>;
}

export interface ResultReading {
  /**
   * Texts, lists and objects there are searched for URLs, all of them; an object with `url` gives
   * that one only.
   */
  readonly urls: readonly JsonPointer[];
  /** The same, where those have none. */
  readonly otherwise: readonly JsonPointer[];
  /** Texts on the way and at its end may be JSON themselves, and are read as such. */
  readonly json: boolean;
  /**
   * The URLs stand in the answer to a second call; `value` is where its `{value}` is found in the
   * first.
   */
  readonly second: (CallAddress & { readonly value: JsonPointer | null }) | null;
  /** The files are given to the credential only. */
  readonly authorize: boolean;
  /** What says that the content was blocked, where a success comes without files. */
  readonly blocked: ValueTest | null;
}

export interface LookUpCall {
  readonly method: CallMethod;
  readonly path: Template;
  /**
   * A list there is searched for an entry in which our attempt's id stands; null: the answer is the
   * task.
   */
  readonly list: JsonPointer | null;
  /** In the answer, or in the entry. */
  readonly id: JsonPointer;
  /** Codes or statuses by which the provider is sure that there is no such task. */
  readonly absent: readonly string[];
}

export interface CancelCall extends CallAddress {
  readonly state: JsonPointer | null;
  readonly values: ReadonlyMap<string, CancelMeaning>;
  /** What a success means whose state is not among the values. */
  readonly done: CancelMeaning;
}

/** How the parameters of one table become the provider's. */
export interface TableMapping {
  /** For the place `{path}` of templates. */
  readonly path: string | null;
  /**
   * By parameter; several entries put one parameter in several places. Others go under their own
   * name, written as `naming` says.
   */
  readonly fields: ReadonlyMap<string, readonly FieldMapping[]>;
  readonly drop: readonly string[];
  /** Stand there before the parameters, which may replace them. */
  readonly constants: ReadonlyMap<JsonPointer, JsonValue>;
  /** Parameters that the route's model id must have a place for; they are not sent otherwise. */
  readonly inModel: readonly string[];
  /** Places of the model id besides the parameters, such as `{text|image}`. */
  readonly words: Readonly<Record<string, string>>;
  /** The first whose conditions all hold changes what is above. */
  readonly choices: readonly MappingChoice[];
}

export interface FieldMapping {
  /** Under the place of the parameters. */
  readonly to: JsonPointer;
  readonly as: "text" | "number" | "list" | "first" | null;
  /** Other values pass as they are. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /**
   * The entry made for the value, and where in it the value goes; with a list, one entry for each.
   */
  readonly item: JsonValue | undefined;
  readonly at: JsonPointer | null;
  /** Other names for the keys of the objects in it. */
  readonly keys: Readonly<Record<string, string>>;
  /** Applies to values of this kind only. */
  readonly only: "text" | "number" | "flag" | "list" | null;
  /** Put there instead of the parameter's own value. */
  readonly value: JsonValue | undefined;
  /** Put behind the text: what a model has no field for, but understands in words. */
  readonly suffix: string | null;
}

export interface MappingChoice {
  readonly when: ReadonlyMap<string, ParameterTest>;
  /** Told to the log; nothing is sent. */
  readonly reject: string | null;
  readonly model: string | null;
  readonly words: Readonly<Record<string, string>>;
  readonly fields: ReadonlyMap<string, readonly FieldMapping[]>;
  readonly drop: readonly string[];
}

export type ParameterTest =
  | { readonly kind: "is"; readonly value: string }
  | { readonly kind: "given"; readonly given: boolean }
  | { readonly kind: "above"; readonly above: number };
