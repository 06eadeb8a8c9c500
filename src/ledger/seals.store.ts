/** What closed months come to, for each account and each budget: the books without their rows. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { Month } from "./months.store.ts";

/** What the rows of a month add up to for an account. */
export interface Seal {
  readonly accountId: Uuid;
  readonly entries: bigint;
  readonly toppedUpNano: bigint;
  readonly adjustedNano: bigint;
  readonly chargedNano: bigint;
  /** As a text: one absurd loss may be larger than any amount. */
  readonly lostNano: string;
  /** Of the class: what was given, less what was taken back. */
  readonly trialNano: bigint;
  readonly bonusNano: bigint;
  readonly firstNo: bigint;
  readonly lastNo: bigint;
  /** The sum of all numbers. */
  readonly numbers: string;
  /** In microseconds since 1970. */
  readonly firstAt: bigint;
  readonly lastAt: bigint;
}

const SEALS = statement({
  text: `
  SELECT account_id AS "accountId", entries, topped_up_nano AS "toppedUpNano", adjusted_nano AS "adjustedNano", charged_nano AS "chargedNano",
    lost_nano AS "lostNano", trial_nano AS "trialNano", bonus_nano AS "bonusNano", first_no AS "firstNo", last_no AS "lastNo", numbers,
    (extract(epoch FROM first_at) * 1000000)::bigint AS "firstAt", (extract(epoch FROM last_at) * 1000000)::bigint AS "lastAt"
  FROM ledger.seals WHERE month = to_date($1, 'YYYY-MM') AND ($2::uuid IS NULL OR account_id > $2) ORDER BY account_id LIMIT $3`,
  parameters: [sql.text, sql.nullable(sql.uuid), sql.whole],
  row: {
    accountId: sql.uuid,
    entries: sql.int8,
    toppedUpNano: sql.int8,
    adjustedNano: sql.int8,
    chargedNano: sql.int8,
    lostNano: sql.numeric,
    trialNano: sql.int8,
    bonusNano: sql.int8,
    firstNo: sql.int8,
    lastNo: sql.int8,
    numbers: sql.numeric,
    firstAt: sql.int8,
    lastAt: sql.int8,
  },
});

/** By account, from behind that one on. */
export async function sealsOfMonth(
  q: Queryable,
  month: Month,
  { after, limit }: { readonly after: Uuid | null; readonly limit: number },
): Promise<Seal[]> {
  return q.run(SEALS, [month, after, limit]);
}

export interface BudgetSeal {
  readonly accountId: Uuid;
  readonly budgetId: Uuid;
  readonly chargedNano: bigint;
}

const BUDGET_SEALS = statement({
  text: `
  SELECT account_id AS "accountId", budget_id AS "budgetId", charged_nano AS "chargedNano" FROM ledger.budget_seals
  WHERE month = to_date($1, 'YYYY-MM') AND ($2::uuid IS NULL OR account_id > $2) AND ($3::uuid IS NULL OR account_id <= $3)`,
  parameters: [sql.text, sql.nullable(sql.uuid), sql.nullable(sql.uuid)],
  row: { accountId: sql.uuid, budgetId: sql.uuid, chargedNano: sql.int8 },
});

/** Of the accounts behind the one and up to the other. */
export async function budgetSealsOfMonth(
  q: Queryable,
  month: Month,
  { after, upTo }: { readonly after: Uuid | null; readonly upTo: Uuid | null },
): Promise<BudgetSeal[]> {
  return q.run(BUDGET_SEALS, [month, after, upTo]);
}

/** An account's part of a month that is not in the database any more. */
export interface PastMonth {
  readonly month: Month;
  readonly file: string;
  /** All ids of the month: from the first on, and before the other. */
  readonly firstId: Uuid;
  readonly endId: Uuid;
  readonly entries: bigint;
  readonly firstNo: bigint;
  readonly lastNo: bigint;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly toppedUpNano: Nano;
  readonly adjustedNano: Nano;
  readonly chargedNano: Nano;
}

const IDS = `ledger.first_id(m.month::timestamp AT TIME ZONE 'Europe/Moscow') AS "firstId",
    ledger.first_id((m.month + interval '1 month') AT TIME ZONE 'Europe/Moscow') AS "endId"`;

const PAST_MONTHS = statement({
  text: `
  SELECT to_char(m.month, 'YYYY-MM') AS month, m.file, ${IDS}, s.entries, s.first_no AS "firstNo", s.last_no AS "lastNo",
    s.first_at AS "firstAt", s.last_at AS "lastAt", s.topped_up_nano AS "toppedUpNano", s.adjusted_nano AS "adjustedNano", s.charged_nano AS "chargedNano"
  FROM ledger.months m JOIN ledger.seals s USING (month)
  WHERE s.account_id = $1 AND m.state = 'dropped' ORDER BY m.month DESC`,
  parameters: [sql.uuid],
  row: {
    month: sql.text,
    file: sql.present(sql.text),
    firstId: sql.uuid,
    endId: sql.uuid,
    entries: sql.int8,
    firstNo: sql.int8,
    lastNo: sql.int8,
    firstAt: sql.timestamptz,
    lastAt: sql.timestamptz,
    toppedUpNano: sql.nano,
    adjustedNano: sql.nano,
    chargedNano: sql.nano,
  },
});

/** Those in which the account has entries, the newest first. */
export async function pastMonths(q: Queryable, accountId: Uuid): Promise<PastMonth[]> {
  return q.run(PAST_MONTHS, [accountId]);
}

const PAST_FILE_OF = statement({
  text: `
  SELECT m.file FROM ledger.months m
  WHERE m.state = 'dropped' AND m.month = date_trunc('month', ledger.time_of($1) AT TIME ZONE 'Europe/Moscow')::date`,
  parameters: [sql.uuid],
  row: { file: sql.present(sql.text) },
});

/** Where an entry of this id is archived, if there is one; null: its month is in the database. */
export async function pastFileOf(q: Queryable, entryId: Uuid): Promise<string | null> {
  const [row] = await q.run(PAST_FILE_OF, [entryId]);
  return row?.file ?? null;
}
