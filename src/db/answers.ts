/** Whether the database answers and takes writes, within a limit: what readiness asks. */
import type { Db } from "./database.ts";

/** Fails on a server that takes no writes, so that the connection is not used again. */
const TAKES_WRITES = "SELECT 1 / (NOT current_setting('transaction_read_only')::boolean)::integer";

/** Never throws. */
export async function answers(db: Pick<Db, "query">, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([late, db.query(TAKES_WRITES).then(() => true)]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
