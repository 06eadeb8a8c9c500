/**
 * Copies of folders that another process is at work in: they end, they are whole, and they belong
 * to whom the original belongs.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createTreeCopy, measureFolder } from "./copy-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "copy-tree-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const isRoot = process.getuid?.() === 0;
const MEGABYTE = 1024 * 1024;

/** A folder of its own, to copy from. */
function source(name: string): { readonly from: string; readonly to: string } {
  const from = join(folder, name);
  mkdirSync(from);
  return { from, to: join(folder, `${name}-copy`) };
}

test("folders, files, links, modes and owners are as they were; what is not wanted and what is no file is left out", async () => {
  const { from, to } = source("tree");
  mkdirSync(join(from, "inner"), { mode: 0o700 });
  writeFileSync(join(from, "inner", "secret"), "x", { mode: 0o600 });
  writeFileSync(join(from, "open"), "words");
  chmodSync(join(from, "open"), 0o664);
  symlinkSync("open", join(from, "link"));
  mkdirSync(join(from, "unwanted"));
  writeFileSync(join(from, "unwanted", "file"), "");
  if (isRoot)
    for (const name of ["inner", "inner/secret"]) chownSync(join(from, name), 12_345, 54_321);
  const takes = (path: string): boolean => path !== "unwanted";
  const copy = createTreeCopy({ signal: new AbortController().signal, onBytes: () => undefined });
  await copy.folder(from, to, takes);
  await copy.syncFolders();
  assert.deepEqual(readdirSync(to, { recursive: true }).toSorted(), [
    "inner",
    "inner/secret",
    "link",
    "open",
  ]);
  assert.equal(readlinkSync(join(to, "link")), "open");
  const facts = (path: string): unknown =>
    (({ mode, uid, gid, size }) => ({ mode, uid, gid, size }))(statSync(path));
  assert.equal(statSync(join(to, "inner")).mode & 0o777, 0o700);
  for (const name of ["inner/secret", "open"])
    assert.deepEqual(facts(join(to, name)), facts(join(from, name)));
  assert.deepEqual([copy.files, copy.bytes, await measureFolder(from, takes)], [2, 6, 6]);
});

test(
  "a file that is cut while it is copied ends the copy of it, and one that grows is copied as long as it was",
  { timeout: 10_000 },
  async () => {
    for (const [name, change, size] of [
      ["cut", 2 * MEGABYTE, 2 * MEGABYTE],
      ["grown", 9 * MEGABYTE, 3.5 * MEGABYTE],
    ] as const) {
      const { from, to } = source(name);
      const path = join(from, "table");
      writeFileSync(path, Buffer.alloc(3.5 * MEGABYTE, 7));
      let changed = false;
      const copy = createTreeCopy({
        signal: new AbortController().signal,
        onBytes() {
          if (!changed) truncateSync(path, change);
          changed = true;
        },
      });
      await copy.folder(from, to, () => true);
      assert.ok(readFileSync(join(to, "table")).equals(Buffer.alloc(size, 7)), name);
    }
  },
);

test("what is gone before its turn is left out, and a file that was asked for by name is told to be missing", async () => {
  const { from, to } = source("gone");
  for (const name of ["a", "b"]) writeFileSync(join(from, name), name);
  const copy = createTreeCopy({
    signal: new AbortController().signal,
    onBytes: () => ["a", "b"].forEach((name) => rmSync(join(from, name), { force: true })),
  });
  await copy.folder(from, to, () => true);
  assert.equal(readdirSync(to).length, 1);
  assert.equal(await copy.file(join(from, "a"), join(to, "c")), false);
});

test("who is told to stop stops within a piece, with the reason given", async () => {
  const { from, to } = source("stopped");
  writeFileSync(join(from, "big"), Buffer.alloc(8 * MEGABYTE));
  const reported = new AbortController();
  const copy = createTreeCopy({
    signal: reported.signal,
    onBytes: () => reported.abort(new Error("enough")),
  });
  await assert.rejects(
    copy.folder(from, to, () => true),
    { message: "enough" },
  );
  assert.equal(copy.bytes, MEGABYTE);
});
