/**
 * What operators decided about the installation (schema `installation`): append-only versions, of
 * which the newest is in force.
 */
import type { Settings } from "../../contract/panel/operator-settings.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface SettingsVersion {
  readonly version: number;
  /** Parts that came later than it are not in it. */
  readonly settings: Partial<Settings>;
  readonly changedBy: string;
  readonly changedAt: Date;
}

const VERSION_ROW = {
  version: sql.int4,
  settings: sql.jsonb.as<Partial<Settings>>(),
  changedBy: sql.text,
  changedAt: sql.timestamptz,
};
const COLUMNS = `version, settings, changed_by AS "changedBy", changed_at AS "changedAt"`;

const NEWEST = statement({
  text: `SELECT ${COLUMNS} FROM installation.settings ORDER BY version DESC LIMIT 1`,
  row: VERSION_ROW,
});

/** Null: nothing was ever changed. */
export async function newestSettings(q: Queryable): Promise<SettingsVersion | null> {
  const [row] = await q.run(NEWEST, []);
  return row ?? null;
}

const LOCK = statement({
  text: "SELECT pg_advisory_xact_lock(hashtext('tollgate settings'))",
  row: { pg_advisory_xact_lock: sql.void },
});

/** Makes writers wait for each other until the transaction ends; readers go on. */
export async function lockSettings(tx: Queryable): Promise<void> {
  await tx.run(LOCK, []);
}

const APPEND = statement({
  text: `INSERT INTO installation.settings (version, settings, changed_by)
     SELECT coalesce(max(version), 0) + 1, $1, $2 FROM installation.settings RETURNING ${COLUMNS}`,
  parameters: [sql.jsonb.as<Settings>(), sql.text],
  row: VERSION_ROW,
});

/** In force when the transaction commits. To be called behind `lockSettings`. */
export async function appendSettings(
  tx: Queryable,
  settings: Settings,
  changedBy: string,
): Promise<SettingsVersion> {
  const [row] = await tx.run(APPEND, [JSON.stringify(settings), changedBy]);
  if (row === undefined) throw new Error("the insert returned no version");
  return row;
}
