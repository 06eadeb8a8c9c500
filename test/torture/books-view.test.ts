/** Guarantee: the audit begins when the last request has ended in the books, and not before. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BEAT_JOURNAL, postAll } from "../../src/ledger/journals.store.ts";
import { ended, leased, noted } from "../ledger/journal-world.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { countSilent, readOpenMoney, readTime } from "./books-view.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

test("what a process has noted is unsettled until its end is posted", async () => {
  const { db } = database;
  const accountId = await fundedAccount(db, 1_000_000n);
  const { writer, request } = await leased(db, accountId, 1_000n);
  const asked = request(500n);
  // A lease of a process that is believed to be alive counts as ahead, whatever it is used for.
  assert.deepEqual(await open(), { heldNano: 0n, unsettled: 0 });
  await writer.write(noted(asked, 100n));
  assert.deepEqual(await open(), { heldNano: 0n, unsettled: 1 });
  await postAll(db);
  assert.deepEqual(await open(), { heldNano: 0n, unsettled: 1 });
  await writer.write(ended(asked, 100n, { noted: true }));
  assert.deepEqual(await open(), { heldNano: 0n, unsettled: 2 });
  await postAll(db);
  assert.deepEqual(await open(), { heldNano: 0n, unsettled: 0 });

  async function open() {
    const { heldNano, unsettled } = await readOpenMoney(db);
    return { heldNano, unsettled };
  }
});

test("a process that has money ahead is silent until it is heard of again", async () => {
  const { db } = database;
  await leased(db, await fundedAccount(db, 1_000_000n), 1_000n);
  const since = await readTime(db);
  const journals = await db.query<{ id: string }>("SELECT journal_id AS id FROM ledger.journals");
  assert.equal(await countSilent(db, since), journals.length);
  for (const { id } of journals) await db.run(BEAT_JOURNAL, [id]);
  assert.equal(await countSilent(db, since), 0);
});
