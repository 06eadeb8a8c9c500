/** How far accounts were looked at, and what was counted of their spend on the way. */
import { bigintArray, timestampArray, uuidArray } from "../../db/array-params.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

export interface Look {
  readonly accountId: Uuid;
  /** The last entry that is counted. */
  readonly throughNo: bigint;
  readonly creditedNano: Nano;
  readonly chargedNano: Nano;
}

/** Whose spend is counted: an account's, or that of one of its budgets. */
export interface Subject {
  readonly accountId: Uuid;
  readonly subjectId: Uuid;
}

/** What a subject was charged in the ten minutes from `bucket` on. */
export interface Spend extends Subject {
  readonly bucket: Date;
  readonly chargedNano: Nano;
}

/** What a subject was charged up to now. */
export interface Spent {
  /** Of Moscow, as the month is. */
  readonly dayNano: Nano;
  readonly monthNano: Nano;
  /** The last hour, in steps of ten minutes. */
  readonly hourNano: Nano;
  /** The seven days before it; where they begin moves in steps of an hour. */
  readonly weekNano: Nano;
}

const INSERT = statement({
  text: `INSERT INTO alerts.looks (account_id, through_no, credited_nano, charged_nano) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING true AS added`,
  parameters: [sql.uuid, sql.int8, sql.nano, sql.nano],
  row: { added: sql.bool },
});

/** Begins to look at an account. False: it is looked at already. */
export async function insertLook(tx: Queryable, look: Look): Promise<boolean> {
  const rows = await tx.run(INSERT, [
    look.accountId,
    look.throughNo,
    look.creditedNano,
    look.chargedNano,
  ]);
  return rows.length === 1;
}

const LOCK = statement({
  text: `SELECT through_no AS "throughNo" FROM alerts.looks WHERE account_id = $1 FOR UPDATE`,
  parameters: [sql.uuid],
  row: { throughNo: sql.int8 },
});

/**
 * No other process looks at the account until the transaction ends. Null for an account that is not
 * looked at yet.
 */
export async function lockLook(
  tx: Queryable,
  accountId: Uuid,
): Promise<Pick<Look, "throughNo"> | null> {
  const rows = await tx.run(LOCK, [accountId]);
  return rows[0] ?? null;
}

const LOCK_SOME = statement({
  text: `SELECT account_id AS "accountId", through_no AS "throughNo" FROM alerts.looks WHERE account_id = ANY ($1::uuid[])
     ORDER BY account_id FOR UPDATE SKIP LOCKED`,
  parameters: [sql.array(sql.uuid)],
  row: { accountId: sql.uuid, throughNo: sql.int8 },
});

/**
 * The same for several accounts, in order; those that another process looks at in this moment are
 * missing.
 */
export async function lockLooks(
  tx: Queryable,
  accountIds: readonly Uuid[],
): Promise<Pick<Look, "accountId" | "throughNo">[]> {
  return tx.run(LOCK_SOME, [accountIds]);
}

const MOVE = statement({
  text: `UPDATE alerts.looks l SET through_no = u.entry_no, credited_nano = u.credited, charged_nano = u.charged
     FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) AS u (account_id, entry_no, credited, charged) WHERE l.account_id = u.account_id`,
  parameters: [sql.array(sql.uuid), sql.array(sql.int8), sql.array(sql.int8), sql.array(sql.int8)],
});

export async function moveLooks(tx: Queryable, looks: readonly Look[]): Promise<void> {
  await tx.run(MOVE, [
    uuidArray(looks, (look) => look.accountId),
    bigintArray(looks, (look) => look.throughNo),
    bigintArray(looks, (look) => look.creditedNano),
    bigintArray(looks, (look) => look.chargedNano),
  ]);
}

/** How long sums are kept: as long as anything can ask for them. */
const KEPT =
  "CASE grain WHEN 'ten_minutes' THEN interval '2 hours' WHEN 'hour' THEN interval '8 days' ELSE interval '33 days' END";

const ADD = statement({
  text: `
  INSERT INTO alerts.spend AS s (account_id, subject_id, grain, bucket, charged_nano)
  SELECT u.account_id, u.subject_id, g.grain, g.bucket, sum(u.charged)::bigint
  FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[]) AS u (account_id, subject_id, bucket, charged)
  CROSS JOIN LATERAL (VALUES
    ('ten_minutes'::alerts.grain, u.bucket),
    ('hour', date_bin('1 hour', u.bucket, timestamptz '2000-01-01 00:00:00+00')),
    ('day', date_trunc('day', u.bucket AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow')) AS g (grain, bucket)
  WHERE g.bucket >= clock_timestamp() - ${KEPT}
  GROUP BY u.account_id, u.subject_id, g.grain, g.bucket
  ON CONFLICT (account_id, subject_id, grain, bucket) DO UPDATE SET charged_nano = s.charged_nano + excluded.charged_nano`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.timestamptz),
    sql.array(sql.int8),
  ],
});

/**
 * Adds to what is counted: to the sums of ten minutes, of hours and of days, so that a month is
 * never summed from its minutes.
 */
export async function addSpend(tx: Queryable, spend: readonly Spend[]): Promise<void> {
  if (spend.length === 0) return;
  await tx.run(ADD, [
    uuidArray(spend, (one) => one.accountId),
    uuidArray(spend, (one) => one.subjectId),
    timestampArray(spend, (one) => one.bucket),
    bigintArray(spend, (one) => one.chargedNano),
  ]);
}

const FORGET = statement({
  text: "DELETE FROM alerts.spend WHERE account_id = $1 AND subject_id = $2",
  parameters: [sql.uuid, sql.uuid],
});

/** Of a subject that was not counted for a while. */
export async function forgetSpend(tx: Queryable, { accountId, subjectId }: Subject): Promise<void> {
  await tx.run(FORGET, [accountId, subjectId]);
}

const CARRY = statement({
  text: `INSERT INTO alerts.spend (account_id, subject_id, grain, bucket, charged_nano)
     SELECT $1, $3, grain, bucket, charged_nano FROM alerts.spend WHERE account_id = $1 AND subject_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
});

/** What was counted of one subject counts as another's too, which was not counted so far. */
export async function carrySpend(tx: Queryable, from: Subject, to: Uuid): Promise<void> {
  await tx.run(CARRY, [from.accountId, from.subjectId, to]);
}

// Sub-selects of their own, because they are a few rows each by the primary key, whatever else a
// subject has.
const SPENT = statement({
  text: `
  SELECT u.subject_id AS "subjectId", days.last AS "dayNano", days.month AS "monthNano", minutes.hour AS "hourNano",
    greatest(0, hours.week - minutes.hour) AS "weekNano"
  FROM (SELECT now, date_trunc('day', now AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow' AS day,
          date_trunc('month', now AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow' AS month FROM (SELECT clock_timestamp() AS now) t) c
  CROSS JOIN unnest($1::uuid[], $2::uuid[]) AS u (account_id, subject_id)
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.charged_nano) FILTER (WHERE s.bucket >= c.day), 0)::bigint AS last, coalesce(sum(s.charged_nano), 0)::bigint AS month
    FROM alerts.spend s WHERE s.account_id = u.account_id AND s.subject_id = u.subject_id AND s.grain = 'day' AND s.bucket >= c.month) days
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.charged_nano), 0)::bigint AS hour
    FROM alerts.spend s WHERE s.account_id = u.account_id AND s.subject_id = u.subject_id AND s.grain = 'ten_minutes' AND s.bucket > c.now - interval '1 hour') minutes
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(s.charged_nano), 0)::bigint AS week
    FROM alerts.spend s WHERE s.account_id = u.account_id AND s.subject_id = u.subject_id AND s.grain = 'hour' AND s.bucket > c.now - interval '169 hours') hours`,
  parameters: [sql.array(sql.uuid), sql.array(sql.uuid)],
  row: {
    subjectId: sql.uuid,
    dayNano: sql.nano,
    monthNano: sql.nano,
    hourNano: sql.nano,
    weekNano: sql.nano,
  },
});

/** By subject. */
export async function spentBy(
  q: Queryable,
  subjects: readonly Subject[],
): Promise<Map<Uuid, Spent>> {
  const distinct = [...new Map(subjects.map((one) => [one.subjectId, one])).values()];
  const rows = await q.run(SPENT, [
    uuidArray(distinct, (one) => one.accountId),
    uuidArray(distinct, (one) => one.subjectId),
  ]);
  return new Map(rows.map(({ subjectId, ...spent }) => [subjectId, spent]));
}

const SWEEP = statement({
  text: `DELETE FROM alerts.spend WHERE bucket < clock_timestamp() - ${KEPT}`,
});

/** Removes the sums that nothing can ask for any more. */
export async function sweepSpend(q: Queryable): Promise<void> {
  await q.run(SWEEP, []);
}
