/**
 * Protects the audit log: a row comes with its transaction or not at all, stays as it is, and is
 * found by what it is about.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { listActions, recordAction, type ActionSearch, type NewAction } from "./audit.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

function action(about: Partial<NewAction> = {}): NewAction {
  return {
    memberId: newUuid(),
    actor: "op@example.test",
    action: "account.block",
    accountId: newUuid(),
    subject: null,
    reason: "why",
    before: null,
    after: { blocked: true },
    ...about,
  };
}

function search(about: Partial<ActionSearch>): ActionSearch {
  return {
    accountId: null,
    memberId: null,
    action: null,
    from: null,
    to: null,
    before: null,
    limit: 10,
    ...about,
  };
}

test("an action that is rolled back leaves no row", async () => {
  const { db } = database;
  const reported = action();
  await assert.rejects(
    db.transaction(async (tx) => {
      await recordAction(tx, reported);
      throw new Error("it did not come to be");
    }),
  );
  assert.deepEqual(await listActions(db, search({ accountId: reported.accountId })), []);
});

test("rows cannot be changed, removed or emptied", async () => {
  const { db } = database;
  await recordAction(db, action());
  for (const statement of [
    "UPDATE audit.actions SET actor = 'x'",
    "DELETE FROM audit.actions",
    "TRUNCATE audit.actions",
  ]) {
    await assert.rejects(db.query(statement), /append-only|permission denied/, statement);
  }
});

test("rows are found by account, member, action and time, newest first, page by page", async () => {
  const { db } = database;
  const [accountId, memberId]: [Uuid, Uuid] = [newUuid(), newUuid()];
  const reported = [
    action({ accountId, memberId, subject: "1" }),
    action({ accountId, subject: "2", action: "account.credit" }),
    action({ memberId, subject: "3", before: { a: 1 } }),
  ];
  for (const each of reported) await recordAction(db, each);
  const found = async (about: Partial<ActionSearch>): Promise<(string | null)[]> =>
    (await listActions(db, search(about))).map(({ subject }) => subject);
  assert.deepEqual(await found({ accountId }), ["2", "1"]);
  assert.deepEqual(await found({ memberId }), ["3", "1"]);
  assert.deepEqual(await found({ accountId, action: "account.credit" }), ["2"]);
  const [newest] = await listActions(db, search({ accountId, limit: 1 }));
  assert.ok(newest !== undefined);
  assert.deepEqual(await found({ accountId, before: newest.auditId }), ["1"]);
  assert.deepEqual(await found({ accountId, from: new Date(Date.now() + 60_000) }), []);
  assert.deepEqual(await found({ accountId, to: new Date(Date.now() - 60_000) }), []);
  const [third] = await listActions(db, search({ memberId, limit: 1 }));
  assert.deepEqual(
    [third?.before, third?.after, third?.reason, third?.actor],
    [{ a: 1 }, { blocked: true }, "why", "op@example.test"],
  );
});
