/**
 * Finds accounts by what an operator has at hand: a name, an e-mail, an id, a key's mask or hash, a
 * tag; sorts them, and tells what they spent and when they were last seen.
 */
import type { AccountSort } from "../../contract/enums/account-sort.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

export interface FoundAccount {
  readonly accountId: Uuid;
  readonly name: string;
  readonly createdAt: Date;
  /** The first few that joined. */
  readonly emails: readonly string[];
}

export interface AccountSearch {
  /** Null: all. */
  readonly text: string | null;
  readonly blocked: boolean | null;
  readonly tag: string | null;
  readonly limit: number;
}

/** The last one of the page before. */
export interface SortedPlace {
  readonly value: bigint;
  readonly accountId: Uuid;
}

export interface SortedAccount extends FoundAccount {
  /** By what it stands in its place; not for people. */
  readonly value: bigint;
}

// A name and an e-mail by any part of them, ids and hashes by their beginning, a mask by its
// beginning or its end.
const FITS = `($1::boolean IS NULL OR (a.blocked_at IS NOT NULL) = $1)
    AND ($2::text IS NULL OR strpos(lower(a.name), lower($2)) > 0 OR starts_with(a.account_id::text, lower($2))
      OR a.account_id IN (SELECT m.account_id FROM accounts.members m WHERE strpos(m.email, lower($2)) > 0)
      OR a.account_id IN (SELECT k.account_id FROM keys.keys k
           WHERE starts_with(k.hash, lower($2)) OR starts_with(k.mask, $2) OR (length($2) >= 4 AND right(k.mask, length($2)) = $2)))
    AND ($3::text IS NULL OR a.account_id IN (SELECT n.account_id FROM operate.account_notes n WHERE $3 = ANY (n.tags)))`;
const FOUND = `a.account_id AS "accountId", a.name, a.created_at AS "createdAt",
    ARRAY(SELECT m.email FROM accounts.members m WHERE m.account_id = a.account_id ORDER BY m.member_id LIMIT 3) AS emails`;
const FOUND_ROW = {
  accountId: sql.uuid,
  name: sql.text,
  createdAt: sql.timestamptz,
  emails: sql.array(sql.text),
};

const FIND = statement({
  text: `
  SELECT ${FOUND} FROM accounts.accounts a
  WHERE ${FITS} AND ($4::uuid IS NULL OR a.account_id < $4) ORDER BY a.account_id DESC LIMIT $5`,
  parameters: [
    sql.nullable(sql.bool),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.uuid),
    sql.whole,
  ],
  row: FOUND_ROW,
});

/** Newest first; `before` is the last one of the page before. */
export async function findAccounts(
  q: Queryable,
  { text, blocked, tag, before, limit }: AccountSearch & { readonly before: Uuid | null },
): Promise<FoundAccount[]> {
  return q.run(FIND, [blocked, text, tag, before, limit]);
}

// Between the two stands a query of an account's id and its value.
const PLACED = `WITH placed AS (
    SELECT a.account_id, coalesce(v.value, 0)::bigint AS value FROM accounts.accounts a LEFT JOIN (`;
const BY_PLACE = `) v ON v.account_id = a.account_id WHERE ${FITS})
  SELECT ${FOUND}, p.value FROM placed p JOIN accounts.accounts a ON a.account_id = p.account_id
  WHERE $4::bigint IS NULL OR (p.value, p.account_id) < ($4, $5::uuid) ORDER BY p.value DESC, p.account_id DESC LIMIT $6`;
const SORTED_PARAMETERS = [
  sql.nullable(sql.bool),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.nullable(sql.int8),
  sql.nullable(sql.uuid),
  sql.whole,
] as const;
const SORTED_ROW = { ...FOUND_ROW, value: sql.int8 };

const SORTED = {
  spent: statement({
    text: `${PLACED}SELECT account_id, sum(charged_nano) AS value FROM usage.account_days
      WHERE day >= (now() AT TIME ZONE 'Europe/Moscow')::date - 29 GROUP BY 1${BY_PLACE}`,
    parameters: SORTED_PARAMETERS,
    row: SORTED_ROW,
  }),
  balance: statement({
    text: `${PLACED}SELECT account_id, credited_nano - charged_nano AS value FROM ledger.accounts${BY_PLACE}`,
    parameters: SORTED_PARAMETERS,
    row: SORTED_ROW,
  }),
  seen: statement({
    text: `${PLACED}SELECT account_id, extract(epoch FROM max(last_used_at))::bigint AS value FROM keys.keys
      WHERE last_used_at IS NOT NULL GROUP BY 1${BY_PLACE}`,
    parameters: SORTED_PARAMETERS,
    row: SORTED_ROW,
  }),
};

/** The highest first. */
export async function sortAccounts(
  q: Queryable,
  by: Exclude<AccountSort, "newest">,
  { text, blocked, tag, after, limit }: AccountSearch & { readonly after: SortedPlace | null },
): Promise<SortedAccount[]> {
  const place = [after?.value ?? null, after?.accountId ?? null] as const;
  return q.run(SORTED[by], [blocked, text, tag, ...place, limit]);
}

const LAST_USED = statement({
  text: `SELECT account_id AS "accountId", max(last_used_at) AS "lastUsedAt" FROM keys.keys
     WHERE account_id = ANY ($1::uuid[]) AND last_used_at IS NOT NULL GROUP BY 1`,
  parameters: [sql.array(sql.uuid)],
  row: { accountId: sql.uuid, lastUsedAt: sql.timestamptz },
});

/** When a key of each was used last; those whose keys never were are missing. */
export async function lastUsedByAccount(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Date>> {
  const rows = await q.run(LAST_USED, [accountIds]);
  return new Map(rows.map(({ accountId, lastUsedAt }) => [accountId, lastUsedAt]));
}

const SPENT = statement({
  text: `
  SELECT account_id AS "accountId", sum(charged_nano)::bigint AS "spentNano" FROM usage.account_days
  WHERE account_id = ANY ($1::uuid[]) AND day >= (now() AT TIME ZONE 'Europe/Moscow')::date - $2::integer + 1
  GROUP BY 1 HAVING sum(charged_nano) > 0`,
  parameters: [sql.array(sql.uuid), sql.int4],
  row: { accountId: sql.present(sql.uuid), spentNano: sql.nano },
});

/**
 * What was charged in the last so many days of Moscow, today among them; accounts without a charge
 * are missing.
 */
export async function spentByAccount(
  q: Queryable,
  accountIds: readonly Uuid[],
  days: number,
): Promise<ReadonlyMap<Uuid, Nano>> {
  const rows = await q.run(SPENT, [accountIds, days]);
  return new Map(rows.map(({ accountId, spentNano }) => [accountId, spentNano]));
}

const NAMES = statement({
  text: `SELECT account_id AS "accountId", name FROM accounts.accounts WHERE account_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: { accountId: sql.uuid, name: sql.text },
});

/** Of these accounts; unknown ids are missing. */
export async function accountNames(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const rows = await q.run(NAMES, [accountIds]);
  return new Map(rows.map(({ accountId, name }) => [accountId, name]));
}
