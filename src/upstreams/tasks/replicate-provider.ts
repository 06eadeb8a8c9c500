/**
 * Replicate's predictions: one object for everything, whose output is a text, a list or an object;
 * predictions can be listed and cancelled.
 */
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { JsonValue, TableMapping, TaskProvider } from "../../protocol/task-provider.ts";
import { BLOCKED_WORDS } from "./blocked-words.ts";
import { table } from "./field-mapping.ts";
import { captions, textOrImage } from "./kie-tables.ts";

const REPLICATE_TABLES: ReadonlyMap<string, TableMapping> = new Map([
  ["T1", captions],
  ["T8", table({ inModel: ["variant"] })],
  ["T10", textOrImage("/input_images")],
  [
    "T19",
    table({
      fields: { imageUrls: "/image_input" },
      constants: new Map([["/output_format", "jpg"]]),
    }),
  ],
]);

/**
 * Source: replicate.com/docs (HTTP API, webhooks, prediction lifecycle). `version` takes
 * `owner/model`, `owner/model:version` and a version.
 */
export const replicateProvider: TaskProvider = {
  auth: { kind: "header", name: "authorization", prefix: "Bearer " },
  headers: {},
  success: null,
  errors: {
    code: [],
    message: ["/detail", "/title", "/error"],
    codes: new Map(),
    statuses: new Map(),
    messages: new Map<string, TaskErrorCode>([...BLOCKED_WORDS, ["(e005)", "content_blocked"]]),
  },
  submit: {
    method: "POST",
    path: "/v1/predictions",
    query: {},
    headers: { "cancel-after": "{deadlineSeconds}s" },
    body: new Map<string, JsonValue>([
      ["/version", "{model}"],
      ["/webhook", "{callback}"],
      ["/webhook_events_filter", ["completed"]],
    ]),
    input: "/input",
    id: "/id",
    urls: { get: "/urls/get", cancel: "/urls/cancel" },
    codes: new Map(),
  },
  poll: {
    method: "GET",
    path: "/v1/predictions/{id}",
    url: "get",
    state: {
      at: "/status",
      values: new Map([
        ["starting", "running"],
        ["processing", "running"],
        ["succeeded", "succeeded"],
        ["failed", "failed"],
        ["canceled", "canceled"],
        // Its `Cancel-After` had passed before it ran.
        ["aborted", "provider_timeout"],
      ]),
      absent: null,
    },
    failure: { present: null, code: [], message: ["/error"], codes: new Map() },
    result: {
      urls: ["/output"],
      otherwise: [],
      json: false,
      second: null,
      authorize: false,
      blocked: null,
    },
    progress: null,
    queuePosition: null,
    cost: { at: "/metrics/predict_time", unit: "seconds" },
    codes: new Map(),
  },
  // The webhook's address is shown with each prediction, and carries the attempt's id.
  lookUp: { method: "GET", path: "/v1/predictions", list: "/results", id: "/id", absent: [] },
  cancel: {
    method: "POST",
    path: "/v1/predictions/{id}/cancel",
    url: "cancel",
    state: "/status",
    values: new Map([
      ["canceled", "canceled"],
      ["aborted", "canceled"],
      ["succeeded", "too_late"],
      ["failed", "too_late"],
    ]),
    done: "unknown",
  },
  callbackId: ["/id"],
  schedule: { firstMs: 1_000, minMs: 1_000, maxMs: 30_000 },
  graceSeconds: 60,
  naming: "snake_case",
  tables: REPLICATE_TABLES,
};
