/** Recomputes the whole ledger from its entries, in one snapshot, beside live traffic. */
import type { Db } from "../../db/database.ts";
import { postAll } from "../../ledger/journals.store.ts";
import type { Verification } from "../../ledger/verify.store.ts";
import { verify } from "../../ledger/verify.store.ts";
import { findMisplacedTables } from "./misplaced-tables.ts";

export async function verifyLedger(db: Db): Promise<Verification> {
  // What cannot be posted is named below, once it has waited for long.
  await postAll(db).catch(() => undefined);
  const { checked, mismatches } = await db.transaction(verify);
  return { checked, mismatches: [...mismatches, ...(await findMisplacedTables(db))] };
}
