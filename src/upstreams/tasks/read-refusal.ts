/**
 * What an answer that is not a success means: first by the provider's own code, else by its HTTP
 * status.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { ErrorMeaning, TaskProvider } from "../../protocol/task-provider.ts";
import type { JsonAnswer } from "./exchange-json.ts";
import { joinWords } from "./hide-credential.ts";
import { firstScalar, scalarText, valueAt } from "./json-pointer.ts";

export interface Refusal {
  /** By the provider's code or a status that its description maps; null: neither says anything. */
  readonly reported: ErrorMeaning | null;
  /** For operators: status, code and the provider's words, which may hold the credential. */
  readonly worded: Required<WordedReason>;
  /** What its words add to a failure; null: nothing. */
  readonly hint: TaskErrorCode | null;
}

/** `codes` are those of the call, which stand before those of all calls. */
export function readRefusal(
  provider: TaskProvider,
  codes: ReadonlyMap<string, ErrorMeaning>,
  answer: JsonAnswer,
): Refusal {
  const { errors } = provider;
  const found = errors.code
    .map((at) => scalarText(valueAt(answer.json, at)))
    .filter((code) => code !== null);
  const code = found.find((one) => codes.has(one) || errors.codes.has(one));
  const byCode = code === undefined ? null : (codes.get(code) ?? errors.codes.get(code) ?? null);
  const message = firstScalar(answer.json, errors.message);
  return {
    reported: byCode ?? errors.statuses.get(String(answer.status)) ?? null,
    worded: wordedOf(answer, joinWords(code ?? found[0] ?? null, message)),
    hint: hintOf(provider, message),
  };
}

function wordedOf({ status, json }: JsonAnswer, words: string): Required<WordedReason> {
  if (json === undefined) return sayReason("status_not_json", { status });
  return words === ""
    ? sayReason("status_alone", { status })
    : sayReason("status", { status, words });
}

/** The meaning of the first word that the message has. */
export function hintOf({ errors }: TaskProvider, message: string | null): TaskErrorCode | null {
  const text = message?.slice(0, 4_000).toLowerCase() ?? "";
  return [...errors.messages].find(([word]) => text.includes(word))?.[1] ?? null;
}

export function isSuccess(provider: TaskProvider, answer: JsonAnswer): boolean {
  if (answer.status < 200 || answer.status > 299 || answer.json === undefined) return false;
  const test = provider.success;
  if (test === null) return true;
  const value = scalarText(valueAt(answer.json, test.at));
  return value !== null && test.equals.includes(value);
}

/** Statuses by which nothing was taken: the request itself is at fault. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([
  400, 404, 405, 406, 410, 411, 413, 414, 415, 422,
]);
const OPERATOR_STATUSES: ReadonlySet<number> = new Set([401, 402, 403]);

/**
 * What a status means to a submission where no code says more. All that is not certain is
 * `unknown`: money hangs on it.
 */
export function submitStatusMeaning({
  status,
  retryAfterMs,
  json,
}: JsonAnswer): "busy" | "operator" | "provider_rejected" | "unknown" {
  if (OPERATOR_STATUSES.has(status)) return "operator";
  if (status === 429) return "busy";
  // A page of some proxy may stand before a provider that has taken the task all the same.
  if (status === 503 && (retryAfterMs !== null || isRecord(json))) return "busy";
  return REFUSING_STATUSES.has(status) ? "provider_rejected" : "unknown";
}

/** What a status means to a question about a task. None of them ends it. */
export function pollStatusMeaning(status: number): "busy" | "operator" | "missing" | "unknown" {
  if (OPERATOR_STATUSES.has(status)) return "operator";
  if (status === 404 || status === 410) return "missing";
  return status === 429 || status === 503 ? "busy" : "unknown";
}
