/** Guarantee: members go on as they were, with no passkeys; what one may be is held by the table. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findMember } from "../../src/accounts/members.store.ts";
import { insertPasskey, passkeysOf } from "../../src/accounts/passkeys.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("a member of before has none and can have one, which goes with it; no credential is two members'", async () => {
  await using before = await databaseBefore(18);
  const { db } = before;
  const accountId = newUuid();
  const members = [newUuid(), newUuid()];
  await db.query("INSERT INTO accounts.accounts (account_id, name) VALUES ($1, 'old')", [
    accountId,
  ]);
  for (const memberId of members)
    await db.query(
      `INSERT INTO accounts.members (member_id, account_id, email, password_hash, must_change_password, operator, role, verified_at)
       VALUES ($1, $2, $3, '$argon2id$x', false, false, 'owner', now())`,
      [memberId, accountId, `${memberId}@example.test`],
    );
  await before.apply();

  const [memberId = newUuid(), other = newUuid()] = members;
  assert.equal((await findMember(db, memberId))?.passkeys, 0);
  const passkey = {
    passkeyId: newUuid(),
    memberId,
    credentialId: Buffer.alloc(16, 1),
    publicKey: Buffer.alloc(77, 2),
    counter: 0,
    transports: ["internal"],
    name: "laptop",
  };
  assert.ok((await insertPasskey(db, passkey)) instanceof Date);
  const again = { ...passkey, passkeyId: newUuid(), memberId: other };
  assert.equal(await insertPasskey(db, again), null);
  for (const wrong of [
    { name: "" },
    { name: "x".repeat(61) },
    { counter: -1 },
    { credentialId: Buffer.alloc(1024) },
    { publicKey: Buffer.alloc(0) },
    { memberId: newUuid() },
  ])
    await assert.rejects(
      insertPasskey(db, {
        ...passkey,
        passkeyId: newUuid(),
        credentialId: Buffer.alloc(16, 9),
        ...wrong,
      }),
      /violates/,
    );
  assert.equal((await findMember(db, memberId))?.passkeys, 1);
  await db.query("DELETE FROM accounts.members WHERE member_id = $1", [memberId]);
  assert.deepEqual(await passkeysOf(db, memberId), []);
});
