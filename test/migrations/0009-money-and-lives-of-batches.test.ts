/** Guarantee: what a batch cost that began before it is not claimed to be known; its results live as long as other files, as they did. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findBatch } from "../../src/batches/batches.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("a batch of before has no sum and no life of its own for its results; a new one begins at nothing, and a wrong life cannot be written", async () => {
  await using before = await databaseBefore(9);
  const { db } = before;
  const accountId = newUuid();
  const insert = async () => {
    const batchId = newUuid();
    await db.query(
      `INSERT INTO batches.batches (account_id, batch_id, key_id, shape, endpoint, input_file_id, input_name, client_ip, passed_on)
       VALUES ($1, $2, $2, 'openai', 'chat.completions', $2, 'x.jsonl', '', '{"forward":{},"query":""}')`,
      [accountId, batchId],
    );
    return batchId;
  };
  const old = await insert();

  await before.apply();

  const figures = async (batchId: string) => {
    const batch = await findBatch(db, { accountId, batchId }, "openai");
    return [batch?.quotedNano, batch?.chargedNano, batch?.outputSeconds];
  };
  assert.deepEqual(await figures(old), [null, null, null]);
  assert.deepEqual(await figures(await insert()), [null, 0n, null]);
  const write = (seconds: number) =>
    db.query("UPDATE batches.batches SET output_seconds = $1", [seconds]);
  await write(3_600);
  await assert.rejects(write(3_599), { constraint: "output_lives" });
});
