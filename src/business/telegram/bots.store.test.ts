/** Protects: one process reads a bot's updates, each is taken once, and a process that stops or dies leaves them to the next. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { leaseBot, releaseBot, takeUpdate } from "./bots.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

test("a lease is one process's until it is given back or over, and then the next one goes on behind what was taken", async () => {
  const { db } = database;
  const [one, two] = [newUuid(), newUuid()];
  assert.deepEqual(await leaseBot(db, 7n, one, 60), { nextUpdate: 0n, username: null });
  assert.equal(await leaseBot(db, 7n, two, 60), null);
  assert.ok((await leaseBot(db, 7n, one, 60)) !== null, "who has it keeps it");
  assert.equal(await takeUpdate(db, { botId: 7n, ownerId: one, updateId: 41n }), true);
  assert.equal(await takeUpdate(db, { botId: 7n, ownerId: one, updateId: 41n }), false, "once");
  await releaseBot(db, 7n, two);
  assert.equal(await leaseBot(db, 7n, two, 60), null, "nobody gives back what another has");
  await releaseBot(db, 7n, one);
  assert.equal((await leaseBot(db, 7n, two, 0))?.nextUpdate, 42n);
  assert.equal(
    await takeUpdate(db, { botId: 7n, ownerId: one, updateId: 42n }),
    false,
    "a process that slept through its lease takes nothing",
  );
  assert.equal((await leaseBot(db, 7n, one, 60))?.nextUpdate, 42n, "the lease of two was over");
  assert.equal((await leaseBot(db, 8n, two, 60))?.nextUpdate, 0n, "another bot is another");
});
