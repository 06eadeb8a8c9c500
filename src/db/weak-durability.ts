/**
 * Whether the server is set to lose what it acknowledged: nothing that a connection could change,
 * so the operator has to hear of it.
 */
import type { Queryable } from "./database.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

const SET_OFF = statement({
  text: "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name",
  row: { name: sql.present(sql.text) },
});

/** A line for the operator, or null when all is well. */
export async function weakDurability(db: Queryable): Promise<string | null> {
  const rows = await db.run(SET_OFF, []);
  if (rows.length === 0) return null;
  const settings = rows.map(({ name }) => `${name}=off`).join(" and ");
  return `DATABASE_URL: this PostgreSQL runs with ${settings}: a power cut may destroy balances and all else that it acknowledged. Set them on in its postgresql.conf and reload it.`;
}
