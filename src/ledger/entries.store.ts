/** An account's entries, newest first, with the balance after each. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export type EntryKind = "topup" | "adjust" | "charge" | "release" | "loss";

export interface Entry {
  readonly entryId: Uuid;
  readonly kind: EntryKind;
  /** What it did to the balance: positive for money in, negative for a charge, 0 for releases and losses. */
  readonly changeNano: Nano;
  /** The account's balance (held money included) right after it. */
  readonly balanceAfterNano: Nano;
  /** What moved between the books; of a loss, what the operator bore. */
  readonly amountNano: Nano;
  /** Charges and releases: what had been held, and what of it went back. */
  readonly heldNano: Nano | null;
  readonly releasedNano: Nano | null;
  readonly budgetId: Uuid | null;
  readonly priceVersion: number | null;
  readonly at: Date;
  readonly reference: string;
  readonly note: string | null;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Pass it for the next page; null on the last one. */
  readonly nextCursor: string | null;
}

const LIST = `
  SELECT seq, entry_id AS "entryId", kind::text AS kind, amount_nano AS "amountNano", held_nano AS "heldNano", released_nano AS "releasedNano",
    budget_id AS "budgetId", price_version AS "priceVersion", at, reference, note,
    CASE account_id WHEN credit_id THEN amount_nano WHEN debit_id THEN -amount_nano ELSE 0 END AS "changeNano",
    (SELECT credited_nano - charged_nano FROM ledger.accounts WHERE account_id = $1) AS "balanceNano"
  FROM ledger.entries WHERE account_id = $1 AND seq < $2 AND (NOT $3::boolean OR kind IN ('topup', 'adjust', 'charge'))
  ORDER BY seq DESC LIMIT $4`;

const CURSOR = /^(\d{1,19})\.(-?\d{1,19})$/;
const END_OF_TIME = 9_223_372_036_854_775_807n;

/**
 * One page. The balance after the newest entry is the account's balance; every older one follows by undoing the entries above it,
 * and the cursor carries it from page to page, so a page costs what it shows, however old. `moneyOnly` leaves out releases and losses.
 * Returns null for a cursor that is not one of ours.
 */
export async function listEntries(
  q: Queryable,
  page: { readonly accountId: Uuid; readonly limit: number; readonly cursor: string | null; readonly moneyOnly: boolean },
): Promise<EntryPage | null> {
  const start = page.cursor === null ? null : CURSOR.exec(page.cursor);
  if (page.cursor !== null && start === null) return null;
  const before = start === null ? END_OF_TIME : BigInt(start[1] ?? "0");
  const rows = await q.query<Omit<Entry, "balanceAfterNano"> & { seq: bigint; balanceNano: Nano }>(LIST, [
    page.accountId,
    before > END_OF_TIME ? END_OF_TIME : before,
    page.moneyOnly,
    page.limit + 1,
  ]);
  let after = start === null ? (rows[0]?.balanceNano ?? 0n) : BigInt(start[2] ?? "0");
  let lastSeq = 0n;
  const entries = rows.slice(0, page.limit).map((row): Entry => {
    const { entryId, kind, changeNano, amountNano, heldNano, releasedNano, budgetId, priceVersion, at, reference, note } = row;
    const balanceAfterNano = after as Nano;
    after -= changeNano;
    lastSeq = row.seq;
    return { entryId, kind, changeNano, balanceAfterNano, amountNano, heldNano, releasedNano, budgetId, priceVersion, at, reference, note };
  });
  return { entries, nextCursor: rows.length > page.limit ? `${lastSeq}.${after}` : null };
}
