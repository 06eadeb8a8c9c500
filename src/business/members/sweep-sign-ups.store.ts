/**
 * Accounts that are nothing but a sign-up that was never confirmed: found, and removed with what
 * was made for them at once.
 */
import type { Queryable, Tx } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

// Its members all wait for their confirmation, and have no link left that could bring it; what has
// no members was made by an operator. And nothing was ever done with it: no key, no money, no
// invitation, no operator had to do with it.
const STALE = `
  a.created_at < clock_timestamp() - $1::int * interval '1 day'
  AND EXISTS (SELECT FROM accounts.members m WHERE m.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM accounts.members m LEFT JOIN accounts.tokens t USING (member_id) WHERE m.account_id = a.account_id
    AND (m.verified_at IS NOT NULL OR m.operator OR m.created_at > clock_timestamp() - $1::int * interval '1 day' OR t.expires_at > clock_timestamp()))
  AND NOT EXISTS (SELECT FROM ledger.accounts l WHERE l.account_id = a.account_id
    AND (l.blocked OR l.credited_nano <> 0 OR l.charged_nano <> 0 OR l.held_nano <> 0 OR l.entries <> 0))
  AND NOT EXISTS (SELECT FROM keys.keys k WHERE k.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM payments.payments p WHERE p.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM accounts.invitations i WHERE i.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM audit.actions o WHERE o.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM files.files f WHERE f.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM tasks.tasks t WHERE t.account_id = a.account_id)`;

const FIND = statement({
  text: `SELECT a.account_id AS "accountId" FROM accounts.accounts a
     WHERE a.account_id IN (SELECT account_id FROM accounts.members WHERE verified_at IS NULL) AND ${STALE} ORDER BY a.account_id LIMIT $2`,
  parameters: [sql.int4, sql.whole],
  row: { accountId: sql.uuid },
});

/** The oldest first. */
export async function staleSignUps(q: Queryable, days: number, limit: number): Promise<Uuid[]> {
  const rows = await q.run(FIND, [days, limit]);
  return rows.map(({ accountId }) => accountId);
}

const LOCKS = [
  statement({
    text: "SELECT FROM ledger.accounts WHERE account_id = $1 FOR UPDATE",
    parameters: [sql.uuid],
  }),
  statement({
    text: "SELECT FROM accounts.members WHERE account_id = $1 ORDER BY member_id FOR UPDATE",
    parameters: [sql.uuid],
  }),
  statement({
    text: "SELECT FROM accounts.accounts WHERE account_id = $1 FOR UPDATE",
    parameters: [sql.uuid],
  }),
];

const REMOVALS = [
  statement({
    text: "DELETE FROM alerts.rules WHERE account_id = $1",
    parameters: [sql.uuid],
  }),
  statement({
    text: "DELETE FROM alerts.looks WHERE account_id = $1",
    parameters: [sql.uuid],
  }),
  statement({
    text: "DELETE FROM accounts.members WHERE account_id = $1",
    parameters: [sql.uuid],
  }),
  statement({
    text: "DELETE FROM accounts.accounts WHERE account_id = $1",
    parameters: [sql.uuid],
  }),
  statement({
    text: "DELETE FROM ledger.accounts WHERE account_id = $1",
    parameters: [sql.uuid],
  }),
];

const STILL_STALE = statement({
  text: `SELECT true AS stale FROM accounts.accounts a WHERE ${STALE} AND a.account_id = $2`,
  parameters: [sql.int4, sql.uuid],
  row: { stale: sql.bool },
});

/**
 * Looks once more, when neither money nor a confirmation can be on its way to it. False: it is no
 * such account any more.
 */
export async function removeSignUp(tx: Tx, accountId: Uuid, days: number): Promise<boolean> {
  for (const lock of LOCKS) await tx.run(lock, [accountId]);
  const still = await tx.run(STILL_STALE, [days, accountId]);
  if (still.length === 0) return false;
  for (const removal of REMOVALS) await tx.run(removal, [accountId]);
  return true;
}
