/** Protects: every parked receipt is reported to the operator once, whichever process parked it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import type { Nano } from "../kernel/money.ts";
import { takeUnreported } from "./parked.store.ts";
import { countParked, parkReceipt } from "./receipts.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

test("of processes that ask at once each gets others, and all that are there are reported once", async () => {
  const { db } = database;
  for (let index = 0; index < 250; index++)
    await parkReceipt(db, { chargedNano: 1n as Nano, reason: `reason ${index}`, receipt: "r" });
  const taken = await Promise.all(Array.from({ length: 4 }, () => takeUnreported(db)));
  taken.push(await takeUnreported(db));
  taken.push(await takeUnreported(db));
  const ids = taken.flat().map(({ parkedId }) => parkedId);
  assert.deepEqual([ids.length, new Set(ids).size], [250, 250]);
  assert.ok(taken.flat().some(({ reason }) => reason === "reason 7"));
  assert.deepEqual(await takeUnreported(db), []);
  assert.equal(await countParked(db), 250, "they wait for the operator");
});
