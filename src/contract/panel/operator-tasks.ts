/** The tasks of all accounts, those that are stuck, and what operators may do with one. */
import Type from "typebox";
import { DELIVERY_STATES } from "../enums/delivery-state.ts";
import { TASK_STATES } from "../enums/task-state.ts";
import { moment, roubles } from "../money.ts";
import { nullableNumber, nullableString } from "../nullable.ts";

export const OperatorTask = Type.Object({
  taskId: Type.String(),
  accountId: Type.String(),
  model: Type.String(),
  state: Type.Enum([...TASK_STATES]),
  /**
   * The step that is due next: held, ready, submitting, submit_unknown, running, collecting,
   * watching; null: none is left.
   */
  phase: nullableString({ description: "" }),
  progress: nullableNumber({}, { description: "0 to 1." }),
  createdAt: moment("When it was ordered."),
  startedAt: nullableString({ description: "When an upstream had taken it." }),
  completedAt: nullableString({ description: "When it ended." }),
  deadlineAt: moment("When it fails by itself."),
  upstream: nullableString({ description: "Where it was submitted last." }),
  upstreamModel: nullableString({ description: "" }),
  /** Submissions begun. */
  attempts: Type.Integer(),
  price: roubles("What is held for it, and the most that is charged."),
  charged: nullableString({ description: "Roubles; null until it is completed." }),
  upstreamCost: nullableString({ description: "Roubles; null: the catalogue does not say." }),
  errorCode: nullableString({ description: "" }),
  errorMessage: nullableString({ description: "" }),
});
export type OperatorTask = Type.Static<typeof OperatorTask>;

/** A row of `GET operator/tasks`. */
export const OperatorTaskRow = Type.Object({
  ...OperatorTask.properties,
  accountName: nullableString({ description: "Null: there is no such account." }),
});
export type OperatorTaskRow = Type.Static<typeof OperatorTaskRow>;

/** `GET operator/tasks?account&model&state&cursor&limit`: newest first. */
export const OperatorTaskList = Type.Object({
  data: Type.Array(OperatorTaskRow),
  nextCursor: nullableString({ description: "" }),
});
export type OperatorTaskList = Type.Static<typeof OperatorTaskList>;

/** `GET operator/tasks/{id}`. */
export const OperatorTaskDetail = Type.Object({
  ...OperatorTaskRow.properties,
  keyMask: nullableString({ description: "" }),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  files: Type.Array(
    Type.Object({ url: Type.String(), contentType: Type.String(), bytes: Type.Integer() }),
  ),
  events: Type.Array(
    Type.Object({ at: moment("When."), kind: Type.String(), detail: Type.Unknown() }),
  ),
  deliveries: Type.Array(
    Type.Object({
      id: Type.String(),
      url: Type.String(),
      state: Type.Enum([...DELIVERY_STATES]),
      tries: Type.Integer(),
    }),
  ),
});
export type OperatorTaskDetail = Type.Static<typeof OperatorTaskDetail>;

/** `GET operator/tasks/stuck?reconcile=true|false`: what the operator should look at. */
export const StuckTasks = Type.Object({
  /** Unknown submissions, tasks that no process works at, and what upstreams finished too late. */
  doubtful: Type.Array(
    Type.Object({
      taskId: Type.String(),
      accountId: Type.String(),
      accountName: nullableString({ description: "Null: there is no such account." }),
      kind: Type.Enum(["submit_unknown", "late_end", "stale"]),
      upstream: nullableString({ description: "" }),
      at: moment("Since when."),
      detail: Type.Unknown(),
    }),
  ),
  /**
   * Where tasks and the ledger tell different stories; there should be none. Null unless
   * `reconcile` asked for it: it reads every task.
   */
  mistakes: Type.Union([
    Type.Array(
      Type.Object({
        taskId: Type.String(),
        kind: Type.String(),
        expected: Type.String(),
        found: Type.String(),
        params: Type.Record(Type.String(), Type.String(), { description: "What the two name." }),
      }),
    ),
    Type.Null(),
  ]),
});
export type StuckTasks = Type.Static<typeof StuckTasks>;

/** `POST operator/tasks/{id}/retry`: nothing is submitted twice by it. */
export const TaskRetryBody = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 500 })),
});
export type TaskRetryBody = Type.Static<typeof TaskRetryBody>;

export const TaskRetried = Type.Object({
  phase: nullableString({ description: "The step that is due now; null: none is left." }),
  webhooks: Type.Integer({ description: "That are sent once more." }),
});
export type TaskRetried = Type.Static<typeof TaskRetried>;

/**
 * `POST operator/tasks/{id}/fail`: ends it and gives its money back; its owner does not see the
 * reason. 409 where it has ended.
 */
export const TaskFailBody = Type.Object({
  reason: Type.String({ minLength: 1, maxLength: 500, pattern: "\\S" }),
});
export type TaskFailBody = Type.Static<typeof TaskFailBody>;

export const TaskFailed = Type.Object({
  task: OperatorTask,
  /** The ledger told another story about its hold: see `operator/tasks/stuck`. */
  mismatch: Type.Boolean(),
});
export type TaskFailed = Type.Static<typeof TaskFailed>;
