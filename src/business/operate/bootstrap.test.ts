/**
 * The first start makes its account once, however many start beside it: each of several servers on
 * one empty database serves.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { bootstrap } from "./bootstrap.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

test("servers that start at the same time on an empty database: one makes the account and the key, the others find it", async () => {
  const outcomes = await Promise.all([
    bootstrap(database.db),
    bootstrap(database.db),
    bootstrap(database.db),
  ]);
  const made = outcomes.flatMap((outcome) => ("first" in outcome ? [outcome.first] : []));
  const found = outcomes.flatMap((outcome) => ("later" in outcome ? [outcome.later] : []));
  assert.deepEqual([made.length, found.length], [1, 2]);
  for (const { accountId } of found) assert.equal(accountId, made[0]?.accountId);
  // Pages and mails in Russian show these names, too: they are names, not words of English.
  const names = await database.db.query<{ name: string }>(
    "SELECT name FROM accounts.accounts UNION ALL SELECT name FROM keys.keys",
  );
  assert.deepEqual(names.map(({ name }) => name).toSorted(), ["Tollgate", "key-1"]);
});
