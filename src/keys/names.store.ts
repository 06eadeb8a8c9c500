/** How lists name keys, deleted ones too. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface KeyName {
  readonly hash: string;
  readonly mask: string;
  readonly name: string;
}

/** By key id; unknown ids are missing. */
export async function findKeyNames(
  q: Pick<Queryable, "query">,
  keyIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, KeyName>> {
  const wanted = [...new Set(keyIds)];
  if (wanted.length === 0) return new Map();
  const rows = await q.query<KeyName & { keyId: Uuid }>(
    `SELECT key_id AS "keyId", hash, mask, name FROM keys.keys WHERE key_id = ANY ($1::uuid[])`,
    [wanted],
  );
  return new Map(rows.map(({ keyId, ...name }) => [keyId, name]));
}
