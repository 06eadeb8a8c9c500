/**
 * Guarantee: a distribution is refused with its reasons before anything is changed, runs alone, and
 * wherever it is killed or refused by the database, a second run completes it; then the doctor and a
 * verification find all in its place. Against a pretended Citus: no machine of ours has a real one.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "pg";
import { distributionRemarks } from "../../src/business/doctor/check-distribution.ts";
import { readCitusState } from "../../src/business/operate/citus.store.ts";
import { runDistribution } from "../../src/business/operate/run-distribution.ts";
import type {
  DistributionDeps,
  DistributionOutcome,
} from "../../src/business/operate/run-distribution.ts";
import { placeOf } from "../../src/business/operate/table-places.ts";
import { readTables } from "../../src/business/operate/tables.store.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { tellVersion } from "../../src/db/running-version.ts";
import { VERSION } from "../../src/process/project-root.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { asSuperuser, pretendCitus, withoutCitus } from "../support/pretended-citus.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const MORTAL = join(import.meta.dirname, "mortal-distributor.ts");

const skip = await withoutCitus();

interface World extends AsyncDisposable {
  readonly url: string;
  /** Of the test itself. */
  readonly db: Db;
  readonly accountId: string;
  /** A distributor with a connection of its own, which ends with it. */
  distribute(more?: Partial<DistributionDeps>): Promise<DistributionOutcome>;
  /** Its name and that of the table, in order. */
  calls(): Promise<readonly string[]>;
}

async function openWorld(version?: string): Promise<World> {
  const database: TestDatabase = await testDatabase();
  const { db, url } = database;
  const accountId = await newAccount(db, "100");
  await pretendCitus(url, version);
  return {
    url,
    db,
    accountId,
    async distribute(more = {}) {
      const own = more.db ?? openDistributor(url);
      try {
        return await runDistribution(
          {
            actor: { memberId: null, actor: "cli:test" },
            migrations: { directory: MIGRATIONS, version: VERSION },
            onProgress: () => undefined,
            sleep: () => new Promise((resolve) => setImmediate(resolve)),
            ...more,
            db: own,
          },
          16,
        );
      } finally {
        await own.close();
      }
    },
    async calls() {
      const rows = await db.query<{ call: string; relation: string }>(
        "SELECT call, relation FROM citus.calls ORDER BY nth",
      );
      return rows.map(({ call, relation }) => `${call} ${relation}`);
    },
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

const DISTRIBUTOR = "distributor of a test";

function openDistributor(url: string): Db {
  return openDatabase({
    url,
    poolSize: 1,
    applicationName: DISTRIBUTOR,
    onError: () => undefined,
  });
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Each table was placed once, the doctor and the books have nothing against it, and money moves on. */
async function assertDistributed({ db, calls }: World): Promise<void> {
  const [tables, citus] = [await readTables(db), await readCitusState(db)];
  const wanted = tables
    .map(({ name }) => ({ name, kind: placeOf(name).kind }))
    .filter(({ kind }) => kind !== "local")
    .map(({ name, kind }) =>
      kind === "reference" ? `create_reference_table ${name}` : `create_distributed_table ${name}`,
    );
  assert.deepEqual((await calls()).toSorted(), wanted.toSorted());
  assert.deepEqual(
    distributionRemarks(tables, citus).map(({ severity }) => severity),
    ["note"],
  );
  assert.deepEqual((await verifyLedger(db)).mismatches, []);
  await assert.rejects(db.query("UPDATE ledger.entries SET note = 'x'"), /permission denied/);
  await newAccount(db, "7");
  assert.deepEqual((await verifyLedger(db)).mismatches, []);
}

/** How often the action has been written down, by what it says of itself. */
async function audited({ db }: World): Promise<readonly string[]> {
  const rows = await db.query<{ state: string }>(
    "SELECT after ->> 'state' AS state FROM audit.actions WHERE action = 'database.distribute' ORDER BY audit_id",
  );
  return rows.map(({ state }) => state);
}

async function reasonsOf({ distribute }: World): Promise<string> {
  const outcome = await distribute();
  assert.ok(outcome.kind === "refused", JSON.stringify(outcome));
  return outcome.reasons.join("\n");
}

test("it is refused with every reason before anything is changed", { skip }, async () => {
  await using old = await openWorld("10.2-4");
  assert.match(await reasonsOf(old), /Citus 10\.2-4 is too old/);
  await using world = await openWorld();
  const { db, url, accountId } = world;
  const once = async (plant: string, undo: string, reason: RegExp): Promise<void> => {
    await asSuperuser(url, (client) => client.query(plant));
    assert.match(await reasonsOf(world), reason);
    await asSuperuser(url, (client) => client.query(undo));
  };
  await once(
    "UPDATE citus.local_group SET groupid = 1",
    "UPDATE citus.local_group SET groupid = 0",
    /not the coordinator/,
  );
  await once(
    "UPDATE pg_dist_node SET isactive = false WHERE groupid <> 0",
    "UPDATE pg_dist_node SET isactive = true",
    /no active worker/,
  );
  await once(
    "DELETE FROM pg_dist_node WHERE groupid = 0",
    "INSERT INTO pg_dist_node (nodeid, groupid) VALUES (1, 0)",
    /does not know itself/,
  );
  const [own] = await db.query<{ role: string }>("SELECT current_user AS role");
  await once(
    "ALTER TABLE files.usage OWNER TO postgres",
    `ALTER TABLE files.usage OWNER TO ${own?.role}`,
    /files\.usage do not belong to the role/,
  );
  await once(
    "INSERT INTO pg_dist_partition VALUES ('ledger.owners', 'h', 'owner_id', 9)",
    "DELETE FROM pg_dist_partition",
    /ledger\.owners is distributed by owner_id/,
  );
  await once(
    "INSERT INTO migrations.applied (number, name, checksum, oldest_version) VALUES (9999, '9999_later.sql', 'x', '0.1.0')",
    "DELETE FROM migrations.applied WHERE number = 9999",
    /newer version \(9999_later\.sql\)/,
  );
  await once(
    `UPDATE ledger.accounts SET charged_nano = charged_nano + 1 WHERE account_id = '${accountId}'`,
    `UPDATE ledger.accounts SET charged_nano = charged_nano - 1 WHERE account_id = '${accountId}'`,
    /books do not agree/,
  );
  await withClient(url, async (client) => {
    await tellVersion(client, VERSION);
    assert.match(await reasonsOf(world), /1 serving processes are at work/);
  });
  const superuser = new URL(url);
  superuser.searchParams.set("user", "postgres");
  const outcome = await world.distribute({ db: openDistributor(superuser.href) });
  assert.ok(outcome.kind === "refused" && /is a superuser/.test(outcome.reasons.join("\n")));

  assert.deepEqual(await world.calls(), []);
  assert.deepEqual(await audited(world), []);
  const tables = await readTables(db);
  assert.ok(
    tables.some(({ triggers }) => triggers.length > 0),
    "its walls stand",
  );
  assert.equal((await world.distribute()).kind, "done");
  await assertDistributed(world);
});

test(
  "the command wants a yes, tells each statement, and does nothing where all is done",
  { skip },
  async () => {
    await using world = await openWorld();
    const { run } = createTollgateCommand({ DATABASE_URL: world.url });
    const unsure = await run("database", "distribute");
    assert.equal(unsure.code, 2);
    assert.match(unsure.stderr, /never run on a real Citus cluster.*backup.*--dry-run.*--yes/);
    assert.deepEqual(await world.calls(), []);
    const first = await run("database", "distribute", "--yes", "--shards", "16");
    assert.equal(first.code, 0, first.stdout + first.stderr.slice(-900));
    assert.match(first.stdout, /statements run: accounts are spread\.\nThe books agree\./);
    assert.match(first.stdout, /Nothing of this has run on a real Citus/);
    const lines = [...first.stderr.matchAll(/^(\d+)\/(\d+) \S/gm)];
    assert.equal(lines.length, Number(lines[0]?.[2]), "each statement has its line");
    assert.deepEqual(await audited(world), ["begun", "done"]);
    await assertDistributed(world);
    const second = await run("database", "distribute", "--yes");
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stdout, /All was done before/);
    assert.deepEqual(await audited(world), ["begun", "done"]);
    await assertDistributed(world);
  },
);

class Killed extends Error {}

test("killed between any two statements, it is completed by the next run", { skip }, async () => {
  await using world = await openWorld();
  const reached = new Set<string>();
  /** Dies before the first statement that none before it came to. */
  const onProgress: DistributionDeps["onProgress"] = (sql, step) => {
    if (step === null || reached.has(sql)) return;
    reached.add(sql);
    throw new Killed();
  };
  let deaths = 0;
  for (;;) {
    const outcome = await world.distribute({ onProgress }).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
      return null;
    });
    if (outcome !== null) {
      assert.ok(outcome.kind === "done", JSON.stringify(outcome));
      break;
    }
    deaths += 1;
  }
  assert.equal(deaths, reached.size);
  assert.ok(deaths > 80, `${deaths} deaths`);
  await assertDistributed(world);
});

/** Null: it was killed. */
function runMortal(url: string, nth: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const child = execFile(process.execPath, [MORTAL, url, String(nth)], (_, stdout, stderr) => {
    if (child.signalCode === "SIGKILL") resolve(null);
    else resolve(stdout === "" ? stderr : stdout);
  });
  return promise;
}

test(
  "a process that is killed in the middle of a statement leaves what another completes",
  { skip },
  async () => {
    await using world = await openWorld();
    let killed = 0;
    for (let nth = 5; ; nth += 131) {
      const printed = await runMortal(world.url, nth);
      if (printed === null) {
        killed += 1;
        continue;
      }
      // What the killed one has begun may still be under way.
      if (printed.includes('"busy"')) continue;
      assert.match(printed, /"kind":"done"/);
      break;
    }
    assert.ok(killed >= 4, `${killed} kills`);
    await assertDistributed(world);
  },
);

test(
  "a second one is refused beside the first, which waits for a table in use and goes on",
  { skip },
  async () => {
    await using world = await openWorld();
    const waits = Promise.withResolvers<undefined>();
    const reader = new Client({ connectionString: world.url });
    await reader.connect();
    await reader.query("BEGIN");
    await reader.query("LOCK TABLE ledger.accounts IN ROW EXCLUSIVE MODE");
    const first = world.distribute({
      onProgress: (what) => {
        if (/waits for a table/.test(what)) waits.resolve(undefined);
      },
    });
    await Promise.race([
      waits.promise,
      first.then((outcome) => assert.fail(JSON.stringify(outcome))),
    ]);
    const { run } = createTollgateCommand({ DATABASE_URL: world.url });
    const second = await run("database", "distribute", "--yes");
    assert.equal(second.code, 1, second.stdout);
    assert.match(second.stderr, /another `tollgate database distribute` is at work/);
    await reader.query("COMMIT");
    await reader.end();
    assert.equal((await first).kind, "done");
    await assertDistributed(world);
  },
);

test(
  "a worker that fails, a gateway that starts and a connection that breaks stop it, and the next run goes on",
  { skip },
  async () => {
    await using world = await openWorld();
    const { db, url } = world;
    await db.query(
      "INSERT INTO citus.faults VALUES ('ledger.holds', 'connection to the remote node failed')",
    );
    const failed = await world.distribute();
    assert.ok(failed.kind === "stopped", JSON.stringify(failed));
    assert.match(failed.sql, /'ledger\.holds'/);
    assert.match(failed.reason, /remote node failed/);
    const state = await readCitusState(db);
    const [remark] = distributionRemarks(await readTables(db), state);
    assert.equal(remark?.severity, "error");
    assert.ok((await verifyLedger(db)).mismatches.every(({ where }) => where === "tables.place"));
    const { run } = createTollgateCommand({ DATABASE_URL: url });
    const again = await run("database", "distribute", "--yes");
    assert.equal(again.code, 1);
    assert.match(
      again.stderr,
      /was not done: connection to the remote node failed[^]*run the command again/,
    );
    await db.query("DELETE FROM citus.faults");

    const gateway = new Client({ connectionString: url });
    await gateway.connect();
    const starting: Promise<void>[] = [];
    const started = await world.distribute({
      sleep: async () => undefined,
      onProgress: (_what, step) => {
        if (step?.nth === 2) starting.push(tellVersion(gateway, VERSION));
      },
    });
    await Promise.all(starting);
    await gateway.end();
    assert.ok(started.kind === "stopped" && /stop every gateway/.test(started.reason));

    let broken = false;
    await world.distribute({
      onProgress: (_what, step) => {
        if (broken || step === null || step.nth < step.of / 2) return;
        broken = true;
        void db.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '${DISTRIBUTOR}' AND datname = current_database()`,
        );
      },
    });
    const last = await world.distribute();
    assert.equal(last.kind, "done");
    await assertDistributed(world);
  },
);
