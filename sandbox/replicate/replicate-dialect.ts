/**
 * Replicate's predictions: one object for everything, problem details for errors, webhooks as
 * Standard Webhooks signs them.
 */
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readAnyModel } from "../tasks/find-model.ts";
import type { TaskDialect } from "../tasks/task-dialect.ts";
import type { Task } from "../tasks/task.ts";

const STATES = {
  queued: "starting",
  running: "processing",
  succeeded: "succeeded",
  failed: "failed",
  canceled: "canceled",
} as const;

/** `secret` is that of all webhooks, `whsec_…`; absent: one made from the key of the creator. */
export function createReplicateDialect(secret: string | undefined): TaskDialect {
  return {
    protocol: "replicate",
    newId: () => randomBytes(16).toString("hex").slice(0, 26),
    readModel: readAnyModel,
    created: (task) => ({ status: 201, body: prediction(task) }),
    withoutId: () => ({ status: "starting" }),
    rejected(mistakes) {
      const detail = mistakes
        .map((one) => `- input${one.field === "" ? "" : `.${one.field}`}: ${one.message}`)
        .join("\n");
      return { status: 422, body: { title: "Input validation failed", detail, status: 422 } };
    },
    refused: (code, message) => ({ status: code, body: problem(code, message) }),
    errorBody: problem,
    webhook(task, now) {
      const id = `msg_${randomBytes(12).toString("hex")}`;
      const timestamp = String(Math.floor(now / 1000));
      const body = JSON.stringify(prediction(task));
      const key = Buffer.from(
        (secret ?? replicateSecret(task.apiKey)).replace(/^whsec_/, ""),
        "base64",
      );
      const signature = createHmac("sha256", key)
        .update(`${id}.${timestamp}.${body}`)
        .digest("base64");
      return {
        headers: {
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": `v1,${signature}`,
        },
        body,
      };
    },
  };
}

/** The secret of a key's webhooks, where none is set. */
export function replicateSecret(apiKey: string): string {
  return `whsec_${createHash("sha256").update(`sandbox ${apiKey}`).digest("base64")}`;
}

function problem(status: number, detail: string): object {
  return { title: status === 404 ? "Not found" : "Error", detail, status };
}

export function prediction(task: Task): object {
  const time = (ms: number | null): string | null =>
    ms === null ? null : new Date(ms).toISOString();
  const [model = task.model, version = "hidden"] = task.model.split(":");
  const base = `${task.origin}/v1/predictions/${task.id}`;
  const over = task.endedAt !== null;
  return {
    id: task.id,
    model: /^[0-9a-f]{64}$/.test(task.model) ? "" : model,
    version: /^[0-9a-f]{64}$/.test(task.model) ? task.model : version,
    input: task.input,
    logs: "",
    ...output(task),
    data_removed: false,
    error: task.failure === null ? null : errorOf(task),
    source: "api",
    status: over ? STATES[task.phase] : (task.directives.state ?? STATES[task.phase]),
    created_at: time(task.createdAt),
    started_at: time(task.startedAt),
    completed_at: time(task.endedAt),
    urls: { get: base, cancel: `${base}/cancel`, web: base },
    ...(task.callbackUrl === null
      ? {}
      : { webhook: task.callbackUrl, webhook_events_filter: ["completed"] }),
    metrics: over
      ? { predict_time: ((task.endedAt ?? 0) - (task.startedAt ?? task.createdAt)) / 1000 }
      : {},
  };
}

function errorOf(task: Task): string {
  const message = task.failure?.message ?? "";
  return task.failure?.kind === "blocked"
    ? "The input or output was flagged as sensitive. Please try again with different inputs. (E005)"
    : message;
}

function output(task: Task): { output?: unknown } {
  if (task.phase !== "succeeded") return { output: null };
  switch (task.directives.output) {
    case "none":
      return { output: [] };
    case "null":
      return { output: null };
    case "missing":
      return {};
    case "garbage":
      return { output: 42 };
    case "string":
      return { output: task.results[0] ?? "" };
    case "object":
      return { output: { video: task.results[0] } };
    case null:
      return { output: task.results };
  }
}
