/**
 * What time and dead processes leave of files is cleared away once, by any process, and nothing
 * that is still wanted.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, test } from "node:test";
import {
  bytesOf,
  callOf,
  fillerBytes,
  nameOf,
  openFileScene,
  picture,
  STATIC_URL,
  type FileProcess,
  type FileScene,
} from "../../../test/support/file-scene.ts";
import { until } from "../../../test/support/until.ts";
import type { UploadFailed, UploadStarted } from "../../../test/support/upload-process.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { deleteFile, listFiles } from "./account-files.ts";
import { createFileSweeper } from "./sweep-files.ts";

const UPLOAD_PROCESS = join(import.meta.dirname, "../../../test/support/upload-process.ts");

let scene: FileScene;
let one: FileProcess;
before(async () => {
  scene = await openFileScene();
  one = scene.process();
});
after(async () => scene[Symbol.asyncDispose]());
afterEach(async () => scene.assertWhole());

const newKey = () => ({ keyId: newUuid(), accountId: newUuid() });

async function expire(accountId: Uuid): Promise<void> {
  await scene.db.query(
    "UPDATE files.files SET expires_at = clock_timestamp() WHERE account_id = $1 AND state = 'stored'",
    [accountId],
  );
}

test("a file is served to its last moment, gone from then on, its bytes with the next sweep, and forgotten after thirty days", async () => {
  const key = newKey();
  const answer = await one.upload(await picture(), { key });
  const name = nameOf(answer.url);
  await one.sweeper.sweep();
  const opened = await one.reader.openFile(name);
  assert.ok(opened.state === "stored");
  await expire(key.accountId);
  assert.deepEqual(await one.reader.openFile(name), { state: "gone" });
  assert.ok(
    (await scene.objects()).includes(name),
    "its bytes outlive its row's word, never the other way round",
  );
  const swept = await one.sweeper.sweep();
  assert.deepEqual([swept.expired, swept.removed, swept.forgotten], [1, 1, 0]);
  assert.equal(await bytesOf(await one.reader.readFile(opened.file)), null);
  assert.deepEqual(await one.reader.openFile(name), { state: "gone" });
  await scene.db.query(
    "UPDATE files.files SET ended_at = ended_at - interval '30 days 1 minute' WHERE name = $1",
    [name],
  );
  assert.equal((await one.sweeper.sweep()).forgotten, 1);
  assert.deepEqual(await one.reader.openFile(name), { state: "missing" });
});

test("an account deletes its own files only; what is deleted is gone with its bytes and no longer listed", async () => {
  const [key, stranger] = [newKey(), newKey()];
  const urls: string[] = [];
  for (let index = 0; index < 3; index++)
    urls.unshift((await one.upload(fillerBytes(1_000 + index), { key })).url);
  const deps = {
    db: one.db,
    storage: one.storage,
    onError: (_what: string, error: unknown) => assert.fail(String(error)),
  };
  const list = { db: one.db, staticUrl: () => STATIC_URL };
  const first = await listFiles(list, key.accountId, { limit: 2 });
  const second = await listFiles(list, key.accountId, { limit: 2, cursor: first.next });
  assert.deepEqual(
    [...first.rows, ...second.rows].map(({ url }) => url),
    urls,
  );
  assert.equal(second.next, null);
  const name = nameOf(urls[1] ?? "");
  assert.equal(await deleteFile(deps, stranger.accountId, name), "not-found");
  assert.equal(await deleteFile(deps, key.accountId, name), "deleted");
  assert.equal(await deleteFile(deps, key.accountId, name), "not-found");
  assert.deepEqual(await one.reader.openFile(name), { state: "gone" });
  assert.ok(!(await scene.objects()).includes(name));
  const left = await listFiles(list, key.accountId, {});
  assert.deepEqual(
    left.rows.map(({ url }) => url),
    [urls[0], urls[2]],
  );
  assert.deepEqual((await listFiles(list, stranger.accountId, {})).rows, []);
});

test("two sweepers at once end every file once, and remove every object once", async () => {
  const key = newKey();
  const files = 700;
  // Rows only: what is removed is counted, not looked for.
  await scene.db.query(
    `INSERT INTO files.files (file_id, name, account_id, origin, state, owner_id, file_name, content_type, inline, bytes, sha256, stored_at, expires_at)
     SELECT uuidv7(), lpad(to_hex(n), 32, '0') || '.bin', $1, 'upload', 'stored', $1, 'x', 'application/octet-stream', false, 10, sha256('x'), now(), now()
     FROM generate_series(1, $2::int) n`,
    [key.accountId, files],
  );
  await scene.db.query("INSERT INTO files.usage VALUES ($1, $2, $3)", [
    key.accountId,
    files * 10,
    files,
  ]);
  const removed: string[] = [];
  const sweepers = [0, 1, 2].map(() => {
    const { db } = scene.process();
    return createFileSweeper({
      db,
      storage: {
        kind: "local",
        remove: async (names) => void removed.push(...names),
        sweepUnfinished: async () => 0,
      },
      clock: { monotonicMs: () => performance.now() },
      isDead: async () => false,
      onError: (_what, error) => assert.fail(String(error)),
    });
  });
  const rounds = await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
  assert.equal(
    rounds.reduce((sum, { expired }) => sum + expired, 0),
    files,
  );
  await sweepers[0]?.sweep();
  assert.equal(removed.length, files);
  assert.equal(new Set(removed).size, files);
  assert.deepEqual(
    (
      await scene.db.query("SELECT bytes, files FROM files.usage WHERE account_id = $1", [
        key.accountId,
      ])
    )[0],
    {
      bytes: 0n,
      files: 0n,
    },
  );
});

test("a storage that removes nothing keeps the work; one object that it cannot remove does not keep the others", async () => {
  const key = newKey();
  const names: string[] = [];
  for (let index = 0; index < 4; index++)
    names.push(nameOf((await one.upload(fillerBytes(100), { key })).url));
  await expire(key.accountId);
  const broken = scene.process({
    storage: (real) => ({ ...real, remove: () => Promise.reject(new Error("out of order")) }),
  });
  assert.deepEqual((await broken.sweeper.sweep()).expired, 4);
  assert.equal(broken.errors.length, 2, "once for the batch, once for the round");
  await scene.db.query("UPDATE files.removals SET due_at = clock_timestamp()");
  const stuck = names[0] ?? "";
  const choosy = scene.process({
    storage: (real) => ({
      ...real,
      remove: (keys) =>
        keys.includes(stuck) ? Promise.reject(new Error("not this one")) : real.remove(keys),
    }),
  });
  await choosy.sweeper.sweep();
  assert.deepEqual(
    (await scene.objects()).filter((name) => names.includes(name)),
    [stuck],
  );
  assert.deepEqual(
    (await scene.db.query<{ name: string }>("SELECT name FROM files.removals")).map(
      ({ name }) => name,
    ),
    [stuck],
  );
  await scene.db.query("UPDATE files.removals SET due_at = clock_timestamp()");
  assert.equal((await one.sweeper.sweep()).removed, 1);
});

test("what runs is never abandoned while its process lives, and always when it has run for too long", async () => {
  const pending = await one.uploads.receive(callOf(fillerBytes(5_000)));
  const other = scene.process();
  assert.equal((await other.sweeper.sweep()).abandoned, 0);
  await scene.db.query(
    "UPDATE files.files SET created_at = created_at - interval '2 hours 16 minutes' WHERE state = 'receiving'",
  );
  assert.equal((await other.sweeper.sweep()).abandoned, 1);
  await assert.rejects(pending.commit());
});

test("an object that a process taken for dead finishes all the same is removed later", async () => {
  const late = scene.process({
    storage: (real) => ({
      ...real,
      async put(...given) {
        scene.dead.add(late.ownerId);
        assert.equal((await one.sweeper.sweep()).abandoned, 1);
        await real.put(...given);
        // And here it dies.
        throw new Error("killed");
      },
      remove: () => Promise.reject(new Error("killed")),
    }),
  });
  const before = (await scene.objects()).length;
  await assert.rejects(late.upload(fillerBytes(5_000)), /killed/);
  assert.equal((await scene.objects()).length, before + 1);
  await one.sweeper.sweep();
  assert.equal((await scene.objects()).length, before + 1, "not before its time");
  await scene.db.query(
    "UPDATE files.removals SET due_at = clock_timestamp() WHERE due_at > clock_timestamp() + interval '2 hours'",
  );
  await one.sweeper.sweep();
});

interface UploadProcess {
  readonly ownerId: Uuid;
  kill(): Promise<void>;
}

async function startUpload(bytes: number): Promise<UploadProcess> {
  const child = spawn(
    process.execPath,
    [UPLOAD_PROCESS, scene.databaseUrl, scene.storageUrl, String(bytes)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const ended = once(child, "close");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { ownerId } = JSON.parse(line) as UploadStarted;
  return {
    ownerId,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("a process that is killed in the middle of an upload: after the sweep there is no row, no object, no unfinished write, and the counter is right", async () => {
  const victims = await Promise.all([startUpload(3_000), startUpload(20_000_000)]);
  // One has not told enough for its type to be known, so nothing of it is anywhere.
  await until(
    "the other one writes",
    async () => (await scene.unfinished()).length === 1 && (await scene.rows())["receiving"] === 1,
  );
  await Promise.all(victims.map((victim) => victim.kill()));
  assert.equal((await one.sweeper.sweep()).abandoned, 0, "nobody knows that it is dead");
  for (const { ownerId } of victims) scene.dead.add(ownerId);
  assert.equal((await one.sweeper.sweep()).abandoned, 1);
  assert.equal((await scene.rows())["receiving"], undefined);
  // What it had written aside is younger than any upload may become; the storage clears it away by
  // age.
  assert.equal((await scene.unfinished()).length, 1);
  assert.equal(await one.storage.sweepUnfinished(0), 1);
  await scene.assertWhole();
});

test("a disk that is really full: the file is refused with storage_full, and nothing is left", async (t) => {
  // Root stays itself in there, so that it reaches the database's socket; anybody else becomes
  // root.
  const flag = process.getuid?.() === 0 ? "-m" : "-rm";
  const inside = `mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"`;
  const folder = await mkdtemp(join(tmpdir(), "tollgate-full-"));
  const upload = [
    process.execPath,
    UPLOAD_PROCESS,
    scene.databaseUrl,
    `file:${folder}`,
    "50000000",
  ];
  try {
    const child = spawn(
      "sh",
      ["-c", `exec unshare ${flag} sh -c "$0" "$@"`, inside, folder, ...upload],
      {
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    await once(child, "close");
    if (lines.length === 0) return t.skip("this system lets nobody mount a small disk of his own");
    assert.deepEqual(
      lines.slice(1).map((line) => (JSON.parse(line) as UploadFailed).code),
      ["storage_full"],
    );
    assert.equal((await scene.rows())["receiving"], undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the storage is asked what it has unfinished, no more often than it needs to be", async () => {
  const asked: number[] = [];
  let nowMs = 0;
  const sweeper = createFileSweeper({
    db: one.db,
    storage: {
      kind: "s3",
      remove: async () => undefined,
      async sweepUnfinished(olderThanMs) {
        asked.push(olderThanMs);
        return 3;
      },
    },
    clock: { monotonicMs: () => nowMs },
    isDead: async () => false,
    onError: (_what, error) => assert.fail(String(error)),
  });
  assert.equal((await sweeper.sweep()).unfinished, 3);
  assert.equal((await sweeper.sweep()).unfinished, 0);
  nowMs += 10 * 60_000;
  await sweeper.sweep();
  assert.equal(asked.length, 2);
  assert.ok(
    asked.every((ms) => ms > 2 * 60 * 60_000),
    "nothing that may still be written",
  );
});
