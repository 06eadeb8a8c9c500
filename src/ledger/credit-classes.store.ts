/**
 * What is left of each class of an account's credit. Two marks say it: until `charged_nano` comes to
 * the one, the trial pays, and until it comes to the other, what was given at all.
 */
import type { CreditClass } from "../contract/enums/credit-class.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export type CreditByClass = { readonly [Class in CreditClass]: Nano };

const CLASS_ROW = { paid: sql.nano, trial: sql.nano, bonus: sql.nano };

const LEFT = statement({
  text: `
  SELECT credited_nano - greatest(charged_nano, bonus_until_nano) AS paid, greatest(trial_until_nano - charged_nano, 0) AS trial,
    greatest(bonus_until_nano - greatest(charged_nano, trial_until_nano), 0) AS bonus
  FROM ledger.accounts WHERE account_id = $1`,
  parameters: [sql.uuid],
  row: CLASS_ROW,
});

/** With what is held. The three are the balance; null: there is no such account. */
export async function creditByClass(q: Queryable, accountId: Uuid): Promise<CreditByClass | null> {
  const [row] = await q.run(LEFT, [accountId]);
  return row ?? null;
}

// As above, once all that is held is charged.
const LOCK_FREE = statement({
  text: `
  SELECT credited_nano - greatest(charged_nano + held_nano, bonus_until_nano) AS paid,
    greatest(trial_until_nano - charged_nano - held_nano, 0) AS trial,
    greatest(bonus_until_nano - greatest(charged_nano + held_nano, trial_until_nano), 0) AS bonus
  FROM ledger.accounts WHERE account_id = $1 FOR NO KEY UPDATE`,
  parameters: [sql.uuid],
  row: CLASS_ROW,
});

/**
 * Locks the account's row. What can be taken of each class: held money counts as spent, in the order
 * of use. Null: there is no such account.
 */
export async function lockFreeCredit(
  tx: Queryable,
  accountId: Uuid,
): Promise<CreditByClass | null> {
  const [row] = await tx.run(LOCK_FREE, [accountId]);
  return row ?? null;
}
