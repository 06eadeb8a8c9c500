/** What operators noted of accounts, beside their truth: a few words, and tags to find them by. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

export interface AccountNotes {
  readonly note: string;
  readonly tags: readonly string[];
}

export const NO_NOTES: AccountNotes = { note: "", tags: [] };

const FIND = statement({
  text: `SELECT account_id AS "accountId", note, tags FROM operate.account_notes WHERE account_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: { accountId: sql.uuid, note: sql.text, tags: sql.array(sql.text) },
});

/** Accounts without any are missing. */
export async function notesOf(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, AccountNotes>> {
  const rows = await q.run(FIND, [accountIds]);
  return new Map(rows.map(({ accountId, note, tags }) => [accountId, { note, tags }]));
}

const WRITE = statement({
  text: `
  INSERT INTO operate.account_notes (account_id, note, tags, changed_by) VALUES ($1, $2, $3, $4)
  ON CONFLICT (account_id) DO UPDATE SET note = excluded.note, tags = excluded.tags, changed_by = excluded.changed_by, changed_at = clock_timestamp()`,
  parameters: [sql.uuid, sql.text, sql.array(sql.text), sql.text],
});
const ERASE = statement({
  text: "DELETE FROM operate.account_notes WHERE account_id = $1",
  parameters: [sql.uuid],
});

/** Instead of what was there. */
export async function keepNotes(
  tx: Queryable,
  accountId: Uuid,
  { note, tags }: AccountNotes,
  changedBy: string,
): Promise<void> {
  if (note === "" && tags.length === 0) await tx.run(ERASE, [accountId]);
  else await tx.run(WRITE, [accountId, note, tags, changedBy]);
}

const LOCK = statement({
  text: "SELECT true AS known FROM accounts.accounts WHERE account_id = $1 FOR NO KEY UPDATE",
  parameters: [sql.uuid],
  row: { known: sql.bool },
});

/** One change of its notes at a time. False: there is no such account. */
export async function lockForNotes(tx: Queryable, accountId: Uuid): Promise<boolean> {
  const [row] = await tx.run(LOCK, [accountId]);
  return row !== undefined;
}
