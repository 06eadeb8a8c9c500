/**
 * The quota holds exactly over any number of processes, and what is gone stays known for a while
 * (contract §8).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { openDatabase, type Db } from "../db/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { newFileName } from "./file-name.ts";
import type { FileRecord, NewFile, ReceivedBytes } from "./file-record.ts";
import {
  dropReceiving,
  findFile,
  insertReceiving,
  listFiles,
  markDeleted,
  storedTotals,
  storeFile,
  usedBytes,
} from "./files.store.ts";
import {
  abandonReceiving,
  claimRemovals,
  expireFiles,
  finishRemovals,
  forgetFiles,
  receivingOwners,
} from "./sweep.store.ts";

const QUOTA = 1_000;
const DAY_MS = 86_400_000;

let database: TestDatabase;
/** As another process sees the database. */
let elsewhere: Db;
before(async () => {
  database = await testDatabase();
  elsewhere = openDatabase({
    url: database.url,
    poolSize: 10,
    applicationName: "elsewhere",
    onError: () => undefined,
  });
});
after(async () => {
  await elsewhere.close();
  await database.drop();
});

class OverQuota extends Error {}

async function receiving(change: Partial<NewFile> = {}, db: Db = database.db): Promise<NewFile> {
  const file: NewFile = {
    fileId: newUuid(),
    name: newFileName("png"),
    accountId: newUuid(),
    keyId: newUuid(),
    origin: "upload",
    ownerId: newUuid(),
    fileName: "cat.png",
    contentType: "image/png",
    ...change,
  };
  await insertReceiving(db, file);
  return file;
}

const BYTES: ReceivedBytes = {
  bytes: 100,
  sha256: Buffer.alloc(32, 7),
  inline: true,
  verdict: { ok: true, facts: { kind: "image" } },
};

/** As a use case does it: what does not fit is rolled back. */
async function store(
  file: NewFile,
  change: Partial<ReceivedBytes> = {},
  db: Db = database.db,
  retentionSeconds = 3600,
) {
  return db.transaction(async (tx) => {
    const { accountId, fileId, ownerId } = file;
    const outcome = await storeFile(tx, {
      accountId,
      fileId,
      ownerId,
      ...BYTES,
      ...change,
      retentionSeconds,
      quotaBytes: QUOTA,
    });
    if (outcome.kind === "over-quota") throw new OverQuota(String(outcome.usedBytes));
    return outcome;
  });
}

async function stored(change: Partial<NewFile> = {}, bytes = 100): Promise<FileRecord> {
  const outcome = await store(await receiving(change), { bytes });
  assert.ok(outcome.kind === "stored");
  return outcome.file;
}

async function sumOf(
  accountId: Uuid,
): Promise<{ readonly rows: number; readonly counter: number }> {
  const [row] = await database.db.query<{ sum: bigint }>(
    "SELECT coalesce(sum(bytes), 0)::bigint AS sum FROM files.files WHERE account_id = $1 AND state = 'stored'",
    [accountId],
  );
  return { rows: Number(row?.sum), counter: await usedBytes(database.db, accountId) };
}

async function expireNow(accountId: Uuid): Promise<void> {
  await database.db.query(
    "UPDATE files.files SET expires_at = clock_timestamp() WHERE account_id = $1 AND state = 'stored'",
    [accountId],
  );
}

/** All that is due, finished. */
async function removed(): Promise<string[]> {
  const names = await claimRemovals(database.db, { limit: 10_000, claimMs: 60_000 });
  await finishRemovals(database.db, names);
  return names;
}

test("a file is missing while it is received, and then it is what was stored", async () => {
  const file = await receiving({ fileName: "Кот.png" });
  assert.deepEqual(await findFile(database.db, file.name), { state: "missing" });
  const outcome = await store(file, {
    verdict: { ok: false, reason: "lying", message: "NUL \0 and \ud83d half" },
  });
  assert.ok(outcome.kind === "stored");
  const { storedAt, expiresAt, ...rest } = outcome.file;
  const { ownerId: _, ...given } = file;
  assert.deepEqual(rest, {
    ...given,
    inline: true,
    bytes: 100,
    sha256: "07".repeat(32),
    verdict: { ok: false, reason: "lying", message: "NUL \ufffd and \ufffd half" },
  });
  assert.ok(Math.abs(expiresAt.getTime() - storedAt.getTime() - 3_600_000) <= 1);
  assert.deepEqual(await findFile(database.db, file.name), { state: "stored", file: outcome.file });
});

test("what is no name of a stored file is missing, whatever it says", async () => {
  for (const name of ["", "..", "a'; DROP SCHEMA files;--", "\0", newFileName("png")])
    assert.deepEqual(await findFile(database.db, name), { state: "missing" });
});

test("two processes fill one account at once: the quota holds to the byte, and the counter is the sum of the rows", async () => {
  const accountId = newUuid();
  const sizes = Array.from({ length: 60 }, (_, index) => 7 + ((index * 37) % 90));
  const outcomes = await Promise.all(
    sizes.map(async (bytes, index) => {
      const db = index % 2 === 0 ? database.db : elsewhere;
      const file = await receiving({ accountId }, db);
      try {
        return (await store(file, { bytes }, db)).kind;
      } catch (error) {
        assert.ok(error instanceof OverQuota, String(error));
        assert.ok(Number(error.message) + bytes > QUOTA, "refused although there was room");
        return "over-quota";
      }
    }),
  );
  const { rows, counter } = await sumOf(accountId);
  assert.equal(counter, rows);
  assert.ok(rows <= QUOTA && rows > QUOTA - 97, String(rows));
  const kept = outcomes.filter((outcome) => outcome === "stored").length;
  assert.ok(kept > 0 && kept < sizes.length);
  const listed = await listFiles(database.db, { accountId, before: null, limit: 100 });
  assert.equal(listed.length, kept);
});

test("the last byte of the quota can be used, the one behind it cannot, by a first file neither", async () => {
  const accountId = newUuid();
  await stored({ accountId }, QUOTA - 1);
  await stored({ accountId }, 1);
  await assert.rejects(async () => store(await receiving({ accountId }), { bytes: 1 }), OverQuota);
  await assert.rejects(async () => store(await receiving(), { bytes: QUOTA + 1 }), OverQuota);
});

test("stores, deletions and sweeps of two processes at once leave the counter the sum of the rows, without a deadlock", async () => {
  const accounts = Array.from({ length: 6 }, () => newUuid());
  const files = await Promise.all(
    accounts.flatMap((accountId) => Array.from({ length: 12 }, () => stored({ accountId }, 10))),
  );
  await database.db.query(
    "UPDATE files.files SET expires_at = clock_timestamp() WHERE account_id = ANY ($1) AND random() < 0.5",
    [accounts],
  );
  const dbs = [database.db, elsewhere];
  await Promise.all([
    ...dbs.map(async (db) => {
      for (let round = 0; round < 6; round++) await db.transaction((tx) => expireFiles(tx, 5));
    }),
    ...files.map((file, index) =>
      index % 3 === 0
        ? (dbs[index % 2] as Db).transaction((tx) => markDeleted(tx, file))
        : Promise.resolve(false),
    ),
    ...accounts.map(async (accountId, index) =>
      store(await receiving({ accountId }), { bytes: 5 }, dbs[index % 2]),
    ),
  ]);
  for (const accountId of accounts) {
    const { rows, counter } = await sumOf(accountId);
    assert.equal(counter, rows);
  }
  const [row] = await database.db.query<{ same: boolean }>(
    `SELECT bool_and(u.files = (SELECT count(*) FROM files.files f WHERE f.account_id = u.account_id AND f.state = 'stored')) AS same
     FROM files.usage u`,
  );
  assert.equal(row?.same, true);
});

test("after its time a file is gone at once, its room is free with the sweep, and after thirty days it was never there", async () => {
  const file = await stored();
  const { accountId, name } = file;
  await expireNow(accountId);
  assert.deepEqual(await findFile(database.db, name), { state: "gone" });
  assert.deepEqual(await listFiles(database.db, { accountId, before: null, limit: 10 }), []);
  assert.equal(await markDeleted(database.db, file), false, "what is not served cannot be deleted");
  while ((await expireFiles(database.db, 100)) > 0);
  assert.equal(await usedBytes(database.db, accountId), 0);
  assert.ok((await removed()).includes(name));
  assert.deepEqual(await findFile(database.db, name), { state: "gone" });
  await forgetFiles(database.db, { keptMs: 30 * DAY_MS, limit: 1_000 });
  assert.deepEqual(await findFile(database.db, name), { state: "gone" });
  await database.db.query(
    "UPDATE files.files SET ended_at = ended_at - interval '30 days 1 second' WHERE name = $1",
    [name],
  );
  assert.equal(await forgetFiles(database.db, { keptMs: 30 * DAY_MS, limit: 1_000 }), 1);
  assert.deepEqual(await findFile(database.db, name), { state: "missing" });
});

test("only its account deletes a file, once, and then it is gone and its object is to be removed", async () => {
  const file = await stored();
  assert.equal(await markDeleted(database.db, { name: file.name, accountId: newUuid() }), false);
  assert.equal((await findFile(database.db, file.name)).state, "stored");
  assert.equal(await markDeleted(database.db, file), true);
  assert.equal(await markDeleted(database.db, file), false);
  assert.deepEqual(await findFile(database.db, file.name), { state: "gone" });
  assert.equal(await usedBytes(database.db, file.accountId), 0);
  assert.deepEqual(
    (await removed()).filter((name) => name === file.name),
    [file.name],
  );
});

test("what is dropped leaves no row, and its object to be removed; what is stored, or another's, is not dropped", async () => {
  const file = await receiving();
  assert.equal(await dropReceiving(database.db, { ...file, ownerId: newUuid() }), false);
  assert.equal(await dropReceiving(database.db, file), true);
  assert.equal((await store(file)).kind, "lost");
  assert.ok((await removed()).includes(file.name));
  const kept = await receiving();
  await store(kept);
  assert.equal(await dropReceiving(database.db, kept), false);
  assert.equal((await findFile(database.db, kept.name)).state, "stored");
  assert.ok(!(await removed()).includes(kept.name));
});

test("uploads of the dead and of long ago are abandoned: they cannot be stored any more, and their objects are removed twice", async () => {
  const [dead, old, living] = [await receiving(), await receiving(), await receiving()];
  await database.db.query(
    "UPDATE files.files SET created_at = created_at - interval '3 hours' WHERE file_id = $1",
    [old.fileId],
  );
  const owners = await receivingOwners(database.db, 1_000);
  for (const { ownerId } of [dead, old, living]) assert.ok(owners.includes(ownerId));
  const what = {
    deadOwners: [dead.ownerId],
    olderThanMs: 2 * 3_600_000,
    againMs: 3_600_000,
    limit: 100,
  };
  const counts = await Promise.all([
    abandonReceiving(database.db, what),
    abandonReceiving(elsewhere, what),
  ]);
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 2);
  assert.equal((await store(dead)).kind, "lost");
  assert.equal((await store(old)).kind, "lost");
  assert.equal((await store(living)).kind, "stored");
  const first = await removed();
  assert.ok(first.includes(dead.name) && first.includes(old.name));
  assert.deepEqual(
    (await removed()).filter((name) => name === dead.name),
    [],
    "not again before its time",
  );
  await database.db.query("UPDATE files.removals SET due_at = clock_timestamp()");
  assert.ok((await removed()).includes(dead.name));
  await database.db.query("UPDATE files.removals SET due_at = clock_timestamp()");
  assert.ok(!(await removed()).includes(dead.name), "and never again");
});

test("no two sweepers remove the same object, and what one claimed and did not finish is another's later", async () => {
  const files = await Promise.all(Array.from({ length: 30 }, () => receiving()));
  for (const file of files) await dropReceiving(database.db, file);
  const claims = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      claimRemovals(index % 2 === 0 ? database.db : elsewhere, { limit: 7, claimMs: 60_000 }),
    ),
  );
  const names = claims.flat();
  assert.equal(new Set(names).size, names.length);
  assert.equal(names.length, 30);
  assert.deepEqual(await claimRemovals(elsewhere, { limit: 100, claimMs: 60_000 }), []);
  await database.db.query("UPDATE files.removals SET due_at = clock_timestamp()");
  assert.equal((await claimRemovals(elsewhere, { limit: 100, claimMs: 60_000 })).length, 30);
});

test("an account's files are listed newest first, by page, and no other account's", async () => {
  const accountId = newUuid();
  const files: FileRecord[] = [];
  for (let index = 0; index < 5; index++) files.unshift(await stored({ accountId }, 10));
  await stored();
  const first = await listFiles(database.db, { accountId, before: null, limit: 3 });
  assert.deepEqual(first, files.slice(0, 3));
  const second = await listFiles(database.db, {
    accountId,
    before: first[2]?.fileId ?? null,
    limit: 3,
  });
  assert.deepEqual(second, files.slice(3));
  const totals = await storedTotals(database.db);
  assert.ok(totals.files >= 6 && totals.bytes >= 150);
});
