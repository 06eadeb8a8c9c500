/** Whether the database answers and takes writes, within a limit: what readiness asks. */
import type { Db } from "./database.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

/** Fails on a server that takes no writes, so that the connection is not used again. */
const TAKES_WRITES = statement({
  text: "SELECT 1 / (NOT current_setting('transaction_read_only')::boolean)::integer AS writes",
  row: { writes: sql.int4 },
});

/** Never throws. */
export async function answers(db: Pick<Db, "run">, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([late, db.run(TAKES_WRITES, []).then(() => true)]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
