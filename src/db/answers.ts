/** Whether the database answers at all, within a limit: what readiness asks. */
import type { Db } from "./database.ts";

/** Never throws. */
export async function answers(db: Pick<Db, "query">, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([late, db.query("SELECT 1").then(() => true)]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
