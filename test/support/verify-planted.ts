/** What `tollgate ledger verify` says of damage that a test plants, and undoes again. */
import assert from "node:assert/strict";
import type { Db, Tx } from "../../src/db/database.ts";
import { verify, type Verification } from "../../src/ledger/verify.store.ts";
import { queryableThrough } from "./queryable-through.ts";

class Undo extends Error {}

/** The damage is uncommitted, so it is looked for inside the transaction that planted it. */
export async function verifyPlanted(
  db: Db,
  plant: (tx: Tx) => Promise<unknown>,
): Promise<Verification["mismatches"]> {
  let found: Verification | undefined;
  const planted = db.transaction(async (tx) => {
    await plant(tx);
    const inside = queryableThrough(async (text, parameters) =>
      text.startsWith("SET TRANSACTION") ? [] : tx.query(text, parameters),
    );
    found = await verify(inside);
    throw new Undo();
  });
  await assert.rejects(planted, Undo);
  return found?.mismatches ?? [];
}
