/**
 * Guards who decides about roles, on real PostgreSQL: one at a time for an account, each by what
 * the one before left.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newUuid } from "../kernel/ids.ts";
import { testDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { changeRole, holdRoles } from "./members.store.ts";
import { hashPassword } from "./password.ts";
import { insertAccount, insertMember } from "./store.ts";

const database = await testDatabase();
const { db } = database;
after(() => database.drop());

test("a request that asks for the roles while another decides about them waits, and sees the decision", async () => {
  const [accountId, passwordHash] = [newUuid(), await hashPassword("x")];
  await insertAccount(db, { accountId, name: "two owners" });
  const [one, two] = [newUuid(), newUuid()];
  for (const memberId of [one, two]) {
    const person = {
      memberId,
      accountId,
      email: `${memberId}@example.test`,
      passwordHash,
      role: "owner",
      language: "ru",
    } as const;
    await insertMember(db, {
      ...person,
      mustChangePassword: false,
      operator: false,
      verified: true,
    });
  }
  const held = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<void>();
  const first = db.transaction(async (tx) => {
    await holdRoles(tx, accountId);
    held.resolve();
    await decided.promise;
    await changeRole(tx, one, "viewer");
  });
  await held.promise;
  const second = db.transaction((tx) => holdRoles(tx, accountId));
  await until("the second one waits", async () => {
    const rows = await db.query(
      "SELECT true AS found FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  });
  decided.resolve();
  await first;
  assert.deepEqual(
    [...(await second)],
    [
      [one, "viewer"],
      [two, "owner"],
    ],
  );
});
