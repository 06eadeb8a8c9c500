/** Lends a command the database and closes it afterwards, whatever happens. */
import type { Db } from "../db/database.ts";
import type { CliDeps } from "./command.ts";

export async function withDb<T>(
  deps: Pick<CliDeps, "openDb">,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const db = await deps.openDb();
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
