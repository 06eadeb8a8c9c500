/**
 * What is summed of receipts by their figures is what their details say: the same sums with and
 * without them.
 */
import assert from "node:assert/strict";
import type { Db, Tx } from "../../src/db/database.ts";
import { ENDED_ENTRIES } from "../../src/business/panel/account/ended-entries.store.ts";

/** As processes of the version before figures wrote them. */
export async function forgetFigures(tx: Pick<Tx, "query">): Promise<void> {
  await tx.query(
    `UPDATE usage.requests SET input_tokens = NULL, cached_tokens = NULL, output_tokens = NULL, upstream = NULL, cost_nano = NULL, loss_nano = NULL`,
  );
}

class Undo extends Error {}

/** Of every receipt there is. */
export async function insistFiguresAgree(db: Pick<Db, "transaction">): Promise<void> {
  const undone = db.transaction(async (tx) => {
    const ended = `WITH part AS (SELECT * FROM ledger.entries) SELECT s.* FROM (${ENDED_ENTRIES}) s ORDER BY s::text`;
    const byFigures = await tx.query(ended);
    const [without] = await tx.query<{ count: bigint }>(
      "SELECT count(*) AS count FROM usage.requests WHERE loss_nano IS NULL",
    );
    assert.equal(without?.count, 0n, "every receipt has its figures");
    await forgetFigures(tx);
    assert.deepEqual(byFigures, await tx.query(ended));
    throw new Undo();
  });
  await undone.catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
}
