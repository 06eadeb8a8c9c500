/**
 * What keys are called by their owners, deleted ones too: for lists of what was made through them.
 */
import { uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface KeyLabel {
  readonly hash: string;
  readonly mask: string;
  readonly name: string;
  readonly deleted: boolean;
}

const FIND_KEY_LABELS = statement({
  text: `SELECT key_id AS "keyId", hash, mask, name, deleted_at IS NOT NULL AS deleted FROM keys.keys WHERE key_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: { keyId: sql.uuid, hash: sql.text, mask: sql.text, name: sql.text, deleted: sql.bool },
});

/** By key id; unknown ids are missing. */
export async function findKeyLabels(
  q: Queryable,
  keyIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, KeyLabel>> {
  const wanted = [...new Set(keyIds)];
  if (wanted.length === 0) return new Map();
  const rows = await q.run(FIND_KEY_LABELS, [uuidArray(wanted, (keyId) => keyId)]);
  return new Map(rows.map(({ keyId, ...label }) => [keyId, label]));
}
