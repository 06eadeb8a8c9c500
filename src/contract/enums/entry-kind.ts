/** What an entry of an account's ledger is. */

/** Those that change what the account owns. */
export const MONEY_ENTRY_KINDS = ["topup", "charge", "adjust"] as const;

/** `release`: a hold given back whole. `loss`: what the operator bore. */
export const ENTRY_KINDS = [...MONEY_ENTRY_KINDS, "release", "loss"] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
