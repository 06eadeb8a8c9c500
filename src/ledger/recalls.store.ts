/** Asks processes for their leases of an account, and sees whether any is out. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

/** NOTIFY's payload is the account. */
export const RECALL_CHANNEL = "tollgate_recalls";

const ASK = statement({
  text: `SELECT pg_notify('${RECALL_CHANNEL}', $1::text)`,
  parameters: [sql.text],
  row: { pg_notify: sql.void },
});

// A process whose journal was not renewed for so long admits nothing by its leases any more.
const OUT = statement({
  text: `SELECT EXISTS (SELECT FROM ledger.holds h JOIN ledger.journals j USING (journal_id)
  WHERE h.account_id = $1 AND h.shared AND NOT h.recalled AND NOT j.fenced AND ledger.is_alive(j.alive_until)) AS out`,
  parameters: [sql.uuid],
  row: { out: sql.bool },
});

/** Every process that listens gives back what its leases of this account do not use. */
export async function askForRecall(q: Queryable, accountId: Uuid): Promise<void> {
  await q.run(ASK, [accountId]);
}

/** Whether a living process may admit something by a lease of this account. */
export async function hasLeaseOut(q: Queryable, accountId: Uuid): Promise<boolean> {
  const [row] = await q.run(OUT, [accountId]);
  return row?.out === true;
}
