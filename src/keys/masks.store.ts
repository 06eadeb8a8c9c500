/** The masks of stored keys, deleted ones too: how receipts name the key that paid. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

const FIND_KEY_MASKS = statement({
  text: `SELECT key_id AS "keyId", mask FROM keys.keys WHERE key_id = ANY($1)`,
  parameters: [sql.array(sql.uuid)],
  row: { keyId: sql.uuid, mask: sql.text },
});

/** By key id; unknown ids are missing. */
export async function findKeyMasks(
  q: Queryable,
  keyIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const wanted = [...new Set(keyIds)];
  if (wanted.length === 0) return new Map();
  const rows = await q.run(FIND_KEY_MASKS, [wanted]);
  return new Map(rows.map(({ keyId, mask }) => [keyId, mask]));
}
