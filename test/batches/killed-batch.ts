/** What a batch came to, line by line, wherever its processes were killed: what every such test asks of it. */
import assert from "node:assert/strict";
import type { BatchRecord } from "../../src/batches/batch-record.ts";
import type { BatchEndpoint } from "../../src/contract/enums/batch-endpoint.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import type { Db } from "../../src/db/database.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { readLines, type BatchProcess } from "./batch-world.ts";
import { priceOf, type CountingUpstream } from "./scripted-answers.ts";

/** Each line is answered once and charged once, nothing is held, and the books agree. */
export async function assertEachOnce(
  db: Db,
  reader: BatchProcess,
  upstream: CountingUpstream,
  batch: BatchRecord,
  expected: {
    readonly good: readonly string[];
    readonly bad: readonly string[];
    readonly endpoint?: BatchEndpoint;
  },
): Promise<void> {
  const { accountId } = batch;
  const { good, bad, endpoint } = expected;
  assert.deepEqual(
    [batch.state, batch.total, batch.succeeded, batch.errored, batch.canceled, batch.expired],
    ["completed", good.length + bad.length, good.length, bad.length, 0, 0],
  );
  const output = await readLines(reader, accountId, batch.outputFileId);
  assert.deepEqual(
    output.map(({ custom_id: id }) => id),
    good,
  );
  const errors = await readLines(reader, accountId, batch.errorFileId);
  assert.deepEqual(
    errors.map(({ custom_id: id }) => id),
    bad,
  );
  const price = good.reduce((sum, prompt) => sum + (priceOf(prompt, endpoint) + 1n) / 2n, 0n);
  const entries = await db.query<{ charged: bigint; receipts: bigint; others: bigint }>(
    `SELECT coalesce(sum(amount_nano) FILTER (WHERE kind = 'charge'), 0)::bigint AS charged, count(*) FILTER (WHERE endpoint IS NOT NULL AND state = 'completed') AS receipts,
       count(*) FILTER (WHERE endpoint IS NULL AND kind <> 'topup') AS others
     FROM ledger.entries WHERE account_id = $1`,
    [accountId],
  );
  assert.deepEqual(entries, [{ charged: price, receipts: BigInt(good.length), others: 0n }]);
  const found = await balance(db, accountId);
  assert.deepEqual([found?.chargedNano, found?.heldNano], [price, 0n]);
  assert.deepEqual((await verifyLedger(db)).mismatches, []);
  for (const prompt of good) assert.ok((upstream.asked.get(prompt) ?? 0) >= 1, prompt);
  const left = await db.query<{ files: bigint; lines: bigint }>(
    `SELECT (SELECT count(*) FROM batches.lines WHERE account_id = $1) AS lines,
       (SELECT count(*) FROM files.files WHERE account_id = $1 AND state = 'stored') AS files`,
    [accountId],
  );
  assert.deepEqual(left, [{ lines: 0n, files: bad.length > 0 ? 3n : 2n }]);
}
