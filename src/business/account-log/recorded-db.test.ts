/**
 * Guarantee: a command of a member and its line in the log are committed together or not at all, and
 * each command has one line, however often it was tried and whatever is asked for after it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { listActs, type Act, type Actor } from "./account-actions.store.ts";
import { recordedDb } from "./recorded-db.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

const actor = (): Actor => ({
  accountId: newUuid(),
  memberId: newUuid(),
  email: "who@example.test",
});
const act: Act = {
  action: "key.freeze",
  subjectId: "a".repeat(64),
  subject: "shop",
  before: { frozen: false },
  after: { frozen: true },
};
const lines = async ({ accountId }: Actor): Promise<readonly Act[]> =>
  listActs(database.db, {
    accountId,
    memberId: null,
    action: null,
    from: null,
    to: null,
    before: null,
    limit: 10,
  });

test("a command leaves one line, and what follows it none", async () => {
  const who = actor();
  const db = recordedDb(database.db, who, { look: async () => 1, tell: async () => act });
  assert.equal(await db.transaction(async () => "done"), "done");
  await db.transaction(async () => "leases are called back");
  const [line, ...others] = await lines(who);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [line?.action, line?.subject, line?.before, line?.after],
    ["key.freeze", "shop", { frozen: false }, { frozen: true }],
  );
});

test("what fails leaves none, and the next try its own", async () => {
  const who = actor();
  const db = recordedDb(database.db, who, { look: async () => 1, tell: async () => act });
  await assert.rejects(
    db.transaction(async () => {
      throw new Error("leased");
    }),
  );
  assert.deepEqual(await lines(who), []);
  await db.transaction(async () => undefined);
  assert.equal((await lines(who)).length, 1);
});

test("a line that cannot be written takes the command with it", async () => {
  const who = actor();
  const tell = async (): Promise<Act> => ({ ...act, subject: "x".repeat(301) });
  const db = recordedDb(database.db, who, { look: async () => 1, tell });
  await assert.rejects(
    db.transaction((tx) =>
      tx.query("INSERT INTO accounts.accounts (account_id, name) VALUES ($1, 'x')", [
        who.accountId,
      ]),
    ),
  );
  assert.deepEqual(
    await database.db.query("SELECT 1 FROM accounts.accounts WHERE account_id = $1", [
      who.accountId,
    ]),
    [],
  );
});

test("a transaction that changed nothing is not the command", async () => {
  const who = actor();
  const acts: (Act | null)[] = [null, act];
  const db = recordedDb(database.db, who, {
    look: async () => 1,
    tell: async () => acts.shift() ?? null,
  });
  for (let each = 0; each < 3; each++) await db.transaction(async () => each);
  assert.equal((await lines(who)).length, 1);
});
