/**
 * Groups of budgets: a budget may lie in another one, its group, in which all is held and charged
 * that is held and charged in it.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

const GROUP_OF = statement({
  text: `SELECT group_id AS "groupId" FROM ledger.budgets WHERE account_id = $1 AND budget_id = $2`,
  parameters: [sql.uuid, sql.nullable(sql.uuid)],
  row: { groupId: sql.nullable(sql.uuid) },
});

/** Null: in none, or there is no such budget. */
export async function groupOf(
  q: Queryable,
  { accountId, budgetId }: { readonly accountId: Uuid; readonly budgetId: Uuid | null },
): Promise<Uuid | null> {
  const [row] = await q.run(GROUP_OF, [accountId, budgetId]);
  return row?.groupId ?? null;
}

const PLACE = statement({
  text: `UPDATE ledger.budgets b SET group_id = $3 WHERE b.account_id = $1 AND b.budget_id = $2
    AND ($3::uuid IS NULL OR EXISTS (SELECT FROM ledger.budgets g WHERE g.account_id = $1 AND g.budget_id = $3 AND g.group_id IS NULL))
  RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.uuid)],
  row: { done: sql.bool },
});

/**
 * From the moment of commit on, all that begins in the budget is held in the group, too; null: in
 * none. What was admitted stays where it stands. Groups lie in no groups.
 */
export async function placeBudget(
  tx: Queryable,
  place: { readonly accountId: Uuid; readonly budgetId: Uuid; readonly groupId: Uuid | null },
): Promise<"placed" | "unknown-budget"> {
  const rows = await tx.run(PLACE, [place.accountId, place.budgetId, place.groupId]);
  return rows.length === 1 ? "placed" : "unknown-budget";
}

const EMPTY = statement({
  text: `WITH locked AS (SELECT budget_id FROM ledger.budgets WHERE account_id = $1 AND (group_id = $2 OR budget_id = $2)
      ORDER BY budget_id FOR NO KEY UPDATE)
    UPDATE ledger.budgets b SET group_id = NULL, closed = b.closed OR b.budget_id = $2 FROM locked l
    WHERE b.account_id = $1 AND b.budget_id = l.budget_id`,
  parameters: [sql.uuid, sql.uuid],
});

/** Closed, and no budget lies in it any more; in the order in which all locks are taken. */
export async function closeGroup(tx: Queryable, accountId: Uuid, groupId: Uuid): Promise<void> {
  await tx.run(EMPTY, [accountId, groupId]);
}
