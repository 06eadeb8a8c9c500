/**
 * Tasks: their creation, what is told of one, lists, quotes, the events of a stream, webhooks and
 * what became of these (contract §7).
 */
import Type, { type TSchema } from "typebox";
import { DELIVERY_STATES } from "./enums/delivery-state.ts";
import { CANCELLATIONS, COST_STATES, TASK_STATES } from "./enums/task-state.ts";
import { envelope } from "./envelope.ts";
import { Currency, moment, roubles } from "./money.ts";
import { nullableString } from "./nullable.ts";
import { TASK_ERROR_CODES } from "./task-error-codes.ts";
import { TASK_SCHEMAS } from "./tasks/task-schema.ts";

const TASK_ID = "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const RESULT_URL = "https://files.example.com/static/3k9x0q7w2m5n8b1v4c6z0a9s8d7f6g5h.mp4";

function nullable(schema: TSchema, options: Readonly<Record<string, unknown>> = {}): TSchema {
  return Type.Union([schema, Type.Null()], options);
}

const taskId = Type.String({ format: "uuid", examples: [TASK_ID] });
const state = Type.Enum([...TASK_STATES], {
  description:
    "`queued`: nobody makes it yet. `processing`: it is being made. `completed` and `failed` are ends: nothing changes after them.",
});

/**
 * The body of `POST /v1/tasks/{model}`: which of these it is says the model's `parameters` in
 * `GET /v1/models`.
 */
export const TaskRequestBody = Type.Union(Object.values(TASK_SCHEMAS), {
  description:
    "The parameters of the model's table, `T1` to `T19`, which its entry in `GET /v1/models` names. Media are URLs: of the upload, or any public http(s) address.",
});

export const TaskCreated = envelope(
  Type.Object({ taskId, state: Type.Literal("queued") }),
  "The task is ordered and its price is held. Ask for it by its id.",
);

const ResultFile = Type.Object({
  url: Type.String({
    description: "Ours, not the maker's. Whoever has it may read the file.",
    examples: [RESULT_URL],
  }),
  contentType: Type.String({ description: "Read from the bytes.", examples: ["video/mp4"] }),
  bytes: Type.Integer({ examples: [1_482_113] }),
  width: nullable(Type.Integer(), { description: "Pixels; null for audio.", examples: [1280] }),
  height: nullable(Type.Integer(), { examples: [720] }),
  durationSeconds: nullable(Type.Number(), {
    description: "Of videos and audio, as measured.",
    examples: [5.04],
  }),
  expiresAt: moment("From then on the URL answers 410."),
});

const TASK = Type.Object({
  taskId,
  model: Type.String({ examples: ["seedance-2"] }),
  state,
  createdAt: moment("When it was ordered."),
  startedAt: nullable(moment("When somebody began to make it.")),
  completedAt: nullable(moment("When it came to its end, good or bad.")),
  progress: nullable(Type.Number({ minimum: 0, maximum: 1 }), {
    description: "While it is being made, where the maker tells it; 1 when it is completed.",
    examples: [0.4],
  }),
  queuePosition: nullable(Type.Integer(), {
    description: "While it waits, where the maker tells it.",
  }),
  result: nullable(
    Type.Object({ files: Type.Array(ResultFile, { description: "At least one." }) }),
    {
      description: "Null until it is completed.",
    },
  ),
  error: nullable(
    Type.Object({
      code: Type.Enum([...TASK_ERROR_CODES]),
      message: Type.String({ examples: ["The provider could not make it."] }),
    }),
    { description: "Null but for a failed task." },
  ),
  cost: Type.Object({
    amount: roubles("What is held, what was charged, or what was given back; by its state."),
    currency: Currency,
    state: Type.Enum([...COST_STATES], {
      description:
        "`held` until the end, `charged` when it is completed, `released` when it failed: then nothing was charged.",
    }),
  }),
  input: Type.Record(Type.String(), Type.Unknown(), {
    description: "The parameters as they were accepted, defaults filled in.",
  }),
  cancelRequestedAt: nullable(moment("When its owner asked to cancel it.")),
  deadlineAt: moment("When it fails if it has not ended by itself."),
});

export const Task = envelope(TASK, "A task.");

export const TaskList = envelope(
  Type.Object({
    tasks: Type.Array(TASK, { description: "Newest first." }),
    nextCursor: nullableString({
      description: "Pass it as `cursor` for the next page; null on the last one.",
    }),
  }),
  "A page of the account's tasks.",
);

export const TaskCancellation = envelope(
  Type.Object({
    outcome: Type.Enum([...CANCELLATIONS], {
      description:
        "`canceled`: it is over, nobody had begun, and its price is available again. `requested`: somebody makes it already and is asked to stop; " +
        "it may still be completed, and is charged then. `ended`: there was nothing left to cancel.",
    }),
    message: Type.String({ examples: ["The task is canceled. Its price is available again."] }),
    task: TASK,
  }),
  "What became of the wish.",
);

export const TaskQuote = envelope(
  Type.Object({
    model: Type.String({ examples: ["seedance-2"] }),
    amount: roubles(
      "What such a task costs when it is completed. Nothing is charged for one that fails.",
    ),
    currency: Currency,
    priceVersion: Type.Integer({
      description: "Of the catalogue; a task keeps that of its creation.",
      examples: [7],
    }),
    input: Type.Record(Type.String(), Type.Unknown(), {
      description: "The parameters that were priced, defaults filled in.",
    }),
    available: roubles("What this key can still hold, by its account's balance and its own limit."),
    admitted: Type.Boolean({ description: "Whether the money is there." }),
    refusal: nullable(
      Type.Object({
        code: Type.String({ examples: ["insufficient_balance"] }),
        message: Type.String(),
      }),
      {
        description:
          "What an order would be refused with for lack of money; null where it would not be.",
      },
    ),
  }),
  "What a task would cost.",
);

/**
 * `data` of an event in the stream of a task, and of a webhook: the task as `GET /v1/tasks/{id}`
 * shows it.
 */
export const TaskWebhook = Type.Object(
  {
    type: Type.Enum(["task.completed", "task.failed"]),
    timestamp: moment("When the task came to its end."),
    data: TASK,
  },
  {
    description:
      "What is sent to the address of `x-callback-url` when a task ends: a POST signed by the Standard Webhooks scheme, with the headers `webhook-id` (the same for every try), " +
      "`webhook-timestamp` and `webhook-signature` (`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` by the account's secret).",
  },
);

export const TaskDeliveries = envelope(
  Type.Object({
    deliveries: Type.Array(
      Type.Object({
        id: Type.String({
          description: "As `webhook-id` says it.",
          examples: ["msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"],
        }),
        url: Type.String({ examples: ["https://shop.example.com/hooks/tollgate"] }),
        state: Type.Enum([...DELIVERY_STATES]),
        createdAt: moment("When the task ended."),
        deliveredAt: nullable(moment("When it was answered with a 2xx.")),
        nextTryAt: nullable(moment("When it is sent again.")),
        tries: Type.Array(
          Type.Object({
            at: moment("When it was sent."),
            status: nullable(Type.Integer(), {
              description: "What was answered; null where nothing was.",
              examples: [503],
            }),
            error: nullableString({ description: "Why there was no answer, or none that counts." }),
            tookMs: Type.Integer({ examples: [120] }),
          }),
          { description: "In order." },
        ),
      }),
    ),
  }),
  "The webhooks of a task, and every try to deliver them.",
);
