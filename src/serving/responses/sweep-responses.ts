/** Removes kept answers whose time is over, a bounded number at a time. */
import type { Db } from "../../db/database.ts";
import { deleteExpiredResponses } from "../../responses/sweep.store.ts";

/** They may be large. */
const BATCH = 100;
const BATCHES = 40;

/** Every process may run it at any time. Returns how many went. */
export async function sweepResponses(db: Db): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const count = await db.transaction((tx) => deleteExpiredResponses(tx, BATCH));
    removed += count;
    if (count < BATCH) break;
  }
  return removed;
}
