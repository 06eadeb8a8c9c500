/**
 * kie.ai's market API: one path to create, one to ask, an envelope with a code of its own under
 * HTTP 200, results as JSON in a text.
 */
import type { TaskProvider } from "../../protocol/task-provider.ts";
import { KIE_WORDS } from "./kie-words.ts";
import { KIE_TABLES } from "./kie-tables.ts";

/**
 * Source: docs.kie.ai (createTask, recordInfo). There is no cancelling and no list to look a task
 * up in.
 */
export const kieProvider: TaskProvider = {
  auth: { kind: "header", name: "authorization", prefix: "Bearer " },
  headers: {},
  success: { at: "/code", equals: ["200"] },
  errors: {
    code: ["/code"],
    message: ["/msg", "/message"],
    codes: new Map([
      ["401", "operator"],
      ["402", "operator"],
      ["403", "operator"],
      ["429", "busy"],
      // The limit of a sub-key of ours.
      ["433", "operator"],
      ["455", "busy"],
      ["505", "busy"],
    ]),
    statuses: new Map(),
    messages: KIE_WORDS,
  },
  submit: {
    method: "POST",
    path: "/api/v1/jobs/createTask",
    query: {},
    headers: {},
    body: new Map([
      ["/model", "{model}"],
      ["/callBackUrl", "{callback}"],
    ]),
    input: "/input",
    id: "/data/taskId",
    urls: {},
    codes: new Map([
      ["400", "provider_rejected"],
      ["404", "provider_rejected"],
      ["408", "provider_rejected"],
      ["422", "provider_rejected"],
      ["451", "input_unreachable"],
      ["501", "provider_rejected"],
      // "An unexpected error while processing": before the task was made, or after.
      ["500", "unknown"],
    ]),
  },
  poll: {
    method: "GET",
    path: "/api/v1/jobs/recordInfo?taskId={id}",
    url: null,
    state: {
      at: "/data/state",
      values: new Map([
        ["waiting", "running"],
        ["queuing", "running"],
        ["generating", "running"],
        ["success", "succeeded"],
        ["fail", "failed"],
      ]),
      absent: null,
    },
    failure: {
      present: null,
      code: ["/data/failCode"],
      message: ["/data/failMsg"],
      // The same 400 and 422 stand for prompts, files and moderation: the words tell them apart.
      codes: new Map([
        ["400", "provider_rejected"],
        ["422", "provider_rejected"],
        ["408", "provider_timeout"],
        ["451", "input_unreachable"],
      ]),
    },
    result: {
      urls: ["/data/resultJson/resultUrls", "/data/resultJson/lastFrameUrl"],
      otherwise: ["/data/resultJson"],
      json: true,
      second: null,
      authorize: false,
      blocked: null,
    },
    progress: { at: "/data/progress", of: 100 },
    queuePosition: null,
    cost: { at: "/data/creditsConsumed", unit: "credits" },
    codes: new Map([
      // A new task is not visible at once.
      ["404", "missing"],
      ["422", "missing"],
      ["500", "busy"],
      ["408", "provider_timeout"],
      ["501", "provider_error"],
    ]),
  },
  lookUp: null,
  cancel: null,
  callbackId: ["/data/taskId", "/taskId"],
  schedule: { firstMs: 2_000, minMs: 2_000, maxMs: 30_000 },
  graceSeconds: 60,
  naming: "snake_case",
  tables: KIE_TABLES,
};
