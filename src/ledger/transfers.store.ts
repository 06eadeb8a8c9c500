/**
 * Money that comes from outside the hold cycle: top-ups and the operator's adjustments, each
 * counted once per reference.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export interface Credit {
  readonly accountId: Uuid;
  /** Above zero. */
  readonly amountNano: Nano;
  /** Names the payment. Unique over all accounts: the same reference never credits twice. */
  readonly reference: string;
  readonly kind: "topup";
  readonly note?: string;
}

export interface Adjustment {
  readonly accountId: Uuid;
  /** Positive gives, negative takes; not zero. */
  readonly amountNano: Nano;
  readonly reference: string;
  /** Why; shown beside the entry. */
  readonly note: string;
}

/**
 * The entry that a reference made before: compare account and amount to tell a repetition from a
 * mistake.
 */
export interface Duplicate {
  readonly kind: "duplicate";
  readonly entryId: Uuid;
  readonly accountId: Uuid;
  readonly amountNano: Nano;
}

export type CreditVerdict =
  | { readonly kind: "credited"; readonly entryId: Uuid }
  | Duplicate
  | { readonly kind: "unknown-account" };
export type AdjustVerdict =
  | { readonly kind: "adjusted"; readonly entryId: Uuid }
  | Duplicate
  | { readonly kind: "unknown-account" }
  /** Taking this much would touch charged or held money. */
  | { readonly kind: "insufficient-balance"; readonly availableNano: Nano };

/** Books a payment on an account, once per reference. */
export async function credit(tx: Queryable, request: Credit): Promise<CreditVerdict> {
  assert(request.amountNano > 0n, "a credit is above zero");
  const room = await lockAccount(tx, request.accountId);
  if (room === null) return { kind: "unknown-account" };
  const entryId = await book(tx, request, "topup");
  return entryId === null
    ? findDuplicate(tx, "topup", request.reference)
    : { kind: "credited", entryId };
}

/**
 * Books a correction by the operator, once per reference; what is charged or held cannot be taken
 * away.
 */
export async function adjust(tx: Queryable, request: Adjustment): Promise<AdjustVerdict> {
  assert(request.amountNano !== 0n, "an adjustment is not zero");
  const room = await lockAccount(tx, request.accountId);
  if (room === null) return { kind: "unknown-account" };
  if (-request.amountNano > room) {
    const earlier = await tx.run(DUPLICATE, ["adjust", request.reference]);
    if (earlier.length === 0) return { kind: "insufficient-balance", availableNano: room };
  }
  const entryId = await book(tx, request, "adjust");
  return entryId === null
    ? findDuplicate(tx, "adjust", request.reference)
    : { kind: "adjusted", entryId };
}

const LOCK_ACCOUNT = statement({
  text: "SELECT credited_nano - charged_nano - held_nano AS room FROM ledger.accounts WHERE account_id = $1 FOR NO KEY UPDATE",
  parameters: [sql.uuid],
  row: { room: sql.nano },
});

/** Locks the account's row and returns what is available; null when there is no such account. */
async function lockAccount(tx: Queryable, accountId: Uuid): Promise<Nano | null> {
  const [row] = await tx.run(LOCK_ACCOUNT, [accountId]);
  return row === undefined ? null : row.room;
}

const BOOK = statement({
  text: `
  WITH first AS (
    INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano) VALUES ($2, $5, $3, $1, $4)
    ON CONFLICT DO NOTHING RETURNING account_id),
  credited AS (
    UPDATE ledger.accounts a SET credited_nano = a.credited_nano + $4, entries = a.entries + 1, entered_at = greatest(a.entered_at, clock_timestamp())
    FROM first WHERE a.account_id = first.account_id
    RETURNING a.entries, a.entered_at, a.credited_nano - a.charged_nano AS balance_nano)
  INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, reference, note)
  SELECT $3, $1, c.entries, c.entered_at, $4, c.balance_nano, $2::ledger.entry_kind, $5, $6 FROM credited c
  RETURNING true AS done`,
  parameters: [sql.uuid, sql.text, sql.uuid, sql.int8, sql.text, sql.nullable(sql.text)],
  row: { done: sql.bool },
});

/** The new entry's id; null when the reference was used before. */
async function book(
  tx: Queryable,
  request: Credit | Adjustment,
  kind: "topup" | "adjust",
): Promise<Uuid | null> {
  const { accountId, amountNano, reference } = request;
  const entryId = newUuid();
  const booked = await tx.run(BOOK, [
    entryId,
    kind,
    accountId,
    amountNano,
    reference,
    request.note ?? null,
  ]);
  return booked.length === 1 ? entryId : null;
}

const DUPLICATE = statement({
  text: `
  SELECT entry_id AS "entryId", account_id AS "accountId", amount_nano AS "amountNano" FROM directory.transfers WHERE kind = $1 AND reference = $2`,
  parameters: [sql.text, sql.text],
  row: { entryId: sql.uuid, accountId: sql.uuid, amountNano: sql.nano },
});

async function findDuplicate(
  tx: Queryable,
  kind: "topup" | "adjust",
  reference: string,
): Promise<Duplicate> {
  const [row] = await tx.run(DUPLICATE, [kind, reference]);
  assert(row !== undefined, "a reference that conflicts belongs to a committed entry");
  return { kind: "duplicate", ...row };
}
