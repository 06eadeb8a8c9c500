/**
 * Guarantee: `tollgate archive` does what it is asked for, says what it did, and leaves as many months
 * as the settings say.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runCli, type CliDeps } from "../../src/cli/run-cli.ts";
import { openDatabase } from "../../src/db/database.ts";
import { openArchiveStorage } from "../../src/storage/open-storage.ts";
import { archiveWorld, type ArchiveWorld } from "./archive-world.ts";

let world: ArchiveWorld;
before(async () => {
  world = await archiveWorld({ accounts: 2, months: 5, perMonth: 40 });
});
after(async () => world[Symbol.asyncDispose]());

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: [] as string[], err: [] as string[] };
  const deps: Partial<CliDeps> = {
    openDb: () =>
      Promise.resolve(
        openDatabase({
          url: world.database.url,
          poolSize: 1,
          applicationName: "test command",
          onError: () => undefined,
        }),
      ),
    openArchive: async () => ({
      storage: await openArchiveStorage(world.storageUrl),
      monthsKept: 3,
    }),
    user: "anna",
    version: "1",
    colour: false,
    debug: false,
    out: (text) => void printed.out.push(text),
    err: (text) => void printed.err.push(text),
  };
  const code = await runCli(["archive", ...argv], deps as CliDeps);
  return { code, out: printed.out.join("\n"), err: printed.err.join("\n") };
}

test("what is no month, or is not over, is a mistake of the command line", async () => {
  for (const month of ["2026", "2026-13", "January", "9999-01"]) {
    const { code, err } = await run("--before", month);
    assert.equal(code, 2, month);
    assert.match(err, /month/);
  }
});

test("without a month it leaves those that the settings keep, and a dry run leaves all", async () => {
  const [now] = await world.db.query<{ month: string }>(
    "SELECT to_char(now() AT TIME ZONE 'Europe/Moscow' - interval '3 months', 'YYYY-MM') AS month",
  );
  const old = world.months.filter((month) => month < (now?.month ?? ""));
  assert.ok(old.length >= 1);
  const dry = await run("--dry-run", "--json");
  assert.deepEqual([dry.code, dry.err], [0, ""]);
  const planned = JSON.parse(dry.out) as { months: { month: string; state: string }[] };
  assert.deepEqual(
    planned.months.map(({ month, state }) => `${month} ${state}`),
    old.map((month) => `${month} open`),
  );
  const { code, out } = await run();
  assert.equal(code, 0);
  for (const month of old) assert.match(out, new RegExp(`${month}\\s+dropped\\s+42 `));
  assert.match(out, new RegExp(`${old.length} months? of ${old.length} archived`));
  assert.equal((await run()).out, "No month is to be archived.");
});

test("a month that cannot close yet is named, with the reason", async () => {
  const month = world.months.at(-1) ?? "";
  await world.db.query(
    `INSERT INTO ledger.holds (account_id, hold_id, held_nano, created_at)
     VALUES ($1, ledger.first_id(to_date($2, 'YYYY-MM') + interval '4 days'), 0, now())`,
    [world.accountIds[0], month],
  );
  const { code, out } = await run("--before", world.running);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`${month}\\s+open: a hold`));
});
