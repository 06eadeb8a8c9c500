/** Guarantee: members, keys and what was spent by them go on as they were; every key of before is the account's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordAct } from "../../src/business/account-log/account-actions.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { findKey } from "../../src/keys/store.ts";
import { releaseKeys, setKeyOwner } from "../../src/keys/owners.store.ts";
import { budgetState, openBudget } from "../../src/ledger/budgets.store.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { exactHold, fundedAccount } from "../ledger/ledger-world.ts";
import { databaseBefore } from "./database-before.ts";

test("a key's hold of before settles while the key changes hands, roles and invitations stay, and the log takes lines and gives none back", async () => {
  await using before = await databaseBefore(14);
  const { db } = before;
  const accountId = await fundedAccount(db, 10_000n);
  const [keyId, memberId] = [newUuid(), newUuid()];
  await openBudget(db, { budgetId: keyId, accountId, limitNano: null, period: "total" });
  await db.query(
    "INSERT INTO accounts.accounts (account_id, name) VALUES ($1, 'old') ON CONFLICT DO NOTHING",
    [accountId],
  );
  await db.query(
    `INSERT INTO accounts.members (member_id, account_id, email, password_hash, must_change_password, operator, role, verified_at)
     VALUES ($1, $2, 'old@example.test', '$argon2id$x', false, false, 'manager', now())`,
    [memberId, accountId],
  );
  await db.query(
    `INSERT INTO keys.keys (account_id, key_id, hash, mask, name) VALUES ($1, $2, repeat('a', 64), 'tg_live_Ab3d…x9Qz', 'old')`,
    [accountId, keyId],
  );
  const hold = exactHold(accountId, 100n, { budgetId: keyId });
  assert.equal((await holdIn(db, hold)).kind, "held");

  await before.apply();

  const key = (await findKey(db, accountId, keyId)) ?? assert.fail("the key is there");
  assert.equal(key.ownerId, null);
  const rows = await db.query("SELECT role FROM accounts.members WHERE member_id = $1", [memberId]);
  assert.deepEqual(rows, [{ role: "manager" }]);
  assert.deepEqual(
    await db.query(
      "SELECT totp_required AS required FROM accounts.accounts WHERE account_id = $1",
      [accountId],
    ),
    [{ required: false }],
  );
  await db.query("UPDATE accounts.members SET role = 'developer' WHERE member_id = $1", [memberId]);
  await db.transaction((tx) => setKeyOwner(tx, key, memberId));
  assert.equal((await findKey(db, accountId, keyId))?.ownerId, memberId);
  await settleIn(db, {
    accountId,
    holdId: hold.holdId,
    chargeNano: hold.sliceNano,
    lossNano: hold.sliceNano,
  });
  assert.equal(await db.transaction((tx) => releaseKeys(tx, accountId, memberId)), 1);
  assert.equal((await findKey(db, accountId, keyId))?.ownerId, null);
  const budget = (await budgetState(db, [keyId])).get(keyId);
  assert.deepEqual([budget?.chargedNano, budget?.heldNano], [100n, 0n]);
  await before.applyAll();
  const { mismatches } = await db.transaction(verify);
  assert.deepEqual(mismatches, []);

  const act = { subjectId: null, subject: null, before: null, after: null };
  await recordAct(
    db,
    { accountId, memberId, email: "old@example.test" },
    { action: "key.freeze_all", ...act },
  );
  const parts = await db.query<{ part: string }>(
    "SELECT tableoid::regclass::text AS part FROM audit.account_actions WHERE account_id = $1",
    [accountId],
  );
  assert.match(parts[0]?.part ?? "", /^audit\.account_actions_\d{4}_\d{2}$/, "in its month");
  for (const change of [
    "UPDATE audit.account_actions SET actor = 'x'",
    "DELETE FROM audit.account_actions",
    "TRUNCATE audit.account_actions",
    `DELETE FROM ${parts[0]?.part ?? ""}`,
  ])
    await assert.rejects(db.query(change), /append-only|permission denied/, change);
});
