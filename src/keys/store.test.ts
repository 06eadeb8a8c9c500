/**
 * Guards the stored keys, on real PostgreSQL: found by hash only, deleted once and told, listed by
 * page, never with a secret.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen } from "../db/listen.ts";
import { newUuid } from "../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../kernel/rate-limits.ts";
import { hashKeySecret, maskKeySecret, newKeySecret } from "../kernel/secrets.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import type { KeyRecord } from "./key-record.ts";
import type { NewKey } from "./store.ts";
import {
  findKeyByHash,
  insertKey,
  KEYS_CHANNEL,
  listKeys,
  markKeyDeleted,
  touchLastUsed,
} from "./store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

function newKey(accountId: string, more: Partial<NewKey> = {}): NewKey {
  const secret = newKeySecret();
  const plain = { expiresAt: null, models: null, ips: null, ...NO_RATE_LIMITS };
  return {
    keyId: newUuid(),
    accountId,
    hash: hashKeySecret(secret),
    mask: maskKeySecret(secret),
    name: "test",
    ...plain,
    ...more,
  };
}

test("a key comes back as it was stored", async () => {
  const { db } = database;
  const key = newKey(newUuid(), {
    name: "Ключ 🔑",
    expiresAt: new Date("2030-01-01T00:00:00Z"),
    models: ["a/b", "c"],
    ips: ["10.0.0.0/8"],
    requestsPerMinute: 60,
    tokensPerMinute: 100_000,
    maxConcurrent: 5,
  });
  const stored = await insertKey(db, key);
  const { createdAt, deletedAt, frozenAt, rolledTo, lastUsedAt, ...shown } = stored;
  const { groupId, groupModels, groupFrozen, ownerId, ...rest } = shown;
  assert.deepEqual([groupId, groupModels, groupFrozen, ownerId], [null, null, false, null]);
  assert.deepEqual(rest, key);
  assert.ok(createdAt instanceof Date);
  assert.deepEqual([deletedAt, frozenAt, rolledTo, lastUsedAt], [null, null, null, null]);
  assert.deepEqual(await findKeyByHash(db, key.hash), stored);
  assert.equal(await findKeyByHash(db, key.mask), null);
  assert.equal(await findKeyByHash(db, hashKeySecret("another")), null);
});

test("the database refuses a secret in the place of a hash or a mask", async () => {
  const secret = newKeySecret();
  await assert.rejects(insertKey(database.db, newKey(newUuid(), { hash: secret })), /hash_check/);
  await assert.rejects(insertKey(database.db, newKey(newUuid(), { mask: secret })), /mask_check/);
});

test("a key is deleted once, stays findable as deleted, and every process is told its hash", async () => {
  const { db, url } = database;
  const heard: string[] = [];
  const connected = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<void>();
  const listener = listen({
    url,
    channels: [KEYS_CHANNEL],
    onConnected: connected.resolve,
    onMessage: (_, payload) => {
      heard.push(payload);
      reported.resolve();
    },
    onError: reported.reject,
  });
  await connected.promise;
  const key = await insertKey(db, newKey(newUuid()));
  const deleted = await db.transaction((tx) => markKeyDeleted(tx, key.hash));
  assert.equal(deleted?.keyId, key.keyId);
  assert.ok(deleted?.deletedAt instanceof Date);
  assert.equal(await db.transaction((tx) => markKeyDeleted(tx, key.hash)), null);
  assert.equal(await db.transaction((tx) => markKeyDeleted(tx, hashKeySecret("nobody's"))), null);
  assert.deepEqual(await findKeyByHash(db, key.hash), deleted);
  await reported.promise;
  await listener.close();
  assert.deepEqual(heard, [key.hash]);
});

test("the list has an account's own keys, newest first, page by page, without the deleted", async () => {
  const { db } = database;
  const accountId = newUuid();
  const keys: KeyRecord[] = [];
  for (let index = 0; index < 5; index++)
    keys.push(await insertKey(db, newKey(accountId, { name: `k${index}` })));
  await insertKey(db, newKey(newUuid(), { name: "somebody else's" }));
  await db.transaction((tx) => markKeyDeleted(tx, keys[2]?.hash ?? ""));
  const first = await listKeys(db, { accountId, before: null, limit: 3 });
  const second = await listKeys(db, { accountId, before: first.at(-1)?.keyId ?? null, limit: 3 });
  assert.deepEqual(
    [first.map((key) => key.name), second.map((key) => key.name)],
    [["k4", "k3", "k1"], ["k0"]],
  );
});

test("the last use moves forward only, and for the named keys only", async () => {
  const { db } = database;
  const [a, b, c] = [
    await insertKey(db, newKey(newUuid())),
    await insertKey(db, newKey(newUuid())),
    await insertKey(db, newKey(newUuid())),
  ];
  const [early, late] = [new Date("2026-01-01T00:00:00Z"), new Date("2026-01-02T00:00:00Z")];
  await touchLastUsed(db, []);
  await touchLastUsed(db, [
    { accountId: b.accountId, keyId: b.keyId, usedAt: late },
    { accountId: a.accountId, keyId: a.keyId, usedAt: early },
    { accountId: newUuid(), keyId: newUuid(), usedAt: late },
  ]);
  await touchLastUsed(db, [
    { accountId: a.accountId, keyId: a.keyId, usedAt: late },
    { accountId: b.accountId, keyId: b.keyId, usedAt: early },
  ]);
  const used = await Promise.all(
    [a, b, c].map(async ({ hash }) => (await findKeyByHash(db, hash))?.lastUsedAt ?? null),
  );
  assert.deepEqual(used, [late, late, null]);
});
