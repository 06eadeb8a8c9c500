/**
 * Finds accounts by what an operator has at hand: a name, an e-mail, an id, a key's mask or hash;
 * and tells what they spent.
 */
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
  /** The last one of the page before. */
  readonly before: Uuid | null;
  readonly limit: number;
}

// A name and an e-mail by any part of them, ids and hashes by their beginning, a mask by its
// beginning or its end.
const FIND = statement({
  text: `
  SELECT a.account_id AS "accountId", a.name, a.created_at AS "createdAt",
    ARRAY(SELECT m.email FROM accounts.members m WHERE m.account_id = a.account_id ORDER BY m.member_id LIMIT 3) AS emails
  FROM accounts.accounts a
  WHERE ($1::uuid IS NULL OR a.account_id < $1) AND ($2::boolean IS NULL OR (a.blocked_at IS NOT NULL) = $2)
    AND ($3::text IS NULL OR strpos(lower(a.name), lower($3)) > 0 OR starts_with(a.account_id::text, lower($3))
      OR a.account_id IN (SELECT m.account_id FROM accounts.members m WHERE strpos(m.email, lower($3)) > 0)
      OR a.account_id IN (SELECT k.account_id FROM keys.keys k
           WHERE starts_with(k.hash, lower($3)) OR starts_with(k.mask, $3) OR (length($3) >= 4 AND right(k.mask, length($3)) = $3)))
  ORDER BY a.account_id DESC LIMIT $4`,
  parameters: [sql.nullable(sql.uuid), sql.nullable(sql.bool), sql.nullable(sql.text), sql.whole],
  row: {
    accountId: sql.uuid,
    name: sql.text,
    createdAt: sql.timestamptz,
    emails: sql.array(sql.text),
  },
});

/** Newest first. */
export async function findAccounts(q: Queryable, search: AccountSearch): Promise<FoundAccount[]> {
  return q.run(FIND, [search.before, search.blocked, search.text, search.limit]);
}

const SPENT = statement({
  text: `
  SELECT account_id AS "accountId", sum(charged_nano)::bigint AS "spentNano" FROM usage.days
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
