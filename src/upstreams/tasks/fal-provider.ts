/**
 * fal's queue: a path for each model, a state that is the same for success and failure, the result
 * behind a second request.
 */
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { TableMapping, TaskProvider } from "../../protocol/task-provider.ts";
import { BLOCKED_WORDS } from "./blocked-words.ts";
import { table } from "./field-mapping.ts";
import { captions, textOrImage } from "./kie-tables.ts";

const ERROR_TYPES: ReadonlyMap<string, TaskErrorCode> = new Map<string, TaskErrorCode>([
  ["content_policy_violation", "content_blocked"],
  ["file_download_error", "input_unreachable"],
  ["image_load_error", "input_rejected"],
  ["image_too_small", "input_rejected"],
  ["image_too_large", "input_rejected"],
  ["file_too_large", "input_rejected"],
  ["unsupported_image_format", "input_rejected"],
  ["unsupported_video_format", "input_rejected"],
  ["unsupported_audio_format", "input_rejected"],
  ["video_duration_too_long", "input_rejected"],
  ["video_duration_too_short", "input_rejected"],
  ["audio_duration_too_long", "input_rejected"],
  ["audio_duration_too_short", "input_rejected"],
  ["face_detection_error", "input_rejected"],
  ["generation_timeout", "provider_timeout"],
  ["no_media_generated", "provider_error"],
  ["internal_server_error", "provider_error"],
  ["downstream_service_error", "provider_error"],
  ["downstream_service_unavailable", "provider_error"],
]);

/**
 * Names are those of the models at fal, which follow ours in snake_case; what is in the model's
 * path is not sent.
 */
const FAL_TABLES: ReadonlyMap<string, TableMapping> = new Map([
  ["T1", captions],
  ["T8", table({ inModel: ["variant"] })],
  ["T10", textOrImage("/image_urls")],
]);

/** Source: docs.fal.ai (queue, webhooks, errors). */
export const falProvider: TaskProvider = {
  auth: { kind: "header", name: "authorization", prefix: "Key " },
  headers: {},
  success: null,
  errors: {
    code: ["/detail/0/type", "/error_type"],
    message: ["/detail/0/msg", "/detail", "/error", "/message"],
    codes: new Map([["content_policy_violation", "content_blocked"]]),
    statuses: new Map(),
    messages: BLOCKED_WORDS,
  },
  submit: {
    method: "POST",
    path: "/{+model}",
    query: { fal_webhook: "{callback}" },
    // A second run inside fal would be as unknown to us as a second submission.
    headers: { "x-fal-no-retry": "1" },
    body: new Map(),
    input: "",
    id: "/request_id",
    urls: { status: "/status_url", response: "/response_url", cancel: "/cancel_url" },
    codes: new Map(),
  },
  poll: {
    method: "GET",
    path: "/{+app}/requests/{id}/status",
    url: "status",
    state: {
      at: "/status",
      values: new Map([
        ["IN_QUEUE", "running"],
        ["IN_PROGRESS", "running"],
        ["COMPLETED", "succeeded"],
      ]),
      absent: null,
    },
    failure: {
      present: "/error",
      code: ["/error_type"],
      message: ["/error"],
      codes: ERROR_TYPES,
    },
    result: {
      urls: ["/video", "/videos", "/image", "/images", "/audio", "/output", "/outputs"],
      otherwise: [],
      json: false,
      second: { method: "GET", path: "/{+app}/requests/{id}", url: "response", value: null },
      authorize: false,
      blocked: null,
    },
    progress: null,
    queuePosition: "/queue_position",
    cost: null,
    codes: new Map(),
  },
  lookUp: null,
  cancel: {
    method: "PUT",
    path: "/{+app}/requests/{id}/cancel",
    url: "cancel",
    state: "/status",
    // That it was asked to is no promise: what is running may finish, and be paid.
    values: new Map([
      ["CANCELLATION_REQUESTED", "unknown"],
      ["ALREADY_COMPLETED", "too_late"],
    ]),
    done: "unknown",
  },
  callbackId: ["/request_id"],
  schedule: { firstMs: 1_000, minMs: 1_000, maxMs: 30_000 },
  graceSeconds: 60,
  naming: "snake_case",
  tables: FAL_TABLES,
};
