/** Removes accounts that were signed up for and never confirmed. */
import type { Db } from "../../db/database.ts";
import { removeSignUp, staleSignUps } from "./sweep-sign-ups.store.ts";

/**
 * A link works for a day, and a new one may be asked for; a week later no visitor is waiting for
 * it.
 */
const KEPT_DAYS = 7;
const AT_ONCE = 200;

/** Returns how many were removed. */
export async function sweepSignUps(db: Db): Promise<number> {
  let removed = 0;
  for (const accountId of await staleSignUps(db, KEPT_DAYS, AT_ONCE)) {
    if (await db.transaction((tx) => removeSignUp(tx, accountId, KEPT_DAYS))) removed += 1;
  }
  return removed;
}
