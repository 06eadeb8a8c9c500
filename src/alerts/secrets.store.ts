/** What an account's alert webhooks are signed with. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Pick<Queryable, "query">;

/** Those that sign now: the account's, and for a while the one before. None: the account has never asked for one. */
export async function signingSecrets(q: Statements, accountId: Uuid): Promise<readonly string[]> {
  const [row] = await q.query<{ secrets: string[] }>(
    `SELECT array_remove(ARRAY[secret, CASE WHEN previous_until > clock_timestamp() THEN previous END], NULL) AS secrets
     FROM alerts.secrets WHERE account_id = $1`,
    [accountId],
  );
  return row?.secrets ?? [];
}

/** When the account's was made; null: it has none. */
export async function secretMadeAt(q: Statements, accountId: Uuid): Promise<Date | null> {
  const [row] = await q.query<{ madeAt: Date }>(`SELECT made_at AS "madeAt" FROM alerts.secrets WHERE account_id = $1`, [accountId]);
  return row?.madeAt ?? null;
}

/** The account's where it has none. */
export async function makeSecret(q: Statements, accountId: Uuid, secret: string): Promise<void> {
  await q.query("INSERT INTO alerts.secrets (account_id, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING", [accountId, secret]);
}

/** The one before goes on signing for so long. */
export async function replaceSecret(q: Statements, accountId: Uuid, secret: string, previousHours: number): Promise<void> {
  await q.query(
    `INSERT INTO alerts.secrets AS s (account_id, secret) VALUES ($1, $2)
     ON CONFLICT (account_id) DO UPDATE SET secret = $2, made_at = clock_timestamp(), previous = s.secret,
       previous_until = clock_timestamp() + $3 * interval '1 hour'`,
    [accountId, secret, previousHours],
  );
}
