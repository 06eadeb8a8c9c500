/**
 * Guarantee: a DATA_DIR that cannot be written is named with the place and the reason; one that can
 * be is made, and one that is not needed not asked for.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { dataDirMistake } from "./data-dir-mistake.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "data-dir-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "file");
writeFileSync(file, "");

function mistakeOf(dataDir: string): string | null {
  return dataDirMistake({
    dataDir,
    databaseUrl: null,
    sessionSecret: null,
    storageUrl: `file:${dataDir}/files`,
  });
}
/** Permissions do not bind root: it asks as an unprivileged user. */
function asNobody<T>(ask: () => T): T {
  if (process.geteuid?.() !== 0) return ask();
  process.seteuid?.(65_534);
  try {
    return ask();
  } finally {
    process.seteuid?.(0);
  }
}

test("a folder is made with those above it, and stays good", () => {
  const path = join(folder, "a/b/c");
  assert.equal(mistakeOf(path), null);
  assert.ok(existsSync(path));
  assert.equal(mistakeOf(path), null);
});

test("a file in the way is named, wherever it stands", () => {
  symlinkSync(join(folder, "gone"), join(folder, "dangling"));
  for (const path of [file, join(file, "data"), join(file, "a/b")])
    assert.match(mistakeOf(path) ?? "", / cannot be used: \S+\/file is not a folder\./);
  assert.match(
    mistakeOf(join(folder, "dangling")) ?? "",
    /^DATA_DIR: \S+\/dangling cannot be used: /,
  );
});

test("a folder that is another's is named, also one within", () => {
  chmodSync(folder, 0o755);
  const [closed, open] = [join(folder, "closed"), join(folder, "open")];
  for (const path of [closed, open, join(open, "postgres")]) mkdirSync(path);
  chmodSync(closed, 0o555);
  chmodSync(open, 0o777);
  chmodSync(join(open, "postgres"), 0o555);
  const reported = (path: string): string => asNobody(() => mistakeOf(path)) ?? "";
  const reason = /cannot be used: this user may not write in \S+\/closed\. Set DATA_DIR /;
  assert.match(reported(join(closed, "data")), reason);
  // What is there is asked of the system, which answers for root whom we only play.
  if (process.geteuid?.() === 0) return;
  assert.match(reported(closed), reason);
  assert.match(reported(open), /may not write in \S+\/open\/postgres\./);
});

test(
  "what cannot be made ends with the system's reason, also where making all at once never ends",
  { skip: process.platform !== "linux" },
  () => {
    assert.match(
      mistakeOf("/proc/tollgate/data") ?? "",
      /^DATA_DIR: \/proc\/tollgate\/data cannot be used: .*\/proc/,
    );
  },
);

test("where everything is kept elsewhere it is not asked for", () => {
  const elsewhere = {
    dataDir: join(file, "data"),
    databaseUrl: "postgresql://db/x",
    sessionSecret: "s".repeat(32),
    storageUrl: "s3://k:s@host/bucket",
  };
  assert.equal(dataDirMistake(elsewhere), null);
  for (const here of [
    { databaseUrl: null },
    { sessionSecret: null },
    { storageUrl: `file:${file}/data/files` },
  ]) {
    assert.notEqual(dataDirMistake({ ...elsewhere, ...here }), null);
  }
});

/** A file system of its own; null, and the test is skipped, where this user may not mount one. */
async function smallDisk(t: TestContext, name: string, options: string): Promise<string | null> {
  const path = join(folder, name);
  mkdirSync(path);
  try {
    await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
  } catch {
    t.skip("a small file system can only be mounted as root");
    return null;
  }
  t.after(() => run("umount", [path]));
  return path;
}

test("a disk without room is told before anything is started, whether bytes or inodes are out; nothing is left there", async (t) => {
  const full = await smallDisk(t, "full", "size=256k,nr_inodes=8");
  if (full === null) return;
  const reported =
    /\S+\/full cannot be used: there is no room left on the disk .*\. Make room there, or set DATA_DIR to another folder\.$/;
  assert.equal(mistakeOf(full), null);
  writeFileSync(join(full, "big"), Buffer.alloc(250 * 1024));
  assert.match(mistakeOf(full) ?? "", reported);
  rmSync(join(full, "big"));
  for (let index = 0; index < 7; index += 1) writeFileSync(join(full, `${index}`), "");
  assert.match(mistakeOf(full) ?? "", reported);
  assert.deepEqual(readdirSync(full).length, 7);
});

test("beside a database that is there already, a full disk keeps no command from making room", async (t) => {
  const full = await smallDisk(t, "full-with-database", "size=256k");
  if (full === null) return;
  mkdirSync(join(full, "postgres"));
  writeFileSync(join(full, "big"), Buffer.alloc(250 * 1024));
  assert.equal(mistakeOf(full), null);
});
