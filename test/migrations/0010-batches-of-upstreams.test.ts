/** Guarantee: lines that were there before it are worked off as they were; none of them is at an upstream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseLines } from "../../src/batches/lines.store.ts";
import { takePass } from "../../src/batches/passes.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("a line of before waits, is leased, and belongs to no pass; one without a pass cannot be passed", async () => {
  await using before = await databaseBefore(10);
  const { db } = before;
  const [accountId, batchId] = [newUuid(), newUuid()];
  await db.query(
    `INSERT INTO batches.batches (account_id, batch_id, key_id, shape, endpoint, state, input_file_id, input_name, client_ip, passed_on, total, price_version)
     VALUES ($1, $2, $2, 'openai', 'chat.completions', 'in_progress', $2, 'x.jsonl', '', '{"forward":{},"query":""}', 1, 1)`,
    [accountId, batchId],
  );
  await db.query(
    `INSERT INTO batches.lines (account_id, batch_id, line_no, custom_id, first_byte, bytes, quote_nano) VALUES ($1, $2, 1, 'a', 0, 1, 5)`,
    [accountId, batchId],
  );

  await before.apply();

  assert.equal(await takePass(db, newUuid(), 1_000), null);
  await assert.rejects(db.query("UPDATE batches.lines SET state = 'passed'"), {
    constraint: "passed",
  });
  const order = { leaseId: newUuid(), leaseMs: 60_000, limit: 10, notOf: [] };
  assert.deepEqual(
    (await leaseLines(db, order)).map(({ customId }) => customId),
    ["a"],
  );
});
