/**
 * Money that comes from outside the hold cycle: top-ups and the operator's adjustments, each
 * counted once per reference, and each of one class of credit.
 */
import { CREDIT_CLASSES, type CreditClass } from "../contract/enums/credit-class.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import { newUuid } from "../kernel/ids.ts";
import { type Nano, ZERO_NANO } from "../kernel/money.ts";
import { lockFreeCredit } from "./credit-classes.store.ts";

export interface Credit {
  readonly accountId: Uuid;
  /** Above zero. */
  readonly amountNano: Nano;
  /** Names the payment. Unique over all accounts: the same reference never credits twice. */
  readonly reference: string;
  readonly kind: "topup";
  /** Absent: paid. */
  readonly creditClass?: CreditClass;
  readonly note?: string;
}

export interface Adjustment {
  readonly accountId: Uuid;
  /** Positive gives, negative takes; not zero. */
  readonly amountNano: Nano;
  readonly reference: string;
  /** Whose credit it gives, or takes from. Absent: paid. */
  readonly creditClass?: CreditClass;
  /** Why; shown beside the entry. */
  readonly note: string;
}

/**
 * The entry that a reference made before: compare account, amount and class to tell a repetition
 * from a mistake.
 */
export interface Duplicate {
  readonly kind: "duplicate";
  readonly entryId: Uuid;
  readonly accountId: Uuid;
  readonly amountNano: Nano;
  readonly creditClass: CreditClass;
}

export type CreditVerdict =
  | { readonly kind: "credited"; readonly entryId: Uuid }
  | Duplicate
  | { readonly kind: "unknown-account" };
export type AdjustVerdict =
  | { readonly kind: "adjusted"; readonly entryId: Uuid }
  | Duplicate
  | { readonly kind: "unknown-account" }
  /** Taking this much would touch charged or held money, or credit of another class. */
  | { readonly kind: "insufficient-balance"; readonly availableNano: Nano };

/** Books a payment, or a gift, on an account, once per reference. */
export async function credit(tx: Queryable, request: Credit): Promise<CreditVerdict> {
  assert(request.amountNano > 0n, "a credit is above zero");
  if ((await lockFreeCredit(tx, request.accountId)) === null) return { kind: "unknown-account" };
  const entryId = await book(tx, request, "topup");
  return entryId === null
    ? findDuplicate(tx, "topup", request.reference)
    : { kind: "credited", entryId };
}

/**
 * Books a correction by the operator, once per reference; what is charged or held cannot be taken
 * away, nor what is left of another class.
 */
export async function adjust(tx: Queryable, request: Adjustment): Promise<AdjustVerdict> {
  assert(request.amountNano !== 0n, "an adjustment is not zero");
  const free = await lockFreeCredit(tx, request.accountId);
  if (free === null) return { kind: "unknown-account" };
  const room = free[request.creditClass ?? "paid"];
  if (request.amountNano < 0n && -request.amountNano > room) {
    const earlier = await tx.run(DUPLICATE, ["adjust", request.reference]);
    if (earlier.length === 0)
      return { kind: "insufficient-balance", availableNano: room > 0n ? room : ZERO_NANO };
  }
  const entryId = await book(tx, request, "adjust");
  return entryId === null
    ? findDuplicate(tx, "adjust", request.reference)
    : { kind: "adjusted", entryId };
}

// A gift is used up when what is charged has come to the mark before it, or stands beyond it, and then to as much more.
const BOOK = statement({
  text: `
  WITH numbered AS MATERIALIZED (
    SELECT a.account_id, a.entries + 1 AS entry_no FROM ledger.accounts a WHERE a.account_id = $3 FOR NO KEY UPDATE),
  first AS (
    INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano, class, entry_no)
    SELECT $2, $5, n.account_id, $1, $4, $7, n.entry_no FROM numbered n
    ON CONFLICT DO NOTHING RETURNING account_id),
  credited AS (
    UPDATE ledger.accounts a SET credited_nano = a.credited_nano + $4, entries = a.entries + 1, entered_at = greatest(a.entered_at, clock_timestamp()),
      trial_until_nano = CASE WHEN $7 = 'trial' THEN greatest(a.trial_until_nano, a.charged_nano) + $4 ELSE a.trial_until_nano END,
      bonus_until_nano = CASE WHEN $7 <> 'paid' THEN greatest(a.bonus_until_nano, a.charged_nano) + $4 ELSE a.bonus_until_nano END
    FROM first WHERE a.account_id = first.account_id
    RETURNING a.entries, a.entered_at, a.credited_nano - a.charged_nano AS balance_nano)
  INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, class, reference, note)
  SELECT $3, $1, c.entries, c.entered_at, $4, c.balance_nano, $2::ledger.entry_kind, $7::ledger.credit_class, $5, $6 FROM credited c
  RETURNING true AS done`,
  parameters: [sql.uuid, sql.text, sql.uuid, sql.int8, sql.text, sql.nullable(sql.text), sql.text],
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
    request.creditClass ?? "paid",
  ]);
  return booked.length === 1 ? entryId : null;
}

const DUPLICATE = statement({
  text: `
  SELECT entry_id AS "entryId", account_id AS "accountId", amount_nano AS "amountNano", class AS "creditClass"
  FROM directory.transfers WHERE kind = $1 AND reference = $2`,
  parameters: [sql.text, sql.text],
  row: {
    entryId: sql.uuid,
    accountId: sql.uuid,
    amountNano: sql.nano,
    creditClass: sql.oneOf(CREDIT_CLASSES),
  },
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
