/**
 * Accounts that are nothing but a sign-up that was never confirmed: found, and removed with what
 * was made for them at once.
 */
import type { Queryable, Tx } from "../../db/database.ts";
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
    AND (l.blocked OR l.credited_nano <> 0 OR l.charged_nano <> 0 OR l.held_nano <> 0))
  AND NOT EXISTS (SELECT FROM ledger.entries e WHERE e.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM keys.keys k WHERE k.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM payments.payments p WHERE p.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM accounts.invitations i WHERE i.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM audit.actions o WHERE o.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM files.files f WHERE f.account_id = a.account_id)
  AND NOT EXISTS (SELECT FROM tasks.tasks t WHERE t.account_id = a.account_id)`;

/** The oldest first. */
export async function staleSignUps(q: Queryable, days: number, limit: number): Promise<Uuid[]> {
  const rows = await q.query<{ accountId: Uuid }>(
    `SELECT a.account_id AS "accountId" FROM accounts.accounts a
     WHERE a.account_id IN (SELECT account_id FROM accounts.members WHERE verified_at IS NULL) AND ${STALE} ORDER BY a.account_id LIMIT $2`,
    [days, limit],
  );
  return rows.map(({ accountId }) => accountId);
}

const LOCKS = [
  "SELECT FROM ledger.accounts WHERE account_id = $1 FOR UPDATE",
  "SELECT FROM accounts.members WHERE account_id = $1 ORDER BY member_id FOR UPDATE",
  "SELECT FROM accounts.accounts WHERE account_id = $1 FOR UPDATE",
];
const GONE = [
  "alerts.rules",
  "alerts.looks",
  "usage.folds",
  "accounts.members",
  "accounts.accounts",
  "ledger.accounts",
];

/**
 * Looks once more, when neither money nor a confirmation can be on its way to it. False: it is no
 * such account any more.
 */
export async function removeSignUp(tx: Tx, accountId: Uuid, days: number): Promise<boolean> {
  for (const lock of LOCKS) await tx.query(lock, [accountId]);
  const still = await tx.query(
    `SELECT true FROM accounts.accounts a WHERE ${STALE} AND a.account_id = $2`,
    [days, accountId],
  );
  if (still.length === 0) return false;
  for (const table of GONE)
    await tx.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
  return true;
}
