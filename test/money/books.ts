/**
 * What the books say, read past the gateway: live holds, how holds ended, receipts, and an
 * account's totals.
 */
import type { Db } from "../../src/db/database.ts";
import { postAll } from "../../src/ledger/journals.store.ts";

export interface LiveHold {
  readonly id: string;
  readonly heldNano: bigint;
  readonly recordedNano: bigint;
}

/** Of requests and tasks; what leases hold besides is in no use. */
export async function liveHolds(db: Db): Promise<LiveHold[]> {
  await postAll(db);
  return db.query(
    `SELECT request_id AS id, held_nano AS "heldNano", recorded_nano AS "recordedNano" FROM ledger.unfinished
     UNION ALL SELECT h.hold_id, h.held_nano, 0 FROM ledger.holds h
       WHERE NOT shared AND NOT EXISTS (SELECT FROM ledger.unfinished u WHERE u.request_id = h.hold_id) ORDER BY 1`,
  );
}

export interface Ending {
  readonly id: string;
  readonly kind: "charge" | "release";
  readonly chargedNano: bigint;
  /** Of the receipt; null when there is none. */
  readonly state: string | null;
  readonly receiptNano: bigint | null;
  readonly recovered: boolean | null;
  readonly usageSource: string | null;
}

/** Every hold that has ended, with its receipt. */
export async function endings(db: Db, accountId?: string): Promise<Ending[]> {
  await postAll(db);
  return db.query(
    `SELECT e.entry_id AS id, e.kind, e.amount_nano AS "chargedNano", r.state, r.charged_nano AS "receiptNano",
       (r.detail->>'recovered')::boolean AS recovered, r.detail->>'usageSource' AS "usageSource"
     FROM ledger.entries e LEFT JOIN usage.requests r ON r.account_id = e.account_id AND r.request_id = e.entry_id
     WHERE e.kind IN ('charge', 'release') AND ($1::uuid IS NULL OR e.account_id = $1) ORDER BY e.entry_id`,
    [accountId ?? null],
  );
}

export interface Totals {
  readonly creditedNano: bigint;
  readonly chargedNano: bigint;
  readonly heldNano: bigint;
  readonly availableNano: bigint;
  /** The sum of the account's receipts. */
  readonly receiptsNano: bigint;
  /** The operator's loss on this account's requests. */
  readonly lossNano: bigint;
}

export async function totals(db: Db, accountId: string): Promise<Totals> {
  await postAll(db);
  const [row] = await db.query<Totals>(
    `SELECT credited_nano AS "creditedNano", charged_nano AS "chargedNano", ledger.in_use(account_id) AS "heldNano",
       credited_nano - charged_nano - ledger.in_use(account_id) AS "availableNano",
       (SELECT coalesce(sum(charged_nano), 0)::bigint FROM usage.requests WHERE account_id = $1) AS "receiptsNano",
       (SELECT coalesce(sum(amount_nano), 0)::bigint FROM ledger.entries WHERE account_id = $1 AND kind = 'loss') AS "lossNano"
     FROM ledger.accounts WHERE account_id = $1`,
    [accountId],
  );
  if (row === undefined) throw new Error(`there is no account ${accountId}`);
  return row;
}
