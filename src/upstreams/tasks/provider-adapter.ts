/** The adapter for every provider whose API is described as data. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { CancelMeaning, PollSchedule, TaskProvider } from "../../protocol/task-provider.ts";
import { exchangeJson } from "./exchange-json.ts";
import { scalarText, valueAt } from "./json-pointer.ts";
import { mapParameters, tableOf } from "./map-parameters.ts";
import { credentialHeaders, placeCall } from "./place-call.ts";
import { handleValues, pollTask } from "./poll-task.ts";
import { isSuccess, readRefusal } from "./read-refusal.ts";
import { submitTask, type ProviderCalls } from "./submit-task.ts";
import type {
  LookUpOutcome,
  TaskAdapter,
  TaskHandle,
  TaskTarget,
  TaskUpstream,
} from "./task-adapter.ts";
import { makeHandle, readTaskId } from "./task-handle.ts";

const DEFAULT_SCHEDULE: PollSchedule = { firstMs: 2_000, minMs: 2_000, maxMs: 30_000 };
const DEFAULT_GRACE_SECONDS = 60;
const LONGEST_REPORT_BYTES = 1_000_000;
const UNDESCRIBED = { kind: "operator", ...sayReason("api_not_described") } as const;

/** `describe` is null for an upstream that has no description. */
export function createProviderAdapter(
  calls: ProviderCalls,
  describe: (upstream: TaskUpstream | undefined) => TaskProvider | null,
  schedule: PollSchedule = DEFAULT_SCHEDULE,
): Required<TaskAdapter> {
  return {
    modelOf(target, parameters) {
      const provider = describe(target.upstream);
      const mapped = provider === null ? null : mapParameters(provider, { ...target, parameters });
      return mapped?.kind === "mapped" ? mapped.model : null;
    },
    async submit(target, submission, signal) {
      const provider = describe(target.upstream);
      if (provider === null) return UNDESCRIBED;
      return submitTask(calls, provider, target, submission, signal);
    },
    async poll(target, handle, signal) {
      const provider = describe(target.upstream);
      if (provider === null) return UNDESCRIBED;
      return pollTask(calls, provider, target, handle, signal);
    },
    async lookUp(target, attemptId, signal) {
      const provider = describe(target.upstream);
      return provider === null
        ? { kind: "unknown" }
        : lookUp(calls, provider, target, attemptId, signal);
    },
    async cancel(target, handle, signal) {
      const provider = describe(target.upstream);
      return provider === null ? "unknown" : cancel(calls, provider, target, handle, signal);
    },
    readCallback(_headers, body, upstream) {
      const provider = describe(upstream);
      if (provider === null || body.length > LONGEST_REPORT_BYTES) return null;
      const report = parsed(body);
      const ids = provider.callbackId.map((at) => readTaskId(valueAt(report, at)));
      const upstreamTaskId = ids.find((id) => id !== null) ?? null;
      return upstreamTaskId === null ? null : { upstreamTaskId };
    },
    authorization(target) {
      const provider = describe(target.upstream);
      return provider === null ? {} : credentialHeaders(target, provider);
    },
    schedule,
    scheduleOf: (upstream) => describe(upstream)?.schedule ?? schedule,
    graceMsOf: (upstream) => (describe(upstream)?.graceSeconds ?? DEFAULT_GRACE_SECONDS) * 1_000,
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

async function lookUp(
  calls: ProviderCalls,
  provider: TaskProvider,
  target: TaskTarget,
  attemptId: string,
  signal: AbortSignal,
): Promise<LookUpOutcome> {
  const call = provider.lookUp;
  if (call === null) return { kind: "unknown" };
  const values = {
    attempt: attemptId,
    model: target.model,
    path: tableOf(provider, target.table).path,
  };
  const request = placeCall(target, provider, { ...call, url: null }, values);
  if ("reason" in request) return { kind: "unknown" };
  const answer = await exchangeJson(calls.outgoing, request, signal);
  if (answer.kind === "failed") return { kind: "unknown" };
  if (!isSuccess(provider, answer)) {
    const codes = [
      String(answer.status),
      ...provider.errors.code.map((at) => scalarText(valueAt(answer.json, at)) ?? ""),
    ];
    return { kind: codes.some((code) => call.absent.includes(code)) ? "absent" : "unknown" };
  }
  const task =
    call.list === null ? answer.json : entryWith(valueAt(answer.json, call.list), attemptId);
  const id = readTaskId(valueAt(task, call.id), target.credential);
  // That a list does not show it (yet, or any more) proves nothing.
  if (id === null) return { kind: "unknown" };
  return {
    kind: "found",
    handle: makeHandle(calls.clock, provider, target, { id, model: target.model, document: task }),
  };
}

function entryWith(list: unknown, attemptId: string): unknown {
  if (!Array.isArray(list)) return undefined;
  return list.find((entry: unknown) => mentions(entry, attemptId, 8));
}

function mentions(value: unknown, text: string, depth: number): boolean {
  if (typeof value === "string") return value.includes(text);
  if (depth === 0 || typeof value !== "object" || value === null) return false;
  return Object.values(value).some((member: unknown) => mentions(member, text, depth - 1));
}

async function cancel(
  calls: ProviderCalls,
  provider: TaskProvider,
  target: TaskTarget,
  handle: TaskHandle,
  signal: AbortSignal,
): Promise<CancelMeaning> {
  const call = provider.cancel;
  if (call === null) return "unknown";
  const request = placeCall(
    target,
    provider,
    call,
    handleValues(provider, target, handle),
    handle.urls,
  );
  if ("reason" in request) return "unknown";
  const answer = await exchangeJson(calls.outgoing, request, signal);
  if (answer.kind === "failed") return "unknown";
  const state = call.state === null ? null : scalarText(valueAt(answer.json, call.state));
  const reported: CancelMeaning | undefined = state === null ? undefined : call.values.get(state);
  if (reported !== undefined) return reported;
  if (isSuccess(provider, answer) || answer.status === 204) return call.done;
  const { reported: meaning } = readRefusal(provider, new Map(), answer);
  return meaning === null && [400, 409, 422].includes(answer.status) ? "too_late" : "unknown";
}
