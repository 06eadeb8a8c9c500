/**
 * Protects: on a disk nothing is left by a kill or a full disk, no other user can read the files,
 * and no file stays open.
 */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { openStorage } from "../../src/storage/open-storage.ts";
import { until } from "../support/until.ts";
import { bytesOf, someBytes, stallingAfter, streamOf } from "./some-bytes.ts";

const run = promisify(execFile);
const VIDEO = { contentType: "video/mp4" };
const HOUR_SECONDS = 3600;

const folders: string[] = [];
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-local-"));
  folders.push(folder);
  return folder;
}

const openFiles = async (): Promise<number> => (await readdir("/proc/self/fd")).length;
const hasProc =
  process.platform === "linux"
    ? {}
    : { skip: "open files are counted in /proc, which only Linux has" };

test("a process killed in the middle of a put leaves a temporary file only, which the sweep takes when it is old", async () => {
  const folder = await newFolder();
  const program = join(import.meta.dirname, "put-process.ts");
  const child = spawn(process.execPath, [program, "hang", "1", "3"], {
    env: { STORAGE_URL: `file:${folder}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(createInterface(child.stdout), "line");
  child.kill("SIGKILL");
  assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);

  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  assert.deepEqual(
    files.map(({ parentPath }) => parentPath),
    [join(folder, ".tmp")],
  );
  const storage = await openStorage(`file:${folder}`);
  assert.equal(await storage.size("hanging.bin"), null);
  assert.equal(await storage.sweepUnfinished(HOUR_SECONDS * 1000), 0);
  const old = Date.now() / 1000 - HOUR_SECONDS - 1;
  await utimes(join(folder, ".tmp", files[0]?.name ?? ""), old, old);
  assert.equal(await storage.sweepUnfinished(HOUR_SECONDS * 1000), 1);
  assert.deepEqual(await readdir(join(folder, ".tmp")), []);
});

test("files and folders are their owner's alone, and an object lies where localPath says", async () => {
  const folder = join(await newFolder(), "new", "folder");
  const storage = await openStorage(`file:${folder}`);
  const bytes = someBytes(1000);
  await storage.put("abcdef.png", streamOf(bytes), VIDEO);
  const path = storage.localPath("abcdef.png") ?? "";
  assert.equal(path, join(folder, "ab", "abcdef.png"));
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  for (const each of [folder, join(folder, ".tmp"), join(folder, "ab")])
    assert.equal((await stat(each)).mode & 0o777, 0o700, each);
  assert.equal(
    await storage.presign("abcdef.png", {
      seconds: 60,
      contentType: "x/y",
      contentDisposition: null,
      cacheControl: "",
    }),
    null,
  );
});

test("a full disk is the fault for it, leaves nothing, and what was there stays", async (t) => {
  const folder = await newFolder();
  try {
    await run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]);
  } catch {
    return t.skip("a small file system can only be mounted as root");
  }
  try {
    const storage = await openStorage(`file:${folder}`);
    await storage.put("small.bin", streamOf(someBytes(1_000_000)), VIDEO);
    const source = streamOf(someBytes(8_000_000));
    await assert.rejects(storage.put("large.bin", source, VIDEO), {
      name: "Fault",
      code: "storage_full",
    });
    assert.ok(source.destroyed);
    assert.deepEqual(await readdir(join(folder, ".tmp")), []);
    assert.equal(await storage.size("large.bin"), null);
    assert.equal((await bytesOf(await storage.read("small.bin"))).length, 1_000_000);
    // There is room again at once.
    await storage.put("second.bin", streamOf(someBytes(2_000_000)), VIDEO);
    await writeFile(join(folder, "filler"), Buffer.alloc(8_000_000)).catch(() => undefined);
    await assert.rejects(storage.check(), { code: "ENOSPC" });
  } finally {
    await run("umount", [folder]);
  }
});

test("a put that cannot be moved to its place leaves nothing", async () => {
  const folder = await newFolder();
  const storage = await openStorage(`file:${folder}`);
  await writeFile(join(folder, "ab"), "a file where the folder should be");
  await assert.rejects(storage.put("abcdef.png", streamOf(someBytes(1000)), VIDEO), {
    code: /EEXIST|ENOTDIR/,
  });
  assert.deepEqual(await readdir(folder), [".tmp", "ab"]);
  assert.deepEqual(await readdir(join(folder, ".tmp")), []);
});

test("check rejects when the folder is gone", async () => {
  const folder = await newFolder();
  const storage = await openStorage(`file:${folder}`);
  await rm(folder, { recursive: true });
  await assert.rejects(storage.check(), { code: "ENOENT" });
});

test("check rejects when nothing can be written", async (t) => {
  if (process.getuid?.() === 0) return t.skip("root may write everywhere");
  const folder = await newFolder();
  const storage = await openStorage(`file:${folder}`);
  await chmod(join(folder, ".tmp"), 0o500);
  await assert.rejects(storage.check(), { code: "EACCES" });
  await chmod(join(folder, ".tmp"), 0o700);
});

test("no file stays open, however a read or a put ends", hasProc, async () => {
  const folder = await newFolder();
  const storage = await openStorage(`file:${folder}`);
  await storage.put("some.bin", streamOf(someBytes(2_000_000)), VIDEO);
  await bytesOf(await storage.read("some.bin"));
  const before = await openFiles();
  for (let each = 0; each < 20; each += 1) {
    const unread = await storage.read("some.bin");
    unread?.destroy();
    const begun = await storage.read("some.bin");
    for await (const _ of begun ?? []) break;
    await bytesOf(await storage.read("some.bin", { first: 5_000_000, last: 6_000_000 }));
    const { source, taken } = stallingAfter(someBytes(100_000));
    const controller = new AbortController();
    const stored = storage.put("stalled.bin", source, { ...VIDEO, signal: controller.signal });
    await taken;
    controller.abort();
    await assert.rejects(stored);
  }
  await until("all files are closed", async () => (await openFiles()) <= before);
});
