/**
 * Ends of tasks that are to be told to their owners' servers, and the log of how often that was
 * tried. Rows come with the end of a task; they are claimed server by server, so that a thousand
 * for one that is down leave the others their turn.
 */
import { integerArray, textArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { TaskKey } from "./task-record.ts";

export interface DueWebhook {
  readonly webhookId: Uuid;
  readonly taskId: Uuid;
  readonly accountId: Uuid;
  readonly url: string;
  /** Whose server that is: host and port. */
  readonly host: string;
  /** Those before this one. */
  readonly tries: number;
  readonly createdAt: Date;
}

export interface WebhookClaim {
  readonly limit: number;
  /** For one host, those that are under way here counted in. */
  readonly perHost: number;
  /** How many are under way here, by host. */
  readonly busy: ReadonlyMap<string, number>;
  readonly claimMs: number;
}

// From host to host by the index, however many webhooks wait for each.
const CLAIM = statement({
  text: `
  WITH RECURSIVE hosts AS (
    (SELECT host, due_at FROM tasks.webhooks WHERE due_at IS NOT NULL ORDER BY host, due_at LIMIT 1)
    UNION ALL
    SELECT n.host, n.due_at FROM hosts h CROSS JOIN LATERAL (
      SELECT w.host, w.due_at FROM tasks.webhooks w WHERE w.due_at IS NOT NULL AND w.host > h.host ORDER BY w.host, w.due_at LIMIT 1) n),
  room AS (
    SELECT h.host, $2 - coalesce(b.n, 0) AS n FROM hosts h LEFT JOIN unnest($3::text[], $4::int[]) AS b (host, n) USING (host)
    WHERE h.due_at <= statement_timestamp() ORDER BY h.due_at),
  due AS (
    SELECT d.account_id, d.webhook_id FROM room CROSS JOIN LATERAL (
      SELECT w.account_id, w.webhook_id FROM tasks.webhooks w WHERE w.host = room.host AND w.due_at <= statement_timestamp()
      ORDER BY w.due_at LIMIT greatest(room.n, 0) FOR UPDATE SKIP LOCKED) d
    LIMIT $1)
  UPDATE tasks.webhooks w SET due_at = clock_timestamp() + $5 * interval '1 millisecond' FROM due
  WHERE w.account_id = due.account_id AND w.webhook_id = due.webhook_id
  RETURNING w.webhook_id AS "webhookId", w.task_id AS "taskId", w.account_id AS "accountId", w.url, w.host, w.tries, w.created_at AS "createdAt"`,
  parameters: [sql.whole, sql.int4, sql.array(sql.text), sql.array(sql.int4), sql.float8],
  row: {
    webhookId: sql.uuid,
    taskId: sql.uuid,
    accountId: sql.uuid,
    url: sql.text,
    host: sql.text,
    tries: sql.int4,
    createdAt: sql.timestamptz,
  },
});

/**
 * Those that this process shall deliver now. If it does not say within `claimMs` what became of
 * one, another process will deliver it.
 */
export async function claimWebhooks(
  q: Queryable,
  { limit, perHost, busy, claimMs }: WebhookClaim,
): Promise<DueWebhook[]> {
  const hosts = [...busy];
  return q.run(CLAIM, [
    limit,
    perHost,
    textArray(hosts, ([host]) => host),
    integerArray(hosts, ([, count]) => count),
    claimMs,
  ]);
}

/** Which webhook, and whose. */
export type WebhookKey = Pick<DueWebhook, "accountId" | "webhookId">;

const RELEASE_CLAIM = statement({
  text: "UPDATE tasks.webhooks SET due_at = clock_timestamp() WHERE account_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL",
  parameters: [sql.uuid, sql.uuid],
});

/** Gives back what was claimed and not tried: due now. */
export async function releaseClaim(
  q: Queryable,
  { accountId, webhookId }: WebhookKey,
): Promise<void> {
  await q.run(RELEASE_CLAIM, [accountId, webhookId]);
}

export interface WebhookTry {
  /** What was answered; null: nothing. */
  readonly status: number | null;
  readonly error: string | null;
  readonly tookMs: number;
}

export type WebhookNext =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly inMs: number }
  /** It was tried long enough. */
  | { readonly kind: "over" };

const NOTE = statement({
  text: `
  WITH noted AS (
    UPDATE tasks.webhooks SET tries = tries + 1, delivered_at = CASE WHEN $3 THEN clock_timestamp() END,
      due_at = clock_timestamp() + $4 * interval '1 millisecond'
    WHERE account_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL RETURNING tries)
  INSERT INTO tasks.webhook_tries (account_id, webhook_id, try, status, error, took_ms)
  SELECT $1, $2, tries, $5, $6, $7 FROM noted`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.bool,
    sql.nullable(sql.float8),
    sql.nullable(sql.int4),
    sql.nullable(sql.text),
    sql.int4,
  ],
});

/** Writes the log and says what comes next. Does nothing for one that is over. */
export async function noteWebhookTry(
  q: Queryable,
  { accountId, webhookId }: WebhookKey,
  tried: WebhookTry,
  next: WebhookNext,
): Promise<void> {
  const inMs = next.kind === "again" ? next.inMs : null;
  await q.run(NOTE, [
    accountId,
    webhookId,
    next.kind === "delivered",
    inMs,
    tried.status,
    tried.error,
    Math.round(tried.tookMs),
  ]);
}

export interface LoggedTry extends WebhookTry {
  readonly url: string;
  readonly try: number;
  readonly at: Date;
}

const WEBHOOK_TRIES = statement({
  text: `SELECT w.url, l.try, l.at, l.status, l.error, l.took_ms AS "tookMs"
     FROM tasks.webhooks w JOIN tasks.webhook_tries l USING (account_id, webhook_id)
     WHERE account_id = $1 AND w.task_id = $2 ORDER BY l.at, l.try`,
  parameters: [sql.uuid, sql.uuid],
  row: {
    url: sql.text,
    try: sql.int4,
    at: sql.timestamptz,
    status: sql.nullable(sql.int4),
    error: sql.nullable(sql.text),
    tookMs: sql.int4,
  },
});

/** The delivery log of a task, in order. */
export async function webhookTries(
  q: Queryable,
  { accountId, taskId }: TaskKey,
): Promise<LoggedTry[]> {
  return q.run(WEBHOOK_TRIES, [accountId, taskId]);
}

const REARM_WEBHOOKS = statement({
  text: "UPDATE tasks.webhooks SET due_at = clock_timestamp() WHERE account_id = $1 AND task_id = $2 AND delivered_at IS NULL RETURNING true AS done",
  parameters: [sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

/** Sends once more what was not delivered, now. Returns how many. */
export async function rearmWebhooks(q: Queryable, { accountId, taskId }: TaskKey): Promise<number> {
  const rows = await q.run(REARM_WEBHOOKS, [accountId, taskId]);
  return rows.length;
}

export interface TaskWebhook {
  readonly webhookId: Uuid;
  readonly url: string;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  /** Null: it is over. */
  readonly dueAt: Date | null;
}

const WEBHOOKS_OF = statement({
  text: `SELECT webhook_id AS "webhookId", url, created_at AS "createdAt", delivered_at AS "deliveredAt", due_at AS "dueAt"
     FROM tasks.webhooks WHERE account_id = $1 AND task_id = $2 ORDER BY webhook_id`,
  parameters: [sql.uuid, sql.uuid],
  row: {
    webhookId: sql.uuid,
    url: sql.text,
    createdAt: sql.timestamptz,
    deliveredAt: sql.nullable(sql.timestamptz),
    dueAt: sql.nullable(sql.timestamptz),
  },
});

export async function webhooksOf(
  q: Queryable,
  { accountId, taskId }: TaskKey,
): Promise<TaskWebhook[]> {
  return q.run(WEBHOOKS_OF, [accountId, taskId]);
}
