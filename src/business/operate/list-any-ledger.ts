/**
 * The entries of any account's ledger, for operators: what its owner sees, and is asked about on
 * the phone.
 */
import { findAccount } from "../../accounts/store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Books } from "../past/books.ts";
import { listLedger, type LedgerRequest, type LedgerRows } from "../panel/account/list-ledger.ts";

/** Throws Fault("not_found"), and as listLedger. */
export async function listAnyLedger(
  books: Books,
  accountId: Uuid,
  request: LedgerRequest,
): Promise<LedgerRows> {
  if ((await findAccount(books, accountId)) === null) throw new Fault("not_found");
  return listLedger(books, accountId, request);
}
