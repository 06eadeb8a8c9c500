/**
 * `tollgate backup` refuses what cannot become a backup before it writes anything, with one line
 * that says what to do. The copies themselves: test/operate/backup.test.ts.
 */
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { takeOwnerLock } from "#embedded-postgres/owner-lock.ts";
import { runCli } from "../run-cli.ts";

const folder = mkdtempSync(join(tmpdir(), "backup-input-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const dataDir = join(folder, "data");
const target = join(folder, "backup");
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  // As much of an installation as is looked at before its server is started; a run that came so far
  // would fail there.
  mkdirSync(join(dataDir, "postgres", "cluster"), { recursive: true });
  writeFileSync(join(dataDir, "postgres", "cluster", "PG_VERSION"), "1\n");
});

interface Ran {
  readonly code: number;
  readonly err: string;
}

async function run(
  argv: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const never = (): never => assert.fail("a backup asks for nothing of this");
  const err: string[] = [];
  const values = {
    DATABASE_URL: "(embedded PostgreSQL in DATA_DIR)",
    DATA_DIR: dataDir,
    STORAGE_URL: `file:${join(dataDir, "files")}`,
  };
  const code = await runCli(["backup", ...argv], {
    openDb: never,
    openArchive: never,
    openSeal: never,
    readFile: never,
    env: {},
    exampleEnvironment: () => "",
    describeConfig: () => ({ ok: true, values: { ...values, ...settings } }),
    examine: never,
    serve: never,
    sandbox: never,
    user: "tester",
    version: "1.2.3",
    migrations: "",
    colour: false,
    debug: false,
    out: never,
    err: (text) => void err.push(text),
  });
  return { code, err: err.join("\n") };
}

/** One line that matches, exit code 1, and nothing new in the folder. */
async function refuses(
  wanted: RegExp,
  place: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const before = readdirSync(folder, { recursive: true });
  const { code, err } = await run([place], settings);
  assert.equal(code, 1, err);
  assert.match(err, wanted);
  assert.equal(err.split("\n").length, 1);
  assert.deepEqual(readdirSync(folder, { recursive: true }), before);
}

test("without a folder, or with one argument too many, the command line is wrong", async () => {
  assert.equal((await run([])).code, 2);
  assert.equal((await run([""])).code, 2);
  assert.equal((await run([target, "more"])).code, 2);
});

test("a database of the operator's own is left to pg_dump", async () => {
  for (const url of ["postgres://u@h/d", "postgresql://u@h/d"])
    await refuses(/pg_dump "\$DATABASE_URL"/, target, { DATABASE_URL: url });
});

test("a DATA_DIR without a database is not backed up as an empty installation", async () => {
  await refuses(/there is no database in .*elsewhere/, target, {
    DATA_DIR: join(folder, "elsewhere"),
  });
});

test("what is there already is never written into", async () => {
  mkdirSync(target);
  writeFileSync(join(target, "something"), "");
  await refuses(/is there already/, target);
  await refuses(/is there already/, join(target, "something"));
  await refuses(/there is no folder/, join(folder, "missing", "backup"));
  // Beside it something that is not ours has the name that an unfinished backup would have.
  mkdirSync(`${target}-2.partial/postgres/cluster`, { recursive: true });
  writeFileSync(`${target}-3.partial`, "");
  for (const place of [`${target}-2`, `${target}-3`])
    await refuses(
      /backup-[23]\.partial is there already, without the lock of an unfinished/,
      place,
    );
  await refuses(/the name is too long/, join(folder, "x".repeat(250)));
});

test("what a killed backup has left goes before anything is refused, also when it had no lock yet", async () => {
  const draft = `${target}.partial`;
  for (const left of ["", "postgres", "postgres/cluster"]) {
    mkdirSync(join(draft, left), { recursive: true });
    if (left.endsWith("cluster")) writeFileSync(join(draft, "postgres", "owner.lock"), "");
    // It comes as far as the server of this installation, which is none.
    assert.match((await run([target])).err, /was made by PostgreSQL 1,/);
    assert.deepEqual(readdirSync(folder), ["data"]);
  }
  mkdirSync(join(draft, "postgres"), { recursive: true });
  const lock = takeOwnerLock(join(draft, "postgres", "owner.lock"));
  await refuses(/another backup writes into .*backup\.partial/, target);
  lock?.release();
});

test("a folder within what is copied, or around it, is refused, also behind a link", async () => {
  await refuses(/one in the other/, join(dataDir, "backup"));
  await refuses(/one in the other/, dataDir);
  await refuses(/one in the other/, folder);
  symlinkSync(dataDir, join(folder, "link"));
  await refuses(/one in the other/, join(folder, "link", "backup"));
  mkdirSync(join(folder, "files"));
  await refuses(/one in the other/, join(folder, "files", "backup"), {
    STORAGE_URL: `file:${join(folder, "files")}`,
  });
});

test("a disk without room for it is told before anything is copied", async () => {
  const big = join(dataDir, "big");
  writeFileSync(big, "");
  truncateSync(big, 8e12); // takes no room itself
  await refuses(/the backup needs 80000\d\d MB, and there are \d+ MB free/, target);
});
