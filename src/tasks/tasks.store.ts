/**
 * The rows of tasks (schema `tasks`): ordered, found, listed, woken, and what happened to them.
 * What is done for them is in `jobs.store.ts`.
 */
import { COST_STATES, TASK_STATES, type TaskState } from "../contract/enums/task-state.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { isUuid, type Uuid } from "../kernel/ids.ts";
import { laneOf } from "./lane.ts";
import type { TaskEventKind } from "../contract/enums/task-event.ts";
import {
  TASK_PHASES,
  type NewEvent,
  type NewTask,
  type TaskEvent,
  type TaskKey,
  type TaskRecord,
} from "./task-record.ts";

/**
 * Something happened to a task; the payload is its id. Read the task and its events: progress makes
 * no event.
 */
export const TASKS_CHANNEL = "tollgate_tasks";
/** Some task is due now; no payload, so that many in one transaction are one message. */
export const TASK_WORK_CHANNEL = "tollgate_task_work";

const COLUMNS = `task_id AS "taskId", account_id AS "accountId", t.key_id AS "keyId", t.request_id AS "requestId", t.model,
  t.parameter_table AS "parameterTable", t.parameters, t.media, t.callback_url AS "callbackUrl", t.state,
  t.price_version AS "priceVersion", t.price_nano AS "priceNano", t.price_by_files AS "priceByFilesNano",
  t.cost_state AS "costState", t.charged_nano AS "chargedNano", t.attempts, t.attempt_id AS "attemptId", t.upstream,
  t.upstream_model AS "upstreamModel", t.credential_name AS "credentialName", t.handle, t.upstream_cost AS "upstreamCost",
  t.upstream_cost_nano AS "upstreamCostNano", t.result, t.error_code AS "errorCode", t.error_message AS "errorMessage",
  t.created_at AS "createdAt", t.started_at AS "startedAt", t.completed_at AS "completedAt", t.deadline_at AS "deadlineAt",
  j.phase, j.progress, j.queue_position AS "queuePosition", j.cancel_requested_at AS "cancelRequestedAt"`;
const FROM = "FROM tasks.tasks t LEFT JOIN tasks.jobs j USING (account_id, task_id)";

type TaskColumns = Omit<TaskRecord, "error"> & {
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
};

function readTask({ errorCode, errorMessage, ...columns }: TaskColumns): TaskRecord {
  const error =
    errorCode === null
      ? null
      : ({ code: errorCode, message: errorMessage ?? "" } as TaskRecord["error"]);
  return { ...columns, error };
}

// One statement: the account's row is locked by its hold meanwhile.
const INSERT = statement({
  text: `
  WITH task AS (
    INSERT INTO tasks.tasks (task_id, account_id, key_id, request_id, model, parameter_table, parameters, callback_url,
      price_version, price_nano, price_by_files, deadline_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp() + $12 * interval '1 second')),
  job AS (INSERT INTO tasks.jobs (account_id, task_id, phase, lane) VALUES ($2, $1, $13, $14))
  INSERT INTO tasks.events (account_id, task_id, seq, kind) VALUES ($2, $1, 1, 'created')`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.uuid),
    sql.uuid,
    sql.text,
    sql.text,
    sql.json,
    sql.nullable(sql.text),
    sql.int4,
    sql.int8,
    sql.nullable(sql.array(sql.int8)),
    sql.float8,
    sql.enumOf("tasks.phase", TASK_PHASES),
    sql.text,
  ],
});

/**
 * Orders a task. Its hold, under the same id and without an owner, is made in the same transaction:
 * then it is done or its money goes back. Its caller cannot watch it yet; the workers are to be
 * notified (`tellWorkers`) when that is committed: transactions that notify commit one after
 * another.
 */
export async function insertTask(tx: Queryable, task: NewTask): Promise<void> {
  const {
    taskId,
    accountId,
    keyId,
    requestId,
    model,
    parameterTable,
    parameters,
    callbackUrl,
    priceVersion,
    priceNano,
  } = task;
  const phase = task.hasMedia ? "held" : "ready";
  await tx.run(INSERT, [
    taskId,
    accountId,
    keyId,
    requestId,
    model,
    parameterTable,
    JSON.stringify(parameters),
    callbackUrl,
    priceVersion,
    priceNano,
    task.priceByFilesNano,
    task.deadlineSeconds,
    phase,
    laneOf(phase, { accountId, model, upstream: null }),
  ]);
}

const TASK_ROW = {
  taskId: sql.uuid,
  accountId: sql.uuid,
  keyId: sql.nullable(sql.uuid),
  requestId: sql.uuid,
  model: sql.text,
  parameterTable: sql.text,
  parameters: sql.json.as<TaskRecord["parameters"]>(),
  media: sql.nullable(sql.json.as<TaskRecord["media"]>()),
  callbackUrl: sql.nullable(sql.text),
  state: sql.enumOf("tasks.state", TASK_STATES),
  priceVersion: sql.int4,
  priceNano: sql.nano,
  priceByFilesNano: sql.nullable(sql.array(sql.nano)),
  costState: sql.enumOf("tasks.cost_state", COST_STATES),
  chargedNano: sql.nullable(sql.nano),
  attempts: sql.int4,
  attemptId: sql.nullable(sql.uuid),
  upstream: sql.nullable(sql.text),
  upstreamModel: sql.nullable(sql.text),
  credentialName: sql.nullable(sql.text),
  handle: sql.nullable(sql.json),
  upstreamCost: sql.nullable(sql.json.as<TaskRecord["upstreamCost"]>()),
  upstreamCostNano: sql.nullable(sql.nano),
  result: sql.nullable(sql.json.as<TaskRecord["result"]>()),
  errorCode: sql.nullable(sql.text),
  errorMessage: sql.nullable(sql.text),
  createdAt: sql.timestamptz,
  startedAt: sql.nullable(sql.timestamptz),
  completedAt: sql.nullable(sql.timestamptz),
  deadlineAt: sql.timestamptz,
  phase: sql.nullable(sql.enumOf("tasks.phase", TASK_PHASES)),
  progress: sql.nullable(sql.float4),
  queuePosition: sql.nullable(sql.int4),
  cancelRequestedAt: sql.nullable(sql.timestamptz),
};

const FIND_TASK = statement({
  text: `SELECT ${COLUMNS} ${FROM} WHERE t.account_id = $1 AND t.task_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: TASK_ROW,
});

/** Null: the account has no such task. Any text may be asked for. */
export async function findTask(
  q: Queryable,
  accountId: Uuid,
  taskId: string,
): Promise<TaskRecord | null> {
  if (!isUuid(taskId)) return null;
  const [row] = await q.run(FIND_TASK, [accountId, taskId]);
  return row === undefined ? null : readTask(row);
}

const FIND_TASKS = statement({
  text: `SELECT ${COLUMNS} ${FROM} WHERE t.account_id = $1 AND t.task_id = ANY ($2::uuid[])`,
  parameters: [sql.uuid, sql.array(sql.uuid)],
  row: TASK_ROW,
});

/** Several of one account, in any order; those that it does not have are left out. */
export async function findTasks(
  q: Queryable,
  accountId: Uuid,
  taskIds: readonly Uuid[],
): Promise<TaskRecord[]> {
  if (taskIds.length === 0) return [];
  return (await q.run(FIND_TASKS, [accountId, taskIds])).map(readTask);
}

const FIND_ANY_TASK = statement({
  text: `SELECT ${COLUMNS} ${FROM} WHERE t.task_id = $1`,
  parameters: [sql.uuid],
  row: TASK_ROW,
});

/** The same for operators: whosever it is. */
export async function findAnyTask(q: Queryable, taskId: string): Promise<TaskRecord | null> {
  if (!isUuid(taskId)) return null;
  const [row] = await q.run(FIND_ANY_TASK, [taskId]);
  return row === undefined ? null : readTask(row);
}

export interface TaskPage {
  /** Null: of all accounts. */
  readonly accountId: Uuid | null;
  readonly state: TaskState | null;
  readonly model: string | null;
  /** Of these keys only; absent or null: of all. */
  readonly keyIds?: readonly Uuid[] | null;
  /** The last one of the page before. */
  readonly before: Uuid | null;
  /** The smallest id that is wanted: ids begin with the time. */
  readonly floor?: Uuid | null;
  readonly limit: number;
}

const PAGE_PARAMETERS = [
  sql.nullable(sql.uuid),
  sql.nullable(sql.enumOf("tasks.state", TASK_STATES)),
  sql.nullable(sql.text),
  sql.nullable(sql.uuid),
  sql.nullable(sql.uuid),
  sql.nullable(sql.uuid),
  sql.whole,
  sql.nullable(sql.array(sql.uuid)),
] as const;

/** Of one key its index gives them in their order; of several it does not. */
function pageParams({
  accountId,
  state,
  model,
  before,
  keyIds = null,
  floor = null,
  limit,
}: TaskPage) {
  const only = keyIds?.length === 1 ? (keyIds[0] ?? null) : null;
  const several = only === null ? keyIds : null;
  return [accountId, state, model, before, only, floor, limit, several] as const;
}

const LIST = statement({
  text: `SELECT ${COLUMNS} ${FROM}
  WHERE ($1::uuid IS NULL OR t.account_id = $1) AND ($2::tasks.state IS NULL OR t.state = $2) AND ($3::text IS NULL OR t.model = $3)
    AND ($4::uuid IS NULL OR t.task_id < $4) AND ($5::uuid IS NULL OR t.key_id = $5) AND ($6::uuid IS NULL OR t.task_id >= $6)
    AND ($8::uuid[] IS NULL OR t.key_id = ANY ($8))
  ORDER BY t.task_id DESC LIMIT $7`,
  parameters: PAGE_PARAMETERS,
  row: TASK_ROW,
});

/** Newest first. */
export async function listTasks(q: Queryable, page: TaskPage): Promise<TaskRecord[]> {
  return (await q.run(LIST, pageParams(page))).map(readTask);
}

const COUNT = statement({
  text: `
  SELECT count(*)::int AS count FROM (
    SELECT FROM tasks.tasks t
    WHERE ($1::uuid IS NULL OR t.account_id = $1) AND ($2::tasks.state IS NULL OR t.state = $2) AND ($3::text IS NULL OR t.model = $3)
      AND ($4::uuid IS NULL OR t.task_id < $4) AND ($5::uuid IS NULL OR t.key_id = $5) AND ($6::uuid IS NULL OR t.task_id >= $6)
      AND ($8::uuid[] IS NULL OR t.key_id = ANY ($8))
    LIMIT $7) counted`,
  parameters: PAGE_PARAMETERS,
  row: { count: sql.int4 },
});

/** How many there are, counted up to `limit`. */
export async function countTaskRows(q: Queryable, page: TaskPage): Promise<number> {
  const [row] = await q.run(COUNT, pageParams(page));
  return row?.count ?? 0;
}

const WAKE_TASKS = statement({
  text: `UPDATE tasks.jobs j SET woken = true, due_at = CASE WHEN j.lease_id IS NULL THEN least(j.due_at, clock_timestamp()) ELSE j.due_at END
     FROM tasks.tasks t WHERE t.task_id = ANY ($1::uuid[]) AND j.account_id = t.account_id AND j.task_id = t.task_id RETURNING j.task_id`,
  parameters: [sql.array(sql.uuid)],
  row: { task_id: sql.uuid },
});

/** For operators: makes tasks due now; those that are being worked at are due again right after. */
export async function wakeTasks(q: Queryable, taskIds: readonly Uuid[]): Promise<void> {
  const woken = await q.run(WAKE_TASKS, [taskIds]);
  if (woken.length > 0) await tellWorkers(q);
}

const HEAR = statement({
  text: `
  UPDATE tasks.jobs j SET woken = true, heard_id = coalesce(j.heard_id, $3),
    due_at = CASE WHEN j.lease_id IS NULL THEN least(j.due_at, clock_timestamp()) ELSE j.due_at END
  FROM directory.attempts a JOIN tasks.tasks t USING (account_id, task_id)
  WHERE a.attempt_id = $2 AND t.attempt_id = $2 AND t.upstream = $1 AND j.account_id = t.account_id AND j.task_id = t.task_id RETURNING j.task_id`,
  parameters: [sql.text, sql.uuid, sql.nullable(sql.text)],
  row: { task_id: sql.uuid },
});

/**
 * An upstream reported on a submission, to the address that was made for it: the task is looked at
 * now. Nothing of the report is believed but the upstream's id, and that only where the
 * submission's own answer never came. False: nothing waits for it.
 */
export async function hearCallback(
  q: Queryable,
  report: {
    readonly upstream: string;
    readonly attemptId: string;
    readonly upstreamTaskId: string | null;
  },
): Promise<boolean> {
  if (!isUuid(report.attemptId)) return false;
  const woken = await q.run(HEAR, [report.upstream, report.attemptId, report.upstreamTaskId]);
  if (woken.length > 0) await tellWorkers(q);
  return woken.length > 0;
}

const EVENTS_AFTER = statement({
  text: `SELECT seq, at, kind, detail FROM tasks.events
     WHERE account_id = $1 AND task_id = $2 AND seq > $3 AND ($4::text[] IS NULL OR kind = ANY ($4)) ORDER BY seq LIMIT $5`,
  parameters: [sql.uuid, sql.uuid, sql.int8, sql.nullable(sql.array(sql.text)), sql.whole],
  row: {
    seq: sql.int8,
    at: sql.timestamptz,
    kind: sql.text.as<TaskEventKind>(),
    detail: sql.nullable(sql.json.as<Readonly<Record<string, unknown>>>()),
  },
});

/**
 * In order, from the one after `seq`. `kinds`: only these; null: all of them, which is for
 * operators.
 */
export async function eventsAfter(
  q: Queryable,
  after: TaskKey & {
    readonly seq: bigint;
    readonly kinds: readonly TaskEventKind[] | null;
    readonly limit: number;
  },
): Promise<TaskEvent[]> {
  return q.run(EVENTS_AFTER, [after.accountId, after.taskId, after.seq, after.kinds, after.limit]);
}

const ADD_EVENTS = statement({
  text: `WITH happened AS (
       INSERT INTO tasks.events (account_id, task_id, seq, kind, detail)
       SELECT $1, $2, u.at + (SELECT coalesce(max(e.seq), 0) FROM tasks.events e WHERE e.account_id = $1 AND e.task_id = $2), u.kind, u.detail::json
       FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS u (kind, detail, at))
     SELECT pg_notify($5, $2::uuid::text)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.array(sql.text),
    sql.array(sql.nullable(sql.text)),
    sql.text,
  ],
  row: { pg_notify: sql.void },
});

/**
 * Under the lock of the task's rows, so that their order is that of their numbers. Tells everybody
 * who looks at the task.
 */
export async function addEvents(
  tx: Queryable,
  { accountId, taskId }: TaskKey,
  events: readonly NewEvent[],
): Promise<void> {
  await tx.run(ADD_EVENTS, [
    accountId,
    taskId,
    events.map(({ kind }) => kind),
    events.map(({ detail }) => (detail === undefined ? null : JSON.stringify(detail))),
    TASKS_CHANNEL,
  ]);
}

const TELL_WORKERS = statement({
  text: "SELECT pg_notify($1, '')",
  parameters: [sql.text],
  row: { pg_notify: sql.void },
});

export async function tellWorkers(q: Queryable): Promise<void> {
  await q.run(TELL_WORKERS, [TASK_WORK_CHANNEL]);
}
