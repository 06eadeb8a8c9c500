/** Puts one task to a provider, and says no more of what became of it than is certain. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { ErrorMeaning, JsonValue, TaskProvider } from "../../protocol/task-provider.ts";
import { exchangeJson, type JsonAnswer } from "./exchange-json.ts";
import { fillText, placesOf, type TemplateValues } from "./fill-template.ts";
import { withoutCredential } from "./hide-credential.ts";
import { copyJson, putAt, valueAt, type MutableJson } from "./json-pointer.ts";
import { mapParameters } from "./map-parameters.ts";
import { placeCall } from "./place-call.ts";
import { isSuccess, readRefusal, submitStatusMeaning } from "./read-refusal.ts";
import { makeHandle, readTaskId } from "./task-handle.ts";
import type { SubmitOutcome, TaskSubmission, TaskTarget } from "./task-adapter.ts";

export interface ProviderCalls {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
}

/** Providers that take a deadline at all take no longer one. */
const LONGEST_DEADLINE_SECONDS = 86_400;

/** The call that puts a task to a provider. */
export interface SubmissionCall {
  readonly kind: "call";
  readonly request: OutgoingRequest;
  /** The model id with its places filled. */
  readonly model: string;
}

/** Nothing is sent; what cannot be put is the outcome that its submission would have. */
export function submissionCall(
  provider: TaskProvider,
  target: TaskTarget,
  submission: TaskSubmission,
): SubmissionCall | SubmitOutcome {
  const mapped = mapParameters(provider, {
    table: target.table,
    model: target.model,
    parameters: submission.parameters,
  });
  if (mapped.kind === "rejected") return { ...mapped, code: "invalid_input" };
  if (mapped.kind === "mistaken") return { ...mapped, kind: "operator" };

  const values: TemplateValues = {
    model: mapped.model,
    app: appOf(mapped.model),
    path: mapped.path,
    attempt: submission.attemptId,
    callback: submission.callbackUrl,
    deadlineSeconds:
      submission.deadlineSeconds > LONGEST_DEADLINE_SECONDS
        ? null
        : String(submission.deadlineSeconds),
  };
  const body = bodyOf(provider, mapped.input, values);
  if (body === null) return { kind: "operator", ...sayReason("body_constant_taken") };
  const { submit } = provider;
  const request = placeCall(target, provider, { ...submit, url: null, body }, values);
  return "reason" in request
    ? { kind: "operator", ...request }
    : { kind: "call", request, model: mapped.model };
}

export async function submitTask(
  calls: ProviderCalls,
  provider: TaskProvider,
  target: TaskTarget,
  submission: TaskSubmission,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const call = submissionCall(provider, target, submission);
  if (call.kind !== "call") return call;
  const { request, model } = call;
  const { submit } = provider;
  const result = await exchangeJson(calls.outgoing, request, signal);
  if (result.kind === "failed") {
    const why = withoutCredential(target.credential, result.why);
    if (result.sent) return { kind: "unknown", ...why };
    return {
      kind: "busy",
      retryAfterMs: null,
      ...why,
      ...(result.unreached ? { unreached: true } : {}),
    };
  }
  const id = readTaskId(valueAt(result.json, submit.id), target.credential);
  if (!isSuccess(provider, result)) return refused(provider, target, result, id);
  if (id === null)
    return { kind: "unknown", ...sayReason("success_without_id", { status: result.status }) };
  return {
    kind: "accepted",
    handle: makeHandle(calls.clock, provider, target, { id, model, document: result.json }),
  };
}

/** fal's application: the sub-path of a model counts for submissions only. */
export function appOf(model: string): string {
  return model.split("/").slice(0, 2).join("/");
}

function bodyOf(provider: TaskProvider, input: MutableJson, values: TemplateValues): Buffer | null {
  const rooted = putAt({}, provider.submit.input, input);
  if (rooted === false) return null;
  let { document } = rooted;
  for (const [pointer, constant] of provider.submit.body) {
    const value = filled(constant, values);
    if (value === undefined) continue;
    const put = putAt(document, pointer, value);
    if (put === false) return null;
    document = put.document;
  }
  return Buffer.from(JSON.stringify(document));
}

/** Undefined: a place in it has no value, as where there is no callback. */
function filled(constant: JsonValue, values: TemplateValues): MutableJson | undefined {
  if (typeof constant !== "string" || placesOf(constant).length === 0) return copyJson(constant);
  return fillText(constant, values) ?? undefined;
}

function refused(
  provider: TaskProvider,
  target: TaskTarget,
  answer: JsonAnswer,
  id: string | null,
): SubmitOutcome {
  const { reported, worded, hint } = readRefusal(provider, provider.submit.codes, answer);
  const why = withoutCredential(target.credential, worded);
  // A refusal that names a task is none to rely on.
  if (id !== null) return { kind: "unknown", ...why };
  const meaning =
    reported ??
    (isRecord(answer.json) || answer.status >= 400 ? submitStatusMeaning(answer) : "unknown");
  const rejection = rejectionOf(meaning);
  if (rejection !== null) {
    const code =
      rejection === "provider_rejected" && hint !== null
        ? (rejectionOf(hint) ?? rejection)
        : rejection;
    return { kind: "rejected", code, ...why };
  }
  if (meaning === "busy") return { kind: "busy", retryAfterMs: answer.retryAfterMs, ...why };
  return { kind: meaning === "operator" ? "operator" : "unknown", ...why };
}

const REJECTIONS: Partial<
  Record<ErrorMeaning, "provider_rejected" | "content_blocked" | "invalid_input">
> = {
  provider_rejected: "provider_rejected",
  content_blocked: "content_blocked",
  invalid_input: "invalid_input",
  input_rejected: "invalid_input",
  input_unreachable: "invalid_input",
};

/**
 * Null: not by itself a refusal of the task. A provider's errors and timeouts leave open whether it
 * took it.
 */
function rejectionOf(
  meaning: ErrorMeaning | TaskErrorCode,
): "provider_rejected" | "content_blocked" | "invalid_input" | null {
  return REJECTIONS[meaning] ?? null;
}
