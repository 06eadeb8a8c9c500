/**
 * What a journal leaves behind: it is not closed before what it says is posted, and a lease leaves
 * no row that a recall would wait for.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  createPageWriter,
  ended,
  holdRows,
  leased,
  noted,
  rowTotals,
} from "../../../test/ledger/journal-world.ts";
import { exactHold, fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { CLOSE_JOURNAL, POST_JOURNAL, postAll } from "../../ledger/journals.store.ts";
import { verify } from "../../ledger/verify.store.ts";
import { createSettlePipeline } from "./settle-pipeline.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const nanos = (value: bigint): Nano => value as Nano;

test("closed with pages unposted, it posts them first, and stays while a request is unfinished", async () => {
  const accountId = await fundedAccount(database.db, 10_000n);
  const { writer, request } = await leased(database.db, accountId, 300n);
  const [over, on] = [request(100n), request(100n)];
  await writer.write(ended(over, 40n), noted(on, 10n));
  await database.db.run(CLOSE_JOURNAL, [writer.journalId]);
  const credited = 10_000n;
  assert.deepEqual(await rowTotals(database.db, accountId), { credited, charged: 40n, held: 260n });
  await writer.write(ended(on, 11n, { noted: true }));
  await database.db.run(CLOSE_JOURNAL, [writer.journalId]);
  assert.deepEqual(await rowTotals(database.db, accountId), { credited, charged: 51n, held: 0n });
  assert.equal(await createPageWriter(database.db, writer.journalId).write(ended(over, 1n)), false);
});

test("closed while another one posts it, it waits: nothing is charged to holds that are gone", async () => {
  const accountId = await fundedAccount(database.db, 10_000n);
  const { writer, request } = await leased(database.db, accountId, 300n);
  await writer.write(ended(request(100n), 40n));
  let closing: Promise<unknown> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.run(POST_JOURNAL, [writer.journalId, 0, true]); // has the poster's place
    const [busy] = await database.db.run(POST_JOURNAL, [writer.journalId, 128, false]);
    assert.deepEqual(busy, { more: null }, "another poster hears that it did nothing");
    closing = database.db.run(CLOSE_JOURNAL, [writer.journalId]);
    await until("it waits", async () => {
      const waiting = await database.db.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%close_journal%'",
      );
      return waiting.length > 0;
    });
  });
  await closing;
  const { charged, held } = await rowTotals(database.db, accountId);
  assert.deepEqual([charged, held], [40n, 0n]);
});

test("a lease that was charged to the last nano leaves no row for recalls to wait for", async () => {
  const accountId = await fundedAccount(database.db, 800n);
  const pipeline = createSettlePipeline({
    url: database.url,
    db: database.db,
    ownerId: newUuid(),
    applicationName: "charged whole",
    onError: (error) => assert.fail(String(error)),
  });
  const requests = Array.from({ length: 4 }, () => exactHold(accountId, 10n));
  for (const request of requests) assert.equal((await pipeline.hold(request)).kind, "held");
  for (const { holdId } of requests)
    await pipeline.settle({
      accountId,
      holdId,
      chargeNano: nanos(10n),
      lossNano: nanos(0n),
      receipt: null,
    });
  pipeline.recall(accountId);
  await until(
    "the lease is over",
    async () => {
      await postAll(database.db);
      return (await holdRows(database.db, accountId)).length === 0;
    },
    3_000,
  );
  await pipeline.close();
  assert.equal((await rowTotals(database.db, accountId)).charged, 40n);
});
