/** Leases by the database's clock: who may call whose holds orphans. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exactHold, fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import { holdIn } from "./holds.store.ts";
import { beatOwner, findHold, forgetOwners, orphanedHolds, registerOwner } from "./owners.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

test("only a process whose own lease is alive finds orphans, and not those it passes over", async () => {
  const { db } = database;
  const accountId = await fundedAccount(db, 100n);
  const request = exactHold(accountId, 10n, {
    ownerId: newUuid(),
    reference: "request:x",
    detail: '{"a":1}',
    priceVersion: 4,
  });
  await holdIn(db, request);
  const sweeperId = newUuid();
  const search = (except: string[] = []) =>
    db.transaction((tx) => orphanedHolds(tx, { sweeperId, except, limit: 10 }));
  assert.deepEqual(await search(), [], "not registered");
  await registerOwner(db, sweeperId);
  const [orphan] = await search();
  assert.ok(orphan !== undefined);
  const { createdAt: _, ...found } = orphan;
  assert.deepEqual(found, {
    holdId: request.holdId,
    accountId,
    budgetId: null,
    heldNano: 10n,
    recordedNano: 0n,
    priceVersion: 4,
    reference: "request:x",
    detail: '{"a":1}',
  });
  assert.deepEqual(await search([request.holdId]), []);
  await db.query("UPDATE ledger.owners SET alive_until = clock_timestamp() WHERE owner_id = $1", [
    sweeperId,
  ]);
  assert.deepEqual(await search(), [], "run out");
});

test("a beat says whether the lease had been kept", async () => {
  const { db } = database;
  const ownerId = newUuid();
  assert.equal(await beatOwner(db, ownerId), "late", "there was none");
  assert.equal(await beatOwner(db, ownerId), "kept");
  await db.query(
    "UPDATE ledger.owners SET alive_until = clock_timestamp() - interval '1 ms' WHERE owner_id = $1",
    [ownerId],
  );
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

test("a hold is found while it is live", async () => {
  assert.equal(await findHold(database.db, newUuid()), null);
});
