/**
 * What an operator may do with a task: see all of it, have it looked at now, or end it by hand with
 * its money given back.
 */
import type { Db, Queryable, Tx } from "../../db/database.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { TaskEvent, TaskPhase, TaskRecord } from "../../tasks/task-record.ts";
import {
  eventsAfter,
  findAnyTask,
  listTasks,
  wakeTasks,
  type TaskPage,
} from "../../tasks/tasks.store.ts";
import { rearmWebhooks } from "../../tasks/webhooks.store.ts";
import { readPage, type Page, type PageRequest } from "../read-page.ts";
import { listDeliveries, type DeliveryView } from "./list-deliveries.ts";
import { failIn } from "./settle-task.ts";

export interface InspectedTask {
  readonly task: TaskRecord;
  /** All of them, the operators' too. */
  readonly events: readonly TaskEvent[];
  readonly deliveries: readonly DeliveryView[];
}

const MOST_EVENTS = 1_000;

/** Null: there is no such task. */
export async function inspectTask(q: Queryable, taskId: string): Promise<InspectedTask | null> {
  const task = await findAnyTask(q, taskId);
  if (task === null) return null;
  const events = await eventsAfter(q, {
    accountId: task.accountId,
    taskId: task.taskId,
    seq: 0n,
    kinds: null,
    limit: MOST_EVENTS,
  });
  return { task, events, deliveries: (await listDeliveries(q, task.accountId, taskId)) ?? [] };
}

/** Of all accounts, or of one. */
export function listAnyTasks(
  q: Queryable,
  query: PageRequest & Pick<TaskPage, "accountId" | "state" | "model">,
): Promise<Page<TaskRecord>> {
  const { accountId, state, model } = query;
  return readPage(
    query,
    (page) => listTasks(q, { accountId, state, model, ...page }),
    ({ taskId }) => taskId,
  );
}

export type Retried =
  | { readonly kind: "missing" }
  /**
   * `phase`: of the step that is due now; null: none is left. `webhooks`: that are sent once more.
   */
  | {
      readonly kind: "done";
      readonly task: TaskRecord;
      readonly phase: TaskPhase | null;
      readonly webhooks: number;
    };

/**
 * Nothing is ever submitted twice by this: it is looked at as it would have been later. `record`
 * writes down in its transaction what is done now, if anything.
 */
export async function retryTask(
  db: Db,
  taskId: string,
  record?: (tx: Tx, done: Extract<Retried, { kind: "done" }>) => Promise<void>,
): Promise<Retried> {
  const task = await findAnyTask(db, taskId);
  if (task === null) return { kind: "missing" };
  return db.transaction(async (tx) => {
    await wakeTasks(tx, [task.taskId]);
    const done = {
      kind: "done",
      task,
      phase: task.phase,
      webhooks: await rearmWebhooks(tx, task),
    } as const;
    if (done.phase !== null || done.webhooks > 0) await record?.(tx, done);
    return done;
  });
}

export type EndedByHand =
  | { readonly kind: "missing" }
  | { readonly kind: "ended-before"; readonly task: TaskRecord }
  /** `mismatch`: the ledger told another story about its hold. */
  | { readonly kind: "failed"; readonly task: TaskRecord; readonly mismatch: boolean };

const MESSAGE = "The task was ended by the operator of the service. Nothing was charged.";
const FIRST_WATCH_MS = 60_000;
/** It may move on between two looks. */
const TRIES = 5;
/** An upstream may finish it all the same. */
const THERE: ReadonlySet<TaskPhase> = new Set([
  "submitting",
  "submit_unknown",
  "running",
  "collecting",
]);

/**
 * `record` writes down in the transaction of the end that it was done, with the task as it was
 * before.
 */
export async function failByHand(
  db: Db,
  taskId: string,
  reason: string,
  record?: (tx: Tx, before: TaskRecord) => Promise<void>,
): Promise<EndedByHand> {
  for (let tried = 0; tried < TRIES; tried++) {
    const task = await findAnyTask(db, taskId);
    if (task === null) return { kind: "missing" };
    if (task.completedAt !== null || task.phase === null) return { kind: "ended-before", task };
    const watch = THERE.has(task.phase)
      ? { watch: { lane: laneOf("watching", task), dueInMs: FIRST_WATCH_MS } }
      : {};
    const failure = {
      accountId: task.accountId,
      taskId: task.taskId,
      leaseId: null,
      phase: task.phase,
      code: "internal",
      message: MESSAGE,
      why: { reason },
      ...watch,
    } as const;
    const ending = await db.transaction(async (tx) => {
      const ended = await failIn(tx, failure);
      if (ended.ended) await record?.(tx, task);
      return ended;
    });
    if (ending.ended)
      return {
        kind: "failed",
        task: (await findAnyTask(db, taskId)) ?? task,
        mismatch: ending.mismatch !== null,
      };
  }
  throw new Error("the task moves on faster than it can be ended; try again");
}
