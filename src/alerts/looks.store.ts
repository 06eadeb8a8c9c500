/** How far accounts were looked at, and what was counted of their spend on the way. */
import { bigintArray, timestampArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

type Statements = Pick<Queryable, "query">;

export interface Look {
  readonly accountId: Uuid;
  /** The last entry that is counted. */
  readonly throughSeq: bigint;
  readonly creditedNano: Nano;
  readonly chargedNano: Nano;
}

/** What a subject, an account or a budget, was charged in the ten minutes from `bucket` on. */
export interface Spend {
  readonly subjectId: Uuid;
  readonly bucket: Date;
  readonly chargedNano: Nano;
}

/** What a subject was charged up to now; the last hour and the week before it in steps of ten minutes. */
export interface Spent {
  readonly dayNano: Nano;
  readonly monthNano: Nano;
  readonly hourNano: Nano;
  readonly weekNano: Nano;
}

/** Begins to look at an account. False: somebody does already. */
export async function insertLook(tx: Statements, look: Look): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO alerts.looks (account_id, through_seq, credited_nano, charged_nano) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING true`,
    [look.accountId, look.throughSeq, look.creditedNano, look.chargedNano],
  );
  return rows.length === 1;
}

/** Nobody else looks at the account until the transaction ends. Null for an account that nobody looks at yet. */
export async function lockLook(tx: Statements, accountId: Uuid): Promise<Pick<Look, "throughSeq"> | null> {
  const rows = await tx.query<Pick<Look, "throughSeq">>(
    `SELECT through_seq AS "throughSeq" FROM alerts.looks WHERE account_id = $1 FOR UPDATE`,
    [accountId],
  );
  return rows[0] ?? null;
}

/** The same for several accounts, in order; those that somebody looks at in this moment are missing. */
export async function lockLooks(tx: Statements, accountIds: readonly Uuid[]): Promise<Pick<Look, "accountId" | "throughSeq">[]> {
  return tx.query(
    `SELECT account_id AS "accountId", through_seq AS "throughSeq" FROM alerts.looks WHERE account_id = ANY ($1::uuid[])
     ORDER BY account_id FOR UPDATE SKIP LOCKED`,
    [accountIds],
  );
}

export async function moveLooks(tx: Statements, looks: readonly Look[]): Promise<void> {
  await tx.query(
    `UPDATE alerts.looks l SET through_seq = u.seq, credited_nano = u.credited, charged_nano = u.charged
     FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) AS u (account_id, seq, credited, charged) WHERE l.account_id = u.account_id`,
    [
      uuidArray(looks, (look) => look.accountId),
      bigintArray(looks, (look) => look.throughSeq),
      bigintArray(looks, (look) => look.creditedNano),
      bigintArray(looks, (look) => look.chargedNano),
    ],
  );
}

/** Adds to what is counted. */
export async function addSpend(tx: Statements, spend: readonly Spend[]): Promise<void> {
  if (spend.length === 0) return;
  await tx.query(
    `INSERT INTO alerts.spend AS s (subject_id, bucket, charged_nano)
     SELECT subject_id, bucket, sum(charged)::bigint FROM unnest($1::uuid[], $2::timestamptz[], $3::bigint[]) AS u (subject_id, bucket, charged)
     GROUP BY subject_id, bucket
     ON CONFLICT (subject_id, bucket) DO UPDATE SET charged_nano = s.charged_nano + excluded.charged_nano`,
    [uuidArray(spend, (one) => one.subjectId), timestampArray(spend, (one) => one.bucket), bigintArray(spend, (one) => one.chargedNano)],
  );
}

/** Of a subject that nobody counted for a while. */
export async function forgetSpend(tx: Statements, subjectId: Uuid): Promise<void> {
  await tx.query("DELETE FROM alerts.spend WHERE subject_id = $1", [subjectId]);
}

/** What was counted of one subject counts as another's too, which nobody counted so far. */
export async function carrySpend(tx: Statements, from: Uuid, to: Uuid): Promise<void> {
  await tx.query(
    "INSERT INTO alerts.spend (subject_id, bucket, charged_nano) SELECT $2, bucket, charged_nano FROM alerts.spend WHERE subject_id = $1",
    [from, to],
  );
}

const SPENT = `
  SELECT u.subject_id AS "subjectId",
    coalesce(sum(s.charged_nano) FILTER (WHERE s.bucket >= c.day), 0)::bigint AS "dayNano",
    coalesce(sum(s.charged_nano) FILTER (WHERE s.bucket >= c.month), 0)::bigint AS "monthNano",
    coalesce(sum(s.charged_nano) FILTER (WHERE s.bucket > c.now - interval '1 hour'), 0)::bigint AS "hourNano",
    coalesce(sum(s.charged_nano) FILTER (WHERE s.bucket <= c.now - interval '1 hour' AND s.bucket > c.now - interval '169 hours'), 0)::bigint AS "weekNano"
  FROM (SELECT now, date_trunc('day', now AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow' AS day,
          date_trunc('month', now AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow' AS month FROM (SELECT clock_timestamp() AS now) t) c,
    unnest($1::uuid[]) AS u (subject_id) LEFT JOIN alerts.spend s USING (subject_id)
  GROUP BY u.subject_id`;

export async function spentBy(q: Statements, subjectIds: readonly Uuid[]): Promise<Map<Uuid, Spent>> {
  const distinct = [...new Set(subjectIds)];
  const rows = await q.query<Spent & { subjectId: Uuid }>(SPENT, [uuidArray(distinct, (id) => id)]);
  return new Map(rows.map(({ subjectId, ...spent }) => [subjectId, spent]));
}

/** What no month and no week can ask for any more. */
export async function sweepSpend(q: Statements): Promise<void> {
  await q.query("DELETE FROM alerts.spend WHERE bucket < clock_timestamp() - interval '33 days'");
}
