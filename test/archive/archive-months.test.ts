/**
 * Guarantee: a month that leaves the database is in the archive, whole and the same; nothing comes to
 * it any more; whatever is killed on the way is finished by the next run.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ENTRY_COLUMNS } from "../../src/archive/entry-columns.ts";
import { openArchiveFile } from "../../src/archive/archive-file.ts";
import { closedMonths } from "../../src/ledger/months.store.ts";
import { monthRows, type MonthRow } from "../../src/ledger/month-rows.store.ts";
import { startS3Server } from "../storage/s3-server.ts";
import { archiveWorld, type ArchiveWorld } from "./archive-world.ts";

async function rowsOf({ db, months }: ArchiveWorld): Promise<Map<string, MonthRow[]>> {
  const rows = new Map<string, MonthRow[]>();
  for (const month of months) {
    const of: MonthRow[] = [];
    for await (const some of monthRows(db, month, 700)) of.push(...some);
    rows.set(month, of);
  }
  return rows;
}

async function archivedRows({ db, storage }: ArchiveWorld): Promise<Map<string, MonthRow[]>> {
  const rows = new Map<string, MonthRow[]>();
  for (const { month, file, state } of await closedMonths(db)) {
    assert.equal(state, "dropped");
    const opened = await openArchiveFile(storage, file ?? "", ENTRY_COLUMNS);
    assert.ok(opened !== null);
    const of: MonthRow[] = [];
    for (const group of opened.groups) of.push(...((await opened.read(group)) as MonthRow[]));
    rows.set(month, of);
  }
  return rows;
}

for (const kind of ["a folder", "S3"])
  test(`months go to ${kind} as they were, and from the database`, async () => {
    await using s3 = kind === "S3" ? await startS3Server() : null;
    await using world = await archiveWorld({
      accounts: 7,
      months: 3,
      perMonth: 2_000,
      ...(s3 && { storageUrl: s3.url("http=1&prefix=some/place") }),
    });
    const before = await rowsOf(world);
    assert.ok([...before.values()].every((rows) => rows.length === 2_007));
    const outcome = await world.archive();
    assert.ok(outcome.kind === "done");
    assert.deepEqual(
      outcome.months.map(({ month, state, entries }) => ({ month, state, entries })),
      world.months.map((month) => ({ month, state: "dropped", entries: 2_007n })),
    );
    assert.deepEqual(await archivedRows(world), before);
    const [left] = await world.db.query<{ count: bigint }>("SELECT count(*) FROM ledger.entries");
    assert.equal(left?.count, 0n);
    if (s3) assert.ok((await s3.objects()).every((name) => name.startsWith("some/place/archive/")));
  });

/** Null: it was killed. */
async function runMortal(world: ArchiveWorld, nth: number): Promise<string | null> {
  const script = join(import.meta.dirname, "mortal-archiver.ts");
  const { database, storageUrl, running } = world;
  const child = spawn(process.execPath, [script, database.url, storageUrl, running, String(nth)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return null;
  assert.equal(code, 0);
  return Buffer.concat(output).toString().trim();
}

test("killed at each thing that it does, it is finished by those that come after", async () => {
  await using world = await archiveWorld({ accounts: 3, months: 3, perMonth: 300 });
  const before = await rowsOf(world);
  let kills = 0;
  for (let nth = 1; ; nth++) {
    const ended = await runMortal(world, nth);
    const [here] = await world.db.query<{ count: bigint }>("SELECT count(*) FROM ledger.entries");
    const closed = await closedMonths(world.db);
    const gone = closed.filter(({ state }) => state === "dropped");
    const sealed = gone.reduce((sum, { entries }) => sum + entries, 0n);
    assert.equal((here?.count ?? 0n) + sealed, 909n, `after death ${nth}`);
    if (ended !== null) break;
    kills += 1;
  }
  assert.ok(kills > 40, `${kills} deaths`);
  assert.deepEqual(await archivedRows(world), before);
  // One file a month and what it is, however many were begun.
  const place = await readdir(world.storageUrl.slice("file:".length), { recursive: true });
  const files = place.filter((name) => name.includes("entries"));
  assert.equal(files.length, 2 * world.months.length, files.join());
});
