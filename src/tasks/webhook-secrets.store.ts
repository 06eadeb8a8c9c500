/** What an account's webhooks are signed with: made when it is first needed, changed on request, the one before still good for a while. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Pick<Queryable, "query">;

export interface WebhookSecrets {
  /** `whsec_…`. */
  readonly secret: string;
  readonly madeAt: Date;
  /** The one before, while it still signs too. */
  readonly previous: string | null;
  readonly previousUntil: Date | null;
}

const COLUMNS = `secret, made_at AS "madeAt",
  CASE WHEN previous_until > clock_timestamp() THEN previous END AS previous,
  CASE WHEN previous_until > clock_timestamp() THEN previous_until END AS "previousUntil"`;

/** `fresh` becomes the account's secret where it has none. */
export async function webhookSecrets(q: Statements, accountId: Uuid, fresh: string): Promise<WebhookSecrets> {
  await q.query("INSERT INTO tasks.webhook_secrets (account_id, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING", [accountId, fresh]);
  const found = await findWebhookSecrets(q, accountId);
  if (found === null) throw new Error("the secret of an account's webhooks was removed while it was read");
  return found;
}

/** Null: none was made yet. */
export async function findWebhookSecrets(q: Statements, accountId: Uuid): Promise<WebhookSecrets | null> {
  const [row] = await q.query<WebhookSecrets>(`SELECT ${COLUMNS} FROM tasks.webhook_secrets WHERE account_id = $1`, [accountId]);
  return row ?? null;
}

const CHANGE = `
  INSERT INTO tasks.webhook_secrets AS s (account_id, secret) VALUES ($1, $2)
  ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, made_at = excluded.made_at,
    previous = CASE WHEN $3 > 0 THEN s.secret END,
    previous_until = CASE WHEN $3 > 0 THEN clock_timestamp() + $3 * interval '1 second' END
  RETURNING ${COLUMNS}`;

/** The secret before goes on signing for so long; 0: it is given up at once. */
export async function changeWebhookSecret(
  q: Statements,
  change: { readonly accountId: Uuid; readonly secret: string; readonly previousSeconds: number },
): Promise<WebhookSecrets> {
  const [row] = await q.query<WebhookSecrets>(CHANGE, [change.accountId, change.secret, change.previousSeconds]);
  if (row === undefined) throw new Error("an insertion that changes on conflict answers with a row");
  return row;
}
