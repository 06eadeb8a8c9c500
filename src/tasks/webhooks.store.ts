/** Ends of tasks that are to be told to their owners' servers, and the log of how often that was tried. Rows come with the end of a task. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Pick<Queryable, "query">;

export interface DueWebhook {
  readonly webhookId: Uuid;
  readonly taskId: Uuid;
  readonly accountId: Uuid;
  readonly url: string;
  /** Those before this one. */
  readonly tries: number;
  readonly createdAt: Date;
}

const CLAIM = `
  UPDATE tasks.webhooks w SET due_at = clock_timestamp() + $2 * interval '1 millisecond'
  FROM (SELECT webhook_id FROM tasks.webhooks WHERE due_at <= statement_timestamp() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
  WHERE w.webhook_id = due.webhook_id
  RETURNING w.webhook_id AS "webhookId", w.task_id AS "taskId", w.account_id AS "accountId", w.url, w.tries, w.created_at AS "createdAt"`;

/** Those that this process shall deliver now. If it does not say within `claimMs` what became of it, another one will. */
export async function claimWebhooks(q: Statements, claim: { readonly limit: number; readonly claimMs: number }): Promise<DueWebhook[]> {
  return q.query<DueWebhook>(CLAIM, [claim.limit, claim.claimMs]);
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

const NOTE = `
  WITH noted AS (
    UPDATE tasks.webhooks SET tries = tries + 1, delivered_at = CASE WHEN $2 THEN clock_timestamp() END,
      due_at = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE webhook_id = $1 AND due_at IS NOT NULL RETURNING tries)
  INSERT INTO tasks.webhook_tries (webhook_id, try, status, error, took_ms)
  SELECT $1, tries, $4, $5, $6 FROM noted`;

/** Writes the log and says what comes next. Does nothing for one that is over. */
export async function noteWebhookTry(q: Statements, webhookId: Uuid, tried: WebhookTry, next: WebhookNext): Promise<void> {
  const inMs = next.kind === "again" ? next.inMs : null;
  await q.query(NOTE, [webhookId, next.kind === "delivered", inMs, tried.status, tried.error, Math.round(tried.tookMs)]);
}

export interface LoggedTry extends WebhookTry {
  readonly url: string;
  readonly try: number;
  readonly at: Date;
}

/** The delivery log of a task, in order. */
export async function webhookTries(q: Statements, taskId: Uuid): Promise<LoggedTry[]> {
  return q.query<LoggedTry>(
    `SELECT w.url, l.try, l.at, l.status, l.error, l.took_ms AS "tookMs"
     FROM tasks.webhooks w JOIN tasks.webhook_tries l USING (webhook_id) WHERE w.task_id = $1 ORDER BY l.at, l.try`,
    [taskId],
  );
}
