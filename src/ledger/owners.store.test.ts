/** Life by the database's clock: who may call whom dead. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openJournal } from "../../test/ledger/journal-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { deadJournals, retireJournals } from "./journals.store.ts";
import {
  beatOwner,
  forgetOwners,
  isOwnerDead,
  registerOwner,
  retireOwner,
} from "./owners.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

async function runOut(ownerId: Uuid): Promise<void> {
  await database.db.query(
    "UPDATE ledger.owners SET alive_until = clock_timestamp() - interval '1 ms' WHERE owner_id = $1",
    [ownerId],
  );
}

test("only a process whose own lease is alive judges others: their journals, and themselves", async () => {
  const { db } = database;
  const [judgeId, deadId, livingId] = [newUuid(), newUuid(), newUuid()];
  const [dead, fenced] = [await openJournal(db, deadId), await openJournal(db, deadId)];
  await openJournal(db, livingId);
  await registerOwner(db, deadId);
  await registerOwner(db, livingId);
  const judged = async () => ({
    journals: await deadJournals(db, judgeId),
    processes: [await isOwnerDead(db, judgeId, deadId), await isOwnerDead(db, judgeId, livingId)],
  });
  const nobody = { journals: [], processes: [false, false] };
  await registerOwner(db, judgeId);
  assert.deepEqual(await judged(), nobody, "all are alive");
  await runOut(deadId);
  await db.query(
    "UPDATE ledger.journals SET alive_until = clock_timestamp(), fenced = journal_id = $2 WHERE owner_id = $1",
    [deadId, fenced],
  );
  const both = [dead, fenced].toSorted();
  assert.deepEqual(await judged(), { journals: both, processes: [true, false] });
  await runOut(judgeId);
  assert.deepEqual(await judged(), nobody, "the judge's own lease has run out");
  await retireOwner(db, judgeId);
  assert.deepEqual(await judged(), nobody, "the judge is not registered");
  await registerOwner(db, judgeId);
  await retireJournals(db, livingId);
  assert.equal((await judged()).journals.length, 3, "one that ended is not waited for");
});

test("a beat says whether the lease had been kept", async () => {
  const { db } = database;
  const ownerId = newUuid();
  assert.equal(await beatOwner(db, ownerId), "late", "there was none");
  assert.equal(await beatOwner(db, ownerId), "kept");
  await runOut(ownerId);
  assert.equal(await beatOwner(db, ownerId), "late");
  assert.equal(await beatOwner(db, ownerId), "kept");
});

test("leases that ran out long ago are forgotten, others are not", async () => {
  const { db } = database;
  const [old, fresh] = [newUuid(), newUuid()];
  await registerOwner(db, old);
  await registerOwner(db, fresh);
  await db.query(
    "UPDATE ledger.owners SET alive_until = clock_timestamp() - interval '2 hours' WHERE owner_id = $1",
    [old],
  );
  await forgetOwners(db);
  const left = await db.query<{ owner_id: string }>(
    "SELECT owner_id FROM ledger.owners WHERE owner_id = ANY ($1::uuid[])",
    [[old, fresh]],
  );
  assert.deepEqual(left, [{ owner_id: fresh }]);
});
