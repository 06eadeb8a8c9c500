/** All that a database holds, as text: for tests that look for what must not be in it. */
import type { Db } from "../../src/db/database.ts";

/** Every row of every table. */
export async function dumpDatabase(db: Db): Promise<string> {
  const tables = await db.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await db.query<{ all: string | null }>(
      `SELECT string_agg(t::text, E'\\n') AS all FROM ${name} t`,
    );
    parts.push(rows[0]?.all ?? "");
  }
  return parts.join("\n");
}
