/** How lists name keys, deleted ones too. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface KeyName {
  readonly hash: string;
  readonly mask: string;
  readonly name: string;
}

const FIND_KEY_NAMES = statement({
  text: `SELECT key_id AS "keyId", hash, mask, name FROM keys.keys WHERE key_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: { keyId: sql.uuid, hash: sql.text, mask: sql.text, name: sql.text },
});

/** By key id; unknown ids are missing. */
export async function findKeyNames(
  q: Queryable,
  keyIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, KeyName>> {
  const wanted = [...new Set(keyIds)];
  if (wanted.length === 0) return new Map();
  const rows = await q.run(FIND_KEY_NAMES, [wanted]);
  return new Map(rows.map(({ keyId, ...name }) => [keyId, name]));
}
