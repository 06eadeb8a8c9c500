/**
 * Guards accounts and members, on real PostgreSQL: an e-mail belongs to one member, lists are
 * paged, hashes do not leave the store.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen } from "../db/listen.ts";
import { newUuid } from "../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../kernel/rate-limits.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { hashPassword } from "./password.ts";
import {
  ACCOUNTS_CHANNEL,
  changeAccountLimits,
  findAccount,
  findAccountLimits,
  insertAccount,
  insertMember,
  listAccounts,
  membersOf,
} from "./store.ts";

const MEMBER = {
  mustChangePassword: true,
  operator: false,
  role: "owner",
  language: "ru",
  verified: true,
} as const;
let database: TestDatabase;
let passwordHash: string;
before(async () => {
  database = await testDatabase();
  passwordHash = await hashPassword("x");
});
after(() => database.drop());

test("accounts are found by id and listed newest first, page by page", async () => {
  const { db } = database;
  const ids = [newUuid(), newUuid(), newUuid()].toSorted();
  for (const [index, accountId] of ids.entries())
    await insertAccount(db, { accountId, name: `a${index}` });
  assert.equal((await findAccount(db, ids[0] ?? ""))?.name, "a0");
  assert.equal(await findAccount(db, newUuid()), null);
  const first = await listAccounts(db, { before: null, limit: 2 });
  const second = await listAccounts(db, { before: first.at(-1)?.accountId ?? null, limit: 2 });
  assert.deepEqual(
    [first.map(({ name }) => name), second.map(({ name }) => name)],
    [["a2", "a1"], ["a0"]],
  );
});

test("an account's limits change one by one, and every process is told whose", async () => {
  const { db, url } = database;
  const heard: string[] = [];
  const connected = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<void>();
  const listener = listen({
    url,
    channels: [ACCOUNTS_CHANNEL],
    onConnected: connected.resolve,
    onMessage: (_, payload) => {
      heard.push(payload);
      reported.resolve();
    },
    onError: reported.reject,
  });
  await connected.promise;
  const accountId = newUuid();
  await insertAccount(db, { accountId, name: "limited" });
  assert.deepEqual(await findAccountLimits(db, accountId), NO_RATE_LIMITS);
  const changed = await db.transaction((tx) =>
    changeAccountLimits(tx, accountId, { requestsPerMinute: 60, maxConcurrent: 5 }),
  );
  assert.deepEqual(changed, { ...NO_RATE_LIMITS, requestsPerMinute: 60, maxConcurrent: 5 });
  assert.deepEqual(await findAccountLimits(db, accountId), changed);
  await reported.promise;
  await listener.close();
  assert.deepEqual(heard, [accountId]);
  const less = await db.transaction((tx) =>
    changeAccountLimits(tx, accountId, { maxConcurrent: null, tokensPerMinute: 1000, maxTasks: 7 }),
  );
  assert.deepEqual(less, {
    requestsPerMinute: 60,
    tokensPerMinute: 1000,
    maxConcurrent: null,
    maxTasks: 7,
  });
  assert.equal(await changeAccountLimits(db, newUuid(), { maxConcurrent: 1 }), null);
  assert.equal(await findAccountLimits(db, newUuid()), null);
});

test("an e-mail belongs to one member; a member shows no password hash", async () => {
  const { db } = database;
  const [one, two] = [newUuid(), newUuid()];
  for (const accountId of [one, two]) await insertAccount(db, { accountId, name: "with members" });
  const member = {
    ...MEMBER,
    memberId: newUuid(),
    accountId: one,
    email: "anna@example.com",
    passwordHash,
    operator: true,
  };
  assert.equal(await insertMember(db, member), true);
  assert.equal(await insertMember(db, { ...member, memberId: newUuid(), accountId: two }), false);
  assert.equal(
    await insertMember(db, {
      ...member,
      memberId: newUuid(),
      accountId: two,
      email: "boris@example.com",
      operator: false,
    }),
    true,
  );
  const members = await membersOf(db, [one, two]);
  assert.deepEqual(
    members.map(({ email, accountId, operator, mustChangePassword }) => [
      email,
      accountId,
      operator,
      mustChangePassword,
    ]),
    [
      ["anna@example.com", one, true, true],
      ["boris@example.com", two, false, true],
    ],
  );
  assert.ok(!JSON.stringify(members).includes("argon2"));
});

test("the database refuses an e-mail that is not lower case and a password that is not hashed", async () => {
  const { db } = database;
  const accountId = newUuid();
  await insertAccount(db, { accountId, name: "strict" });
  const member = {
    ...MEMBER,
    memberId: newUuid(),
    accountId,
    email: "Anna@Example.com",
    passwordHash,
  };
  await assert.rejects(insertMember(db, member), /email_check/);
  await assert.rejects(
    insertMember(db, { ...member, email: "c@example.com", passwordHash: "hunter2" }),
    /password_hash_check/,
  );
});
