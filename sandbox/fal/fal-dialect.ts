/**
 * fal's queue: the same three states for success and failure, the result behind a second request,
 * webhooks signed with Ed25519.
 */
import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from "node:crypto";
import { readAnyModel } from "../tasks/find-model.ts";
import type { TaskAnswer, TaskDialect } from "../tasks/task-dialect.ts";
import { positionOf, type Task } from "../tasks/task.ts";

export interface FalDialect extends TaskDialect {
  status(task: Task): TaskAnswer;
  result(task: Task): TaskAnswer;
  /** The public key of the webhooks. */
  jwks(): unknown;
}

const USER = "sandbox-user";

export function createFalDialect(): FalDialect {
  let keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | null = null;
  const keyPair = (): NonNullable<typeof keys> => (keys ??= generateKeyPairSync("ed25519"));

  return {
    protocol: "fal",
    newId: randomUUID,
    readModel: readAnyModel,
    created: (task) => ({
      status: 200,
      body: {
        status: "IN_QUEUE",
        request_id: task.id,
        ...links(task),
        queue_position: positionOf(task),
      },
    }),
    withoutId: () => ({ status: "IN_QUEUE" }),
    rejected: (mistakes) => ({
      status: 422,
      body: {
        detail: mistakes.map(({ field, message }) => ({
          loc: ["body", field],
          msg: message,
          type: "value_error",
        })),
      },
    }),
    refused: (code, message) => ({ status: code, body: { detail: message } }),
    errorBody: (_status, message) => ({ detail: message }),
    webhook(task, now) {
      const { status, body } = resultOf(task);
      const failed = status !== 200;
      const text = JSON.stringify({
        request_id: task.id,
        gateway_request_id: task.id,
        status: failed ? "ERROR" : "OK",
        ...(failed ? { error: `Invalid status code: ${status}` } : {}),
        payload: body,
      });
      const timestamp = String(Math.floor(now / 1000));
      const signed = [
        task.id,
        USER,
        timestamp,
        createHash("sha256").update(text).digest("hex"),
      ].join("\n");
      return {
        headers: {
          "x-fal-webhook-request-id": task.id,
          "x-fal-webhook-user-id": USER,
          "x-fal-webhook-timestamp": timestamp,
          "x-fal-webhook-signature": sign(null, Buffer.from(signed), keyPair().privateKey).toString(
            "hex",
          ),
        },
        body: text,
      };
    },
    status: statusOf,
    result: resultOf,
    jwks: () => ({
      keys: [
        {
          ...keyPair().publicKey.export({ format: "jwk" }),
          kid: "sandbox",
          use: "sig",
          alg: "EdDSA",
        },
      ],
    }),
  };
}

/** A sub-path counts when a request is submitted and not when it is asked after. */
function links(task: Task): { response_url: string; status_url: string; cancel_url: string } {
  const base = `${task.origin}/fal/${task.model.split("/").slice(0, 2).join("/")}/requests/${task.id}`;
  return { response_url: base, status_url: `${base}/status`, cancel_url: `${base}/cancel` };
}

function statusOf(task: Task): TaskAnswer {
  const common = { request_id: task.id, ...links(task), logs: null, metrics: {} };
  if (task.endedAt !== null) {
    const failure =
      task.failure === null ? {} : { error: task.failure.message, error_type: errorType(task) };
    const seconds = ((task.endedAt ?? 0) - (task.startedAt ?? task.createdAt)) / 1000;
    return {
      status: 200,
      body: { ...common, status: "COMPLETED", metrics: { inference_time: seconds }, ...failure },
    };
  }
  const { state } = task.directives;
  if (state !== null) return { status: 202, body: { ...common, status: state } };
  if (task.phase === "running") return { status: 202, body: { ...common, status: "IN_PROGRESS" } };
  return { status: 202, body: { ...common, status: "IN_QUEUE", queue_position: positionOf(task) } };
}

/** What fal calls the failure. */
function errorType(task: Task): string {
  if (task.failure?.kind === "blocked") return "content_policy_violation";
  return task.failure?.kind === "input" ? "file_download_error" : "internal_server_error";
}

function resultOf(task: Task): TaskAnswer {
  if (task.phase === "canceled") return { status: 400, body: { detail: "Request was cancelled" } };
  if (task.failure !== null) {
    const status = task.failure.kind === "provider" ? 500 : 422;
    const type = errorType(task);
    return {
      status,
      body: {
        detail:
          status === 500
            ? task.failure.message
            : [{ loc: ["body"], msg: task.failure.message, type }],
      },
    };
  }
  if (task.phase !== "succeeded")
    return { status: 400, body: { detail: "Request is still in progress" } };
  return { status: 200, body: payload(task) };
}

function payload(task: Task): unknown {
  const files = task.results.map((url) => ({
    url,
    content_type: url.endsWith(".mp4") ? "video/mp4" : "image/jpeg",
  }));
  switch (task.directives.output) {
    case "none":
      return { images: [] };
    case "null":
      return null;
    case "missing":
      return {};
    case "garbage":
      return '{"video":{"url":"http';
    case "string":
      return { video: task.results[0] };
    case "object":
      return { video: {} };
    case null:
      return task.results[0]?.endsWith(".mp4") === true
        ? { video: files[0] }
        : { images: files, seed: 1 };
  }
}
