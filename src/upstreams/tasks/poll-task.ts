/** Asks a provider how a task is doing. Only what its description calls an end is one. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type {
  CallAddress,
  ErrorMeaning,
  StateMeaning,
  TaskProvider,
} from "../../protocol/task-provider.ts";
import { collectUrls } from "./collect-urls.ts";
import { exchangeJson, type JsonAnswer } from "./exchange-json.ts";
import type { TemplateValues } from "./fill-template.ts";
import { trustedUrl } from "./follow-url.ts";
import { holdsCredential, joinWords, withoutCredential } from "./hide-credential.ts";
import { firstScalar, isPresent, scalarText, valueAt } from "./json-pointer.ts";
import { tableOf } from "./map-parameters.ts";
import { placeCall } from "./place-call.ts";
import { readCost, readProgress, readQueuePosition } from "./read-progress.ts";
import { hintOf, isSuccess, pollStatusMeaning, readRefusal } from "./read-refusal.ts";
import { appOf, type ProviderCalls } from "./submit-task.ts";
import type { PollOutcome, TaskHandle, TaskTarget } from "./task-adapter.ts";

/** One poll and what it asks about. */
interface Poll {
  readonly calls: ProviderCalls;
  readonly provider: TaskProvider;
  readonly target: TaskTarget;
  readonly handle: TaskHandle;
  readonly signal: AbortSignal;
}

const TASK_CODES_IN_STATES = new Set<StateMeaning>(["running", "succeeded", "failed"]);

export async function pollTask(
  calls: ProviderCalls,
  provider: TaskProvider,
  target: TaskTarget,
  handle: TaskHandle,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const poll: Poll = { calls, provider, target, handle, signal };
  const answer = await ask(poll, provider.poll, handleValues(provider, target, handle));
  if (answer.kind !== "answer") return answer;
  return isSuccess(provider, answer) ? readState(poll, answer) : notAnswered(poll, answer);
}

/** The places of all calls about a task that is known. */
export function handleValues(
  provider: TaskProvider,
  target: TaskTarget,
  handle: TaskHandle,
): TemplateValues {
  return {
    id: handle.upstreamTaskId,
    model: handle.model,
    app: appOf(handle.model),
    path: tableOf(provider, target.table).path,
  };
}

async function ask(
  poll: Poll,
  call: CallAddress,
  values: TemplateValues,
): Promise<JsonAnswer | PollOutcome> {
  const { target, provider, handle } = poll;
  const request = placeCall(target, provider, call, values, handle.urls);
  if ("reason" in request) return { kind: "operator", ...request };
  const result = await exchangeJson(poll.calls.outgoing, request, poll.signal);
  return result.kind === "answer"
    ? result
    : { kind: "unknown", ...withoutCredential(target.credential, result.why) };
}

function notAnswered(poll: Poll, answer: JsonAnswer): PollOutcome {
  const { provider, target } = poll;
  const { reported, worded } = readRefusal(provider, provider.poll.codes, answer);
  const why = withoutCredential(target.credential, worded);
  const ends = reported !== null && endsTask(provider, answer, reported);
  const meaning = ends
    ? reported
    : reported === null || isTaskCode(reported)
      ? pollStatusMeaning(answer.status)
      : reported;
  return unanswered(poll, answer, meaning, why);
}

/**
 * Codes for all calls speak of the question as well as of the task; only one that stands with this
 * call ends it.
 */
function endsTask(provider: TaskProvider, answer: JsonAnswer, reported: ErrorMeaning): boolean {
  return (
    isTaskCode(reported) &&
    provider.errors.code.some(
      (at) => provider.poll.codes.get(scalarText(valueAt(answer.json, at)) ?? "") === reported,
    )
  );
}

function isTaskCode(meaning: ErrorMeaning): meaning is TaskErrorCode {
  return (
    meaning !== "busy" && meaning !== "operator" && meaning !== "missing" && meaning !== "unknown"
  );
}

function unanswered(
  poll: Poll,
  answer: JsonAnswer,
  meaning: ErrorMeaning,
  why: WordedReason,
): PollOutcome {
  switch (meaning) {
    case "busy":
      return { kind: "busy", retryAfterMs: answer.retryAfterMs };
    case "missing":
      return isYoung(poll) ? { kind: "missing" } : { kind: "unknown", ...why };
    case "operator":
    case "unknown":
      return { kind: meaning, ...why };
    default:
      return { kind: "failed", code: meaning, ...why };
  }
}

function isYoung({ calls, provider, handle }: Poll): boolean {
  return (
    calls.clock.now().getTime() - Date.parse(handle.submittedAt) < provider.graceSeconds * 1000
  );
}

async function readState(poll: Poll, answer: JsonAnswer): Promise<PollOutcome> {
  const { provider, target } = poll;
  const { state, failure, progress, queuePosition } = provider.poll;
  const word = scalarText(valueAt(answer.json, state.at));
  const meaning =
    word === null ? state.absent : (state.values.get(word) ?? inAnyCase(state.values, word));
  if (meaning === undefined || meaning === null) {
    const why =
      word === null ? sayReason("no_state") : sayReason("state_not_known", { state: word });
    return { kind: "unknown", ...withoutCredential(target.credential, why) };
  }
  if (meaning === "running") {
    return {
      kind: "running",
      progress:
        progress === null ? null : readProgress(valueAt(answer.json, progress.at), progress.of),
      queuePosition:
        queuePosition === null ? null : readQueuePosition(valueAt(answer.json, queuePosition)),
    };
  }
  const hasFailed = failure.present !== null && isPresent(valueAt(answer.json, failure.present));
  if (meaning === "succeeded" && !hasFailed) return readResult(poll, answer);
  return failed(
    poll,
    answer,
    word,
    TASK_CODES_IN_STATES.has(meaning) ? null : (meaning as TaskErrorCode),
  );
}

/**
 * A provider that begins to write its states in other letters would leave every task to its
 * deadline.
 */
function inAnyCase(
  values: ReadonlyMap<string, StateMeaning>,
  word: string,
): StateMeaning | undefined {
  const letters = word.toLowerCase();
  return [...values].find(([known]) => known.toLowerCase() === letters)?.[1];
}

function failed(
  poll: Poll,
  answer: JsonAnswer,
  word: string | null,
  byState: TaskErrorCode | null,
): PollOutcome {
  const { provider, target } = poll;
  const { failure } = provider.poll;
  const codes = failure.code
    .map((at) => scalarText(valueAt(answer.json, at)))
    .filter((code) => code !== null);
  const mapped = codes.map((code) => failure.codes.get(code)).find((code) => code !== undefined);
  const message = firstScalar(answer.json, failure.message);
  const hint = hintOf(provider, message);
  const reported = mapped ?? byState;
  const words = joinWords(word ?? "failed", codes[0] ?? null, message);
  return {
    kind: "failed",
    // That it was refused is said of many things: the words may tell which.
    code:
      reported === null || reported === "provider_rejected"
        ? (hint ?? reported ?? "provider_error")
        : reported,
    ...withoutCredential(target.credential, sayReason("made_nothing", { words })),
  };
}

async function readResult(poll: Poll, first: JsonAnswer): Promise<PollOutcome> {
  const { provider, target, handle } = poll;
  const { result, cost } = provider.poll;
  let last = first;
  if (result.second !== null) {
    const value =
      result.second.value === null ? null : scalarText(valueAt(first.json, result.second.value));
    if (result.second.value !== null && value === null) return withoutFiles(poll, first);
    const answer = await ask(poll, result.second, {
      ...handleValues(provider, target, handle),
      value,
    });
    if (answer.kind !== "answer") return answer;
    if (!isSuccess(provider, answer)) return resultRefused(poll, answer);
    last = answer;
  }
  const urlsAt = (places: readonly string[]): string[] =>
    collectUrls(places.map((at) => valueAt(last.json, at, result.json))).filter(
      (url) => !holdsCredential(url, target.credential),
    );
  const named = urlsAt(result.urls);
  const found = named.length > 0 ? named : urlsAt(result.otherwise);
  if (found.length === 0) return withoutFiles(poll, last);
  return {
    kind: "succeeded",
    urls: found,
    // The credential goes nowhere else, even where a provider says that its files need it.
    authorize: result.authorize && found.every((url) => trustedUrl(target.upstream, url) !== null),
    cost: cost === null ? null : readCost(valueAt(first.json, cost.at), cost.unit),
  };
}

/** A success without a file is none: nothing is charged for it. */
function withoutFiles({ provider, target }: Poll, answer: JsonAnswer): PollOutcome {
  const { blocked } = provider.poll.result;
  const word = blocked === null ? null : scalarText(valueAt(answer.json, blocked.at));
  const isBlocked = word !== null && blocked?.equals.includes(word) === true;
  const message = firstScalar(answer.json, [
    ...provider.poll.failure.message,
    ...provider.errors.message,
  ]);
  const code = isBlocked ? "content_blocked" : (hintOf(provider, message) ?? "provider_error");
  const why = sayReason("success_without_file", { words: message ?? "" });
  return { kind: "failed", code, ...withoutCredential(target.credential, why) };
}

/**
 * The task has ended; what is asked for is its result, and a refusal of that is its failure (fal).
 * Servers in trouble end nothing.
 */
function resultRefused(poll: Poll, answer: JsonAnswer): PollOutcome {
  const { provider, target } = poll;
  const { reported, worded, hint } = readRefusal(provider, provider.poll.codes, answer);
  const why = withoutCredential(target.credential, worded);
  const { status } = answer;
  const failing =
    provider.poll.failure.codes.get(firstScalar(answer.json, provider.errors.code) ?? "") ?? null;
  if (failing !== null) return { kind: "failed", code: failing, ...why };
  if (reported !== null) return unanswered(poll, answer, reported, why);
  const meaning = pollStatusMeaning(status);
  if (meaning === "missing")
    return isYoung(poll)
      ? { kind: "unknown", ...why }
      : { kind: "failed", code: "result_expired", ...why };
  if (meaning !== "unknown" || status < 400 || status > 499 || status === 408 || status === 425)
    return unanswered(poll, answer, meaning, why);
  return {
    kind: "failed",
    code: hint ?? (status === 422 || status === 400 ? "provider_rejected" : "provider_error"),
    ...why,
  };
}
