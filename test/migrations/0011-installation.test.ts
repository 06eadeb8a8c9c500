/**
 * Guarantee: members of before are members after it, without a code and a consent of theirs;
 * settings are only ever added, and a code is never used more often than it may.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("who was a member stays one, settings are append-only, and the database counts the uses of a code", async () => {
  await using before = await databaseBefore(11);
  const { db } = before;
  const [accountId, memberId] = [newUuid(), newUuid()];
  await db.query("INSERT INTO accounts.accounts (account_id, name) VALUES ($1, 'x')", [accountId]);
  await db.query(
    `INSERT INTO accounts.members (member_id, account_id, email, password_hash, must_change_password, operator)
     VALUES ($1, $2, 'a@example.test', '$argon2id$x', false, false)`,
    [memberId, accountId],
  );

  await before.apply();

  const codeOf = () =>
    db.query("SELECT sign_up_code_id AS code FROM accounts.members WHERE member_id = $1", [
      memberId,
    ]);
  assert.deepEqual(await codeOf(), [{ code: null }]);
  assert.deepEqual(await db.query("SELECT 1 FROM accounts.consents"), []);
  await db.query(
    `INSERT INTO installation.settings (version, settings, changed_by) VALUES (1, '{}', 'x')`,
  );
  for (const change of [
    "UPDATE installation.settings SET version = 2",
    "DELETE FROM installation.settings",
  ])
    await assert.rejects(db.query(change));
  const codeId = newUuid();
  await db.query(
    `INSERT INTO installation.sign_up_codes (code_id, code_hash, hint, most_uses) VALUES ($1, decode(repeat('00', 32), 'hex'), 'ab…', 1)`,
    [codeId],
  );
  await db.query("UPDATE accounts.members SET sign_up_code_id = $1", [codeId]);
  const use = () => db.query("UPDATE installation.sign_up_codes SET uses = uses + 1");
  await use();
  await assert.rejects(use(), { constraint: "never_overused" });
});
