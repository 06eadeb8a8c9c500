/**
 * Tasks as the panel shows them: all of the account's, whichever key ordered them, with their
 * files, their money and their tries.
 */
import Type from "typebox";
import { DELIVERY_STATES } from "../enums/delivery-state.ts";
import { TASK_MOMENTS } from "../enums/task-event.ts";
import { CANCELLATIONS, COST_STATES, TASK_STATES } from "../enums/task-state.ts";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableNumber, nullableString } from "../nullable.ts";
import { TASK_ERROR_CODES } from "../task-error-codes.ts";
import { MistakeParams } from "./panel-error.ts";
import { FilePreview } from "./panel-file.ts";

const nullableMoment = (description: string) => Type.Union([moment(description), Type.Null()]);

/** Why what was quoted would be refused, as its refusal would say it. */
export const QuotedRefusal = Type.Object({
  code: Type.String(),
  message: Type.String(),
  reason: nullableString({ description: "What exactly, where the code says only of which kind." }),
  params: MistakeParams,
});

/** The key that paid. Null where it is not known any more. */
const OrderedWith = Type.Object({
  hash: Type.String(),
  mask: Type.String(),
  name: Type.String(),
  deleted: Type.Boolean(),
});

const TaskFile = Type.Object({
  url: Type.String(),
  name: Type.String(),
  contentType: Type.String(),
  bytes: Type.Integer(),
  width: nullableInteger({}, { description: "Pixels." }),
  height: nullableInteger({}, { description: "Pixels." }),
  durationSeconds: nullableNumber({}, { description: "Of videos and audio, as measured." }),
  expiresAt: moment("From then on it is gone."),
  preview: FilePreview,
});

const LISTED = {
  taskId: Type.String(),
  model: Type.String(),
  state: Type.Enum([...TASK_STATES]),
  createdAt: moment("When it was ordered."),
  startedAt: nullableMoment("When somebody began to make it."),
  completedAt: nullableMoment("When it ended, good or bad."),
  /** 0 to 1, while it is made and where its maker tells it; 1 at a good end. */
  progress: nullableNumber({}, { description: "0 to 1." }),
  queuePosition: nullableInteger({}, { description: "While it waits, where its maker tells it." }),
  cancelRequestedAt: nullableMoment("When somebody asked to cancel it."),
  /** `amount` is what `state` says: held, charged, or given back. */
  cost: Type.Object({ amount: roubles("By its state."), state: Type.Enum([...COST_STATES]) }),
  key: Type.Union([OrderedWith, Type.Null()]),
  /** Empty until it is completed. */
  files: Type.Array(TaskFile),
  error: Type.Union([
    Type.Object({ code: Type.Enum([...TASK_ERROR_CODES]), message: Type.String() }),
    Type.Null(),
  ]),
};

export const PanelListedTask = Type.Object(LISTED);
export type PanelListedTask = Type.Static<typeof PanelListedTask>;

/** `GET tasks?state&model&cursor&limit`, newest first. */
export const PanelTaskList = Type.Object({
  data: Type.Array(PanelListedTask),
  nextCursor: nullableString({ description: "" }),
});
export type PanelTaskList = Type.Static<typeof PanelTaskList>;

/** One try to have it made: by whom is our business. */
const TaskAttempt = Type.Object({
  number: Type.Integer(),
  startedAt: moment("When it was sent to its maker."),
  endedAt: nullableMoment("When that was decided."),
  /**
   * `sending`: no answer yet. `taken`: begun there. `not_taken`: refused there, another was tried.
   * `unknown`: no answer came.
   */
  outcome: Type.Enum(["sending", "taken", "not_taken", "unknown"]),
});

/**
 * What happened, in order: as in the stream of `GET tasks/{id}/events`, whose data is the API's.
 */
const TaskMoment = Type.Object({
  at: moment("When."),
  event: Type.Enum([...TASK_MOMENTS]),
});

/** `GET tasks/{id}`. */
export const PanelTask = Type.Object({
  ...LISTED,
  /** Of the order, `req_…`. */
  requestId: Type.String(),
  /** `T1` to `T19`. */
  parameters: Type.String(),
  /** As accepted, defaults filled in. */
  input: Type.Record(Type.String(), Type.Unknown()),
  callbackUrl: nullableString({ description: "Who is told of its end." }),
  deadlineAt: moment("When it fails if it has not ended by itself."),
  priceVersion: Type.Integer(),
  /**
   * What was held at the order, and where it is: `held` is what is held still; the three add up to
   * `ordered`.
   */
  money: Type.Object({
    ordered: roubles("Its price when it was ordered."),
    held: roubles("Held now."),
    charged: roubles("Charged."),
    released: roubles("Given back."),
  }),
  attempts: Type.Array(TaskAttempt),
  history: Type.Array(TaskMoment),
});
export type PanelTask = Type.Static<typeof PanelTask>;

/** `POST tasks/{id}/cancel`. */
export const PanelTaskCancellation = Type.Object({
  outcome: Type.Enum([...CANCELLATIONS]),
  message: Type.String(),
  task: PanelTask,
});
export type PanelTaskCancellation = Type.Static<typeof PanelTaskCancellation>;

/** `GET tasks/{id}/deliveries`: empty where the order named no `x-callback-url`. */
export const PanelTaskDeliveries = Type.Object({
  data: Type.Array(
    Type.Object({
      /** As the header `webhook-id` says it. */
      id: Type.String(),
      url: Type.String(),
      state: Type.Enum([...DELIVERY_STATES]),
      createdAt: moment("When the task ended."),
      deliveredAt: nullableMoment("When it was answered with a 2xx."),
      nextTryAt: nullableMoment("When it is sent again."),
      tries: Type.Array(
        Type.Object({
          at: moment("When it was sent."),
          status: nullableInteger(
            {},
            { description: "What was answered; null where nothing was." },
          ),
          error: nullableString({ description: "Why there was no answer, or none that counts." }),
          tookMs: Type.Integer(),
        }),
      ),
    }),
  ),
  nextCursor: Type.Null(),
});
export type PanelTaskDeliveries = Type.Static<typeof PanelTaskDeliveries>;

/**
 * `POST tasks/{id}/deliveries/retry`: how many are sent once more, at once; 0 where all was
 * delivered.
 */
export const PanelTaskResent = Type.Object({ webhooks: Type.Integer() });
export type PanelTaskResent = Type.Static<typeof PanelTaskResent>;

/** `GET webhook-secret`: what signs the webhooks of tasks. All null: none was made yet. */
export const TaskWebhookSecret = Type.Object({
  /** Its beginning and its end, to recognise it by. */
  masked: nullableString({ description: "" }),
  madeAt: nullableMoment("When it was made."),
  previousUntil: nullableMoment("Until then the one before signs too."),
});
export type TaskWebhookSecret = Type.Static<typeof TaskWebhookSecret>;

/**
 * `POST webhook-secret/roll`. `now`: the one before is given up at once, because it leaked; else it
 * signs too for a day.
 */
export const TaskWebhookSecretRoll = Type.Object(
  { now: Type.Optional(Type.Boolean()) },
  { additionalProperties: false },
);
export type TaskWebhookSecretRoll = Type.Static<typeof TaskWebhookSecretRoll>;

/** Its answer: the only time that the secret is shown. */
export const TaskWebhookSecretRolled = Type.Object({
  secret: Type.String(),
  madeAt: moment("When it was made."),
  previousUntil: nullableMoment("Until then the one before signs too."),
});
export type TaskWebhookSecretRolled = Type.Static<typeof TaskWebhookSecretRolled>;
