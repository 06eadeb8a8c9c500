/** Recomputes the whole ledger from its entries, in one snapshot, beside live traffic. */
import type { Db } from "../../db/database.ts";
import type { Verification } from "../../ledger/verify.store.ts";
import { verify } from "../../ledger/verify.store.ts";

export function verifyLedger(db: Db): Promise<Verification> {
  return db.transaction(verify);
}
