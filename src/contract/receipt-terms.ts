/**
 * What a fiscal receipt (54-FZ) says besides who pays and how much, in the codes of YooKassa
 * (https://yookassa.ru/developers/54fz/parameters-values).
 */

/** What is paid for. */
export const RECEIPT_SUBJECTS = [
  "commodity",
  "excise",
  "job",
  "service",
  "gambling_bet",
  "gambling_prize",
  "lottery",
  "lottery_prize",
  "intellectual_activity",
  "payment",
  "agent_commission",
  "property_right",
  "non_operating_gain",
  "composite",
  "another",
] as const;

/** How it is paid: before the service, with it, or after. */
export const RECEIPT_MODES = [
  "full_prepayment",
  "partial_prepayment",
  "advance",
  "full_payment",
  "partial_payment",
  "credit",
  "credit_payment",
] as const;

/** No VAT to 22/122; 11 and 12 are the rates since 2026. */
export const VAT_CODES = { least: 1, most: 12 };
export const TAX_SYSTEM_CODES = { least: 1, most: 6 };

/** An accountant's to say: nothing of it has a default here. */
export interface ReceiptTerms {
  readonly vatCode: number;
  /** Null: the shop has one tax system, and its till knows it. */
  readonly taxSystemCode: number | null;
  readonly subject: (typeof RECEIPT_SUBJECTS)[number];
  readonly mode: (typeof RECEIPT_MODES)[number];
}
