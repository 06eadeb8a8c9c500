/**
 * Holds the tasks against the ledger, in one snapshot: every task that is under way has its hold,
 * every other has its one end in the books.
 */
import type { FindingParams, TaskFindings } from "../../contract/operator/book-finding.ts";
import { sayTaskFinding } from "../../contract/sentences/say-finding.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

/** What may be wrong. */
const FINDINGS = [
  "no_hold",
  "hold_differs",
  "still_held",
  "no_entry",
  "entry_differs",
  "no_task",
  "no_step",
  "step_after_end",
] as const satisfies readonly (keyof TaskFindings)[];

export interface TaskFinding {
  readonly kind: (typeof FINDINGS)[number];
  readonly taskId: string;
  readonly expected: string;
  readonly found: string;
  /** What the two sentences name, for pages. */
  readonly params: FindingParams;
}

const LIMIT = 1_000;

/** Amounts in decimal roubles, as texts: `TaskFindings` has them. */
const CHECKS = statement({
  text: `
  WITH living AS (SELECT account_id, task_id, price_nano FROM tasks.tasks WHERE state IN ('queued', 'processing')),
  over AS (SELECT account_id, task_id, state, coalesce(charged_nano, 0) AS charged_nano, price_nano FROM tasks.tasks WHERE state IN ('completed', 'failed'))
  SELECT 'no_hold' AS kind, t.task_id AS "taskId", json_build_object('price', trim_scale(t.price_nano / 1000000000.0)::text) AS params
    FROM living t LEFT JOIN ledger.holds h ON h.account_id = t.account_id AND h.hold_id = t.task_id WHERE h.hold_id IS NULL
  UNION ALL
  SELECT 'hold_differs', t.task_id, json_build_object('price', trim_scale(t.price_nano / 1000000000.0)::text, 'held', trim_scale(h.held_nano / 1000000000.0)::text)
    FROM living t JOIN ledger.holds h ON h.account_id = t.account_id AND h.hold_id = t.task_id WHERE h.held_nano <> t.price_nano
  UNION ALL
  SELECT 'no_step', t.task_id, '{}'::json FROM living t LEFT JOIN tasks.jobs j USING (account_id, task_id) WHERE j.task_id IS NULL
  UNION ALL
  SELECT 'step_after_end', t.task_id, json_build_object('phase', j.phase) FROM over t JOIN tasks.jobs j USING (account_id, task_id) WHERE j.phase <> 'watching'
  UNION ALL
  SELECT 'still_held', t.task_id, json_build_object('held', trim_scale(h.held_nano / 1000000000.0)::text) FROM over t JOIN ledger.holds h ON h.account_id = t.account_id AND h.hold_id = t.task_id
  UNION ALL
  SELECT 'no_entry', t.task_id, json_build_object('state', t.state)
    FROM over t LEFT JOIN ledger.entries e ON e.account_id = t.account_id AND e.entry_id = t.task_id
    WHERE e.entry_id IS NULL AND NOT ledger.is_past(t.task_id)
  UNION ALL
  SELECT 'entry_differs', t.task_id, json_build_object('charged', trim_scale(t.charged_nano / 1000000000.0)::text, 'booked', trim_scale(e.amount_nano / 1000000000.0)::text)
    FROM over t JOIN ledger.entries e ON e.account_id = t.account_id AND e.entry_id = t.task_id
    WHERE e.amount_nano <> t.charged_nano OR e.held_nano <> t.price_nano
  UNION ALL
  SELECT 'no_task', h.hold_id, '{}'::json FROM ledger.holds h LEFT JOIN tasks.tasks t ON t.account_id = h.account_id AND t.task_id = h.hold_id
    WHERE h.reference LIKE 'task:%' AND t.task_id IS NULL
  LIMIT ${LIMIT}`,
  row: { kind: sql.oneOf(FINDINGS), taskId: sql.uuid, params: sql.json.as<FindingParams>() },
});

/** At most a thousand. One statement sees one state of the database, beside live traffic. */
export async function findTaskMistakes(q: Queryable): Promise<TaskFinding[]> {
  const found = await q.run(CHECKS, []);
  return found.map(({ kind, taskId, params }) => ({
    kind,
    taskId,
    ...sayTaskFinding(kind, params),
  }));
}

const DOUBTS = ["submit_unknown", "late_end", "stale"] as const;

export interface DoubtfulTask {
  readonly taskId: string;
  readonly accountId: Uuid;
  readonly kind: (typeof DOUBTS)[number];
  readonly upstream: string | null;
  readonly at: Date;
  readonly detail: unknown;
}

const FIND_DOUBTS = statement({
  text: `
  SELECT j.task_id AS "taskId", account_id AS "accountId", 'submit_unknown' AS kind, t.upstream, j.phase_at AS at, NULL::json AS detail
    FROM tasks.jobs j JOIN tasks.tasks t USING (account_id, task_id) WHERE j.phase = 'submit_unknown'
  UNION ALL
  SELECT j.task_id, account_id, 'stale', t.upstream, j.due_at, json_build_object('phase', j.phase, 'lane', j.lane)
    FROM tasks.jobs j JOIN tasks.tasks t USING (account_id, task_id) WHERE j.due_at < clock_timestamp() - interval '10 minutes'
  UNION ALL
  SELECT e.task_id, account_id, 'late_end', t.upstream, e.at, e.detail FROM tasks.events e JOIN tasks.tasks t USING (account_id, task_id)
    WHERE e.kind = 'late_end' AND e.at > clock_timestamp() - interval '30 days'
  ORDER BY 5 DESC LIMIT ${LIMIT}`,
  row: {
    taskId: sql.uuid,
    accountId: sql.uuid,
    kind: sql.oneOf(DOUBTS),
    upstream: sql.nullable(sql.text),
    at: sql.timestamptz,
    detail: sql.nullable(sql.json),
  },
});

/**
 * What is no mistake in the books, but may cost us: unknown submissions, tasks without an engine,
 * and what upstreams finished too late.
 */
export async function findDoubtfulTasks(q: Queryable): Promise<DoubtfulTask[]> {
  return q.run(FIND_DOUBTS, []);
}
