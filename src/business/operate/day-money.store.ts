/** What came in and who came in a stretch of time: top-ups, gifts, new accounts. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { assert } from "../../kernel/assert.ts";
import type { Nano } from "../../kernel/money.ts";

export interface MoneyIn {
  /** What was refunded of it is not in it. */
  readonly paidNano: Nano;
  readonly refundedNano: Nano;
  readonly paidCount: bigint;
  /** Trials and bonuses. */
  readonly givenNano: Nano;
  readonly newAccounts: bigint;
}

// Ids are in the order of time: those of entries and accounts are looked for by it.
const CAME_IN = statement({
  text: `
  SELECT coalesce(sum(t.amount_nano - back.nano) FILTER (WHERE t.class = 'paid'), 0)::bigint AS "paidNano",
    coalesce(sum(back.nano) FILTER (WHERE t.class = 'paid'), 0)::bigint AS "refundedNano", count(*) FILTER (WHERE t.class = 'paid') AS "paidCount",
    coalesce(sum(t.amount_nano) FILTER (WHERE t.class <> 'paid'), 0)::bigint AS "givenNano",
    (SELECT count(*) FROM accounts.accounts a WHERE a.account_id >= ledger.first_id($1) AND a.account_id < ledger.first_id($2)) AS "newAccounts"
  FROM directory.transfers t
  LEFT JOIN payments.payments p ON p.account_id = t.account_id AND p.entry_id = t.entry_id
  CROSS JOIN LATERAL (SELECT least(coalesce(p.refunded_nano, 0), t.amount_nano) AS nano) back
  WHERE t.kind = 'topup' AND t.entry_id >= ledger.first_id($1) AND t.entry_id < ledger.first_id($2)`,
  parameters: [sql.timestamptz, sql.timestamptz],
  row: {
    paidNano: sql.nano,
    refundedNano: sql.nano,
    paidCount: sql.int8,
    givenNano: sql.nano,
    newAccounts: sql.int8,
  },
});

export async function moneyIn(
  q: Queryable,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<MoneyIn> {
  const [row] = await q.run(CAME_IN, [from, to]);
  assert(row !== undefined, "sums are one row");
  return row;
}
