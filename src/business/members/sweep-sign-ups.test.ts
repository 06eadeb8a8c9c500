/**
 * Protects: of accounts only those go that were signed up for a week ago and never confirmed or
 * used.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newKey } from "../../../test/support/new-customer.ts";
import { insertAccount, insertMember, type NewMember } from "../../accounts/store.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { openAccount, setAccountState } from "../../ledger/accounts.store.ts";
import { topUp } from "../accounts/top-up.ts";
import { sweepSignUps } from "./sweep-sign-ups.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const WAITING = {
  passwordHash: "$argon2id$x",
  mustChangePassword: false,
  operator: false,
  role: "owner",
  language: "ru",
  verified: false,
} as const;

async function addMember(accountId: Uuid, about: Partial<NewMember> = {}): Promise<Uuid> {
  const memberId = newUuid();
  assert.ok(
    await insertMember(database.db, {
      ...WAITING,
      memberId,
      accountId,
      email: `${memberId}@example.test`,
      ...about,
    }),
  );
  return memberId;
}

/**
 * An account as a sign-up makes it, so many days ago; `members`: whether anybody is waiting in it.
 */
async function signedUp(days: number, members = true): Promise<Uuid> {
  const accountId = newUuid();
  await database.db.transaction(async (tx) => {
    await insertAccount(tx, { accountId, name: "somebody" });
    await openAccount(tx, accountId);
  });
  if (members) await addMember(accountId);
  await age(accountId, days);
  return accountId;
}

async function age(accountId: Uuid, days: number): Promise<void> {
  for (const table of ["accounts", "members"])
    await database.db.query(
      `UPDATE accounts.${table} SET created_at = now() - $2::int * interval '1 day' WHERE account_id = $1`,
      [accountId, days],
    );
}

test("a week after a sign-up that was never confirmed its account goes, and no other ever does", async () => {
  const { db } = database;
  const old = async (change: (accountId: Uuid) => Promise<unknown>): Promise<Uuid> => {
    const accountId = await signedUp(30);
    await change(accountId);
    return accountId;
  };
  const kept = await Promise.all([
    signedUp(6),
    signedUp(30, false),
    old((accountId) =>
      db.query("UPDATE accounts.members SET verified_at = now() WHERE account_id = $1", [
        accountId,
      ]),
    ),
    old((accountId) =>
      addMember(accountId, { verified: true, role: "viewer" }).then(() => age(accountId, 30)),
    ),
    old((accountId) => addMember(accountId)),
    old((accountId) =>
      db.query("UPDATE accounts.members SET operator = true WHERE account_id = $1", [accountId]),
    ),
    old((accountId) => newKey(db, accountId)),
    old((accountId) => topUp(db, { accountId, amountNano: nano(1n), reference: null })),
    old((accountId) => setAccountState(db, accountId, "blocked")),
    // An operator had to do with it once.
    old((accountId) =>
      db.query(
        "INSERT INTO audit.actions (audit_id, actor, action, account_id) VALUES (uuidv7(), 'o@b.test', 'account.unblock', $1)",
        [accountId],
      ),
    ),
    // Who signed up again got another link.
    old((accountId) =>
      db.query(
        `INSERT INTO accounts.tokens SELECT sha256('t'), 'verify', member_id, now(), now() + interval '1 hour' FROM accounts.members WHERE account_id = $1`,
        [accountId],
      ),
    ),
    old((accountId) =>
      db.query(
        `INSERT INTO accounts.invitations (invitation_id, account_id, email, role, language, token_hash, expires_at)
         VALUES (uuidv7(), $1, 'a@b.test', 'viewer', 'ru', sha256('i'), now() + interval '1 day')`,
        [accountId],
      ),
    ),
  ]);
  const gone = [await signedUp(8), await signedUp(400)];
  const removed = await Promise.all([sweepSignUps(db), sweepSignUps(db)]);
  assert.equal(
    removed.reduce((sum, count) => sum + count, 0),
    gone.length,
  );
  const left = async (table: string): Promise<Uuid[]> =>
    (await db.query<{ id: Uuid }>(`SELECT DISTINCT account_id AS id FROM ${table} ORDER BY 1`)).map(
      ({ id }) => id,
    );
  assert.deepEqual(await left("accounts.accounts"), kept.toSorted());
  assert.deepEqual(await left("ledger.accounts"), kept.toSorted());
  assert.deepEqual(await left("accounts.members"), kept.filter((_, at) => at !== 1).toSorted());
  assert.equal(await sweepSignUps(db), 0);
});
