/**
 * The next step of each task (schema `tasks`): leased by one engine at a time, moved on only from
 * the step it is at and by whom it is leased to.
 */
import { integerArray, textArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql, type Encoded } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import {
  TASK_PHASES,
  type MediaStandIn,
  type NewEvent,
  type TaskKey,
  type TaskPhase,
} from "./task-record.ts";
import { addEvents, TASKS_CHANNEL } from "./tasks.store.ts";

/**
 * What an engine needs of every task that it leases; a step that needs its parameters reads the
 * task.
 */
export interface LeasedTask {
  readonly taskId: Uuid;
  /**
   * Of this lease and none after it: whatever is written names it, and is written only while it
   * counts.
   */
  readonly leaseId: Uuid;
  readonly phase: TaskPhase;
  readonly lane: string;
  readonly polls: number;
  readonly tries: number;
  readonly progress: number | null;
  readonly queuePosition: number | null;
  /** The upstream's id, told by a callback. */
  readonly heardId: string | null;
  readonly cancelRequested: boolean;
  /** Since it is at this step, and until its deadline: by the database's clock. */
  readonly phaseMs: number;
  readonly leftMs: number;
  readonly accountId: Uuid;
  readonly keyId: Uuid | null;
  readonly model: string;
  readonly parameterTable: string;
  readonly attemptId: Uuid | null;
  readonly attempts: number;
  readonly upstream: string | null;
  readonly upstreamModel: string | null;
  readonly credentialName: string | null;
  readonly handle: unknown;
}

export interface DueLane {
  readonly lane: string;
  /** Until its first task is due; not above 0: now. */
  readonly inMs: number;
}

// From lane to lane by the index, however many tasks are in each.
const LANES = statement({
  text: `
  WITH RECURSIVE lanes AS (
    (SELECT lane, due_at FROM tasks.jobs ORDER BY lane, due_at LIMIT 1)
    UNION ALL
    SELECT n.lane, n.due_at FROM lanes l CROSS JOIN LATERAL (
      SELECT j.lane, j.due_at FROM tasks.jobs j WHERE j.lane > l.lane ORDER BY j.lane, j.due_at LIMIT 1) n)
  SELECT lane, (extract(epoch FROM due_at - clock_timestamp()) * 1000)::float8 AS "inMs" FROM lanes ORDER BY due_at`,
  row: { lane: sql.text, inMs: sql.float8 },
});

/** Every lane in which there is anything, the longest due first. */
export async function dueLanes(q: Queryable): Promise<DueLane[]> {
  return q.run(LANES, []);
}

// Their ids as arrays: the planner takes those for short, and looks the rows up by the primary keys
// instead of reading both tables.
const LEASE = statement({
  text: `
  WITH due AS MATERIALIZED (
    SELECT d.account_id, d.task_id FROM unnest($3::text[], $4::int[]) AS l (lane, n) CROSS JOIN LATERAL (
      SELECT j.account_id, j.task_id FROM tasks.jobs j WHERE j.lane = l.lane AND j.due_at <= statement_timestamp()
      ORDER BY j.due_at LIMIT l.n FOR UPDATE SKIP LOCKED) d),
  leased AS (
    UPDATE tasks.jobs j SET lease_id = $1, due_at = clock_timestamp() + $2 * interval '1 millisecond', woken = false
    FROM unnest((SELECT array_agg(account_id) FROM due), (SELECT array_agg(task_id) FROM due)) AS u (account_id, task_id)
    WHERE j.account_id = u.account_id AND j.task_id = u.task_id
    RETURNING j.*)
  SELECT task_id AS "taskId", j.lease_id AS "leaseId", j.phase, j.lane, j.polls, j.tries, j.progress,
    j.queue_position AS "queuePosition", j.heard_id AS "heardId", j.cancel_requested_at IS NOT NULL AS "cancelRequested",
    (extract(epoch FROM clock_timestamp() - j.phase_at) * 1000)::float8 AS "phaseMs",
    (extract(epoch FROM t.deadline_at - clock_timestamp()) * 1000)::float8 AS "leftMs",
    account_id AS "accountId", t.key_id AS "keyId", t.model, t.parameter_table AS "parameterTable", t.attempt_id AS "attemptId", t.attempts,
    t.upstream, t.upstream_model AS "upstreamModel", t.credential_name AS "credentialName", t.handle
  FROM leased j JOIN tasks.tasks t USING (account_id, task_id)`,
  parameters: [sql.uuid, sql.float8, sql.array(sql.text), sql.array(sql.int4)],
  row: {
    taskId: sql.uuid,
    leaseId: sql.present(sql.uuid),
    phase: sql.enumOf("tasks.phase", TASK_PHASES),
    lane: sql.text,
    polls: sql.int4,
    tries: sql.int4,
    progress: sql.nullable(sql.float4),
    queuePosition: sql.nullable(sql.int4),
    heardId: sql.nullable(sql.text),
    cancelRequested: sql.bool,
    phaseMs: sql.float8,
    leftMs: sql.float8,
    accountId: sql.uuid,
    keyId: sql.nullable(sql.uuid),
    model: sql.text,
    parameterTable: sql.text,
    attemptId: sql.nullable(sql.uuid),
    attempts: sql.int4,
    upstream: sql.nullable(sql.text),
    upstreamModel: sql.nullable(sql.text),
    credentialName: sql.nullable(sql.text),
    handle: sql.nullable(sql.json),
  },
});

/**
 * Leases what is due in these lanes, at most so many of each; a lease that ran out passes to the
 * process that asks next.
 */
export async function leaseDue(
  q: Queryable,
  order: {
    /** New for every call. */
    readonly leaseId: Uuid;
    readonly leaseMs: number;
    readonly lanes: readonly { readonly lane: string; readonly limit: number }[];
  },
): Promise<LeasedTask[]> {
  const { leaseId, leaseMs, lanes } = order;
  return q.run(LEASE, [
    leaseId,
    leaseMs,
    textArray(lanes, ({ lane }) => lane),
    integerArray(lanes, ({ limit }) => limit),
  ]);
}

export type HeldTask = Pick<LeasedTask, "accountId" | "taskId" | "leaseId">;

const RENEW = statement({
  text: `
  UPDATE tasks.jobs j SET due_at = clock_timestamp() + $4 * interval '1 millisecond'
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS u (account_id, task_id, lease_id)
  WHERE j.account_id = u.account_id AND j.task_id = u.task_id AND j.lease_id = u.lease_id RETURNING j.task_id AS "taskId"`,
  parameters: [sql.array(sql.uuid), sql.array(sql.uuid), sql.array(sql.uuid), sql.float8],
  row: { taskId: sql.uuid },
});

/** Returns those that are still leased so. */
export async function renewLeases(
  q: Queryable,
  held: readonly HeldTask[],
  leaseMs: number,
): Promise<Uuid[]> {
  return (await q.run(RENEW, [...heldArrays(held), leaseMs])).map(({ taskId }) => taskId);
}

const RELEASE = statement({
  text: `
  UPDATE tasks.jobs j SET lease_id = NULL, due_at = clock_timestamp() FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS u (account_id, task_id, lease_id)
  WHERE j.account_id = u.account_id AND j.task_id = u.task_id AND j.lease_id = u.lease_id`,
  parameters: [sql.array(sql.uuid), sql.array(sql.uuid), sql.array(sql.uuid)],
});

/** Gives them back: due now, at the step that each is at. */
export async function releaseLeases(q: Queryable, held: readonly HeldTask[]): Promise<void> {
  await q.run(RELEASE, heldArrays(held));
}

function heldArrays(
  held: readonly HeldTask[],
): [Encoded<"uuid[]">, Encoded<"uuid[]">, Encoded<"uuid[]">] {
  return [
    uuidArray(held, ({ accountId }) => accountId),
    uuidArray(held, ({ taskId }) => taskId),
    uuidArray(held, ({ leaseId }) => leaseId),
  ];
}

export interface PollNote extends HeldTask {
  readonly phase: TaskPhase;
  /** Until the next poll. */
  readonly dueInMs: number;
  readonly tries: number;
  readonly progress: number | null;
  readonly queuePosition: number | null;
  /** Its owner may see something new. */
  readonly changed: boolean;
}

const NOTE_POLLS = statement({
  text: `
  WITH noted AS (
    UPDATE tasks.jobs j SET lease_id = NULL, woken = false, polls = j.polls + 1, tries = u.tries,
      due_at = clock_timestamp() + CASE WHEN j.woken THEN 0 ELSE u.due_in END * interval '1 millisecond',
      progress = u.progress, queue_position = u.queue
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::tasks.phase[], $5::int[], $6::int[], $7::real[], $8::int[], $9::bool[])
      AS u (account_id, task_id, lease_id, phase, due_in, tries, progress, queue, changed)
    WHERE j.account_id = u.account_id AND j.task_id = u.task_id AND j.lease_id = u.lease_id AND j.phase = u.phase
    RETURNING j.task_id, u.changed)
  SELECT count(CASE WHEN changed THEN pg_notify($10, task_id::text) END) FROM noted`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.enumOf("tasks.phase", TASK_PHASES)),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.nullable(sql.float4)),
    sql.array(sql.int4),
    sql.array(sql.bool),
    sql.text,
  ],
  row: { count: sql.int8 },
});

/**
 * Ends leases after polls that ended nothing. Where the lease does not count any more, nothing is
 * changed.
 */
export async function notePolls(q: Queryable, notes: readonly PollNote[]): Promise<void> {
  await q.run(NOTE_POLLS, [
    ...heldArrays(notes),
    notes.map(({ phase }) => phase),
    integerArray(notes, ({ dueInMs }) => Math.round(dueInMs)),
    integerArray(notes, ({ tries }) => tries),
    notes.map(({ progress }) => progress),
    integerArray(notes, ({ queuePosition }) => queuePosition),
    notes.map(({ changed }) => changed),
    TASKS_CHANNEL,
  ]);
}

/** Begun, but not ended: the call to the upstream follows its commit. */
export interface NewAttempt {
  readonly attemptId: Uuid;
  readonly upstream: string;
  readonly upstreamModel: string;
  readonly credentialName: string;
  readonly upstreamCostNano: Nano | null;
}

export interface Step extends HeldTask {
  readonly from: TaskPhase;
  readonly to: TaskPhase;
  readonly lane: string;
  /** The lease ends, and the next step is due after so long; null: the lease is kept. */
  readonly dueInMs: number | null;
  /** Of the new step, that came to nothing. */
  readonly tries?: number;
  readonly media?: readonly MediaStandIn[];
  readonly attempt?: NewAttempt;
  readonly events?: readonly NewEvent[];
}

const MOVE = statement({
  text: `
  UPDATE tasks.jobs SET phase = $5, lane = $6, tries = $8,
    phase_at = CASE WHEN phase = $5 THEN phase_at ELSE clock_timestamp() END,
    lease_id = CASE WHEN $7::float8 IS NULL THEN lease_id END,
    due_at = CASE WHEN $7 IS NULL THEN due_at WHEN woken THEN clock_timestamp() ELSE clock_timestamp() + $7 * interval '1 millisecond' END,
    woken = woken AND $7 IS NULL
  WHERE account_id = $1 AND task_id = $2 AND lease_id = $3 AND phase = $4 RETURNING true AS done`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.enumOf("tasks.phase", TASK_PHASES),
    sql.enumOf("tasks.phase", TASK_PHASES),
    sql.text,
    sql.nullable(sql.float8),
    sql.int4,
  ],
  row: { done: sql.bool },
});
const SET_MEDIA = statement({
  text: "UPDATE tasks.tasks SET media = $3 WHERE account_id = $1 AND task_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.json],
});
const SET_ATTEMPT = statement({
  text: `
  WITH waits AS (DELETE FROM tasks.submit_waits WHERE account_id = $1 AND task_id = $2),
  known AS (
    INSERT INTO directory.attempts (account_id, task_id, attempt_id) VALUES ($1, $2, $3)
    ON CONFLICT (account_id, task_id) DO UPDATE SET attempt_id = excluded.attempt_id)
  UPDATE tasks.tasks SET attempts = attempts + 1, attempt_id = $3, upstream = $4, upstream_model = $5, credential_name = $6,
    upstream_cost_nano = $7, handle = NULL
  WHERE account_id = $1 AND task_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.text, sql.text, sql.text, sql.nullable(sql.int8)],
});

/**
 * False: it is not at this step any more, or leased to another process by now; nothing was changed.
 */
export async function moveTask(tx: Queryable, step: Step): Promise<boolean> {
  const { accountId, taskId, leaseId, from, to, lane, dueInMs, tries = 0 } = step;
  const { media, attempt, events = [] } = step;
  const moved = await tx.run(MOVE, [accountId, taskId, leaseId, from, to, lane, dueInMs, tries]);
  if (moved.length === 0) return false;
  if (media !== undefined) await tx.run(SET_MEDIA, [accountId, taskId, JSON.stringify(media)]);
  if (attempt !== undefined) {
    const { attemptId, upstream, upstreamModel, credentialName, upstreamCostNano } = attempt;
    await tx.run(SET_ATTEMPT, [
      accountId,
      taskId,
      attemptId,
      upstream,
      upstreamModel,
      credentialName,
      upstreamCostNano,
    ]);
  }
  if (events.length > 0) await addEvents(tx, step, events);
  return true;
}

const LOCK_SUBMITTED = statement({
  text: "SELECT true AS found FROM tasks.jobs WHERE account_id = $1 AND task_id = $2 AND phase IN ('submitting', 'submit_unknown') FOR UPDATE",
  parameters: [sql.uuid, sql.uuid],
  row: { found: sql.bool },
});
const SET_HANDLE = statement({
  text: `
  UPDATE tasks.tasks SET handle = $4, state = 'processing', started_at = clock_timestamp()
  WHERE account_id = $1 AND task_id = $2 AND attempt_id = $3 RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.json],
  row: { done: sql.bool },
});
const IS_STARTED = statement({
  text: "SELECT true AS found FROM tasks.tasks WHERE account_id = $1 AND task_id = $2 AND attempt_id = $3 AND handle IS NOT NULL",
  parameters: [sql.uuid, sql.uuid, sql.uuid],
  row: { found: sql.bool },
});
const RUN = statement({
  text: `
  UPDATE tasks.jobs SET phase = 'running', phase_at = clock_timestamp(), lane = $3, lease_id = NULL, tries = 0, polls = 0,
    due_at = clock_timestamp() + CASE WHEN woken THEN 0 ELSE $4::float8 END * interval '1 millisecond', woken = false
  WHERE account_id = $1 AND task_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.text, sql.float8],
});

export interface Started extends TaskKey {
  readonly attemptId: Uuid;
  readonly handle: object;
  readonly lane: string;
  readonly dueInMs: number;
}

/**
 * The upstream has it. Here the attempt decides and not the lease: only who made it can know its
 * handle, and a handle that is known too late for the lease still tells where the task is. False:
 * the task has ended without it; nothing was changed. To say it again changes nothing.
 */
export async function startTask(tx: Queryable, started: Started): Promise<boolean> {
  const { accountId, taskId, attemptId, handle, lane, dueInMs } = started;
  if ((await tx.run(LOCK_SUBMITTED, [accountId, taskId])).length === 0)
    return (await tx.run(IS_STARTED, [accountId, taskId, attemptId])).length > 0;
  const json = JSON.stringify(handle);
  if ((await tx.run(SET_HANDLE, [accountId, taskId, attemptId, json])).length === 0) return false;
  await tx.run(RUN, [accountId, taskId, lane, dueInMs]);
  await addEvents(tx, started, [{ kind: "started" }]);
  return true;
}
