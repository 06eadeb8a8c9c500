/**
 * Guarantee: the plan of a distributed database has each table once and in its place, may be run again
 * where it broke off, leaves the books as they are, and is refused where it could not be kept. A
 * pretended Citus stands in for the real one, which no machine of ours has.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { distributionRemarks } from "../../src/business/doctor/check-distribution.ts";
import { misplacedTables } from "../../src/business/operate/misplaced-tables.ts";
import { planDistribution } from "../../src/business/operate/plan-distribution.ts";
import {
  readCitusState,
  readCitusTables,
  type CitusState,
} from "../../src/business/operate/citus.store.ts";
import { placeOf } from "../../src/business/operate/table-places.ts";
import { readTables, type TableShape } from "../../src/business/operate/tables.store.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { asSuperuser, pretendCitus, withoutCitus } from "../support/pretended-citus.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

const CITUS: CitusState = { version: "13.2-1", installed: true, tables: [], spread: false };
const skip = await withoutCitus();
let database: TestDatabase;
let tables: TableShape[];
before(async () => {
  database = await testDatabase();
  tables = await readTables(database.db);
});
after(() => database.drop());

function planned(of: readonly TableShape[] = tables) {
  const plan = planDistribution(of, CITUS, 16);
  assert.ok(plan.kind === "planned", JSON.stringify(plan));
  return plan;
}

function refusals(of: readonly TableShape[], citus = CITUS): string {
  const plan = planDistribution(of, citus, 16);
  assert.ok(plan.kind === "refused");
  return plan.reasons.join("\n");
}

/** How bad the doctor finds it. */
const remarksOn = (placed: CitusState["tables"], spread: boolean): string[] =>
  distributionRemarks(tables, { ...CITUS, tables: placed, spread }).map(({ severity }) => severity);

const changed = (name: string, change: Partial<TableShape>): TableShape[] =>
  tables.map((table) => (table.name === name ? { ...table, ...change } : table));

test("each table is spread, whole everywhere or in one place, as the list says, and named once", () => {
  const { steps, tables: places } = planned();
  const named = (call: string): string[] =>
    steps.flatMap(({ sql }) => {
      const [, name] = new RegExp(`^SELECT ${call}\\('([^']+)'`).exec(sql) ?? [];
      return name === undefined ? [] : [name];
    });
  const ofKind = (kind: string): string[] =>
    tables.map(({ name }) => name).filter((name) => placeOf(name).kind === kind);
  assert.deepEqual(named("create_distributed_table").toSorted(), ofKind("distributed").toSorted());
  assert.deepEqual(named("create_reference_table"), ofKind("reference"));
  assert.deepEqual(
    places.map(({ name }) => name),
    tables.map(({ name }) => name),
  );
  assert.equal(named("create_distributed_table")[0], "ledger.accounts");
});

test("what is referred to is spread before what refers to it, and no trigger is left on it", () => {
  const { steps } = planned();
  const at = (part: string): number => steps.findIndex(({ sql }) => sql.includes(part));
  for (const { name, references, triggers } of tables) {
    if (placeOf(name).kind !== "distributed") continue;
    for (const { to } of references)
      assert.ok(at(`_table('${to}'`) < at(`_table('${name}'`), `${name} refers to ${to}`);
    for (const { name: trigger, on } of triggers) {
      const dropped = at(`DROP TRIGGER IF EXISTS ${trigger} ON ${on}`);
      assert.ok(dropped > 0 && dropped < at(`_table('${name}'`), `${trigger} on ${on}`);
    }
  }
  assert.ok(tables.some(({ triggers }) => triggers.some(({ on }) => /entries_\d{4}/.test(on))));
});

test("it is refused with its reason: without Citus, with a stray table, reference or trigger", () => {
  assert.match(refusals(tables, { ...CITUS, version: null, installed: false }), /no extension/);
  assert.match(refusals(tables, { ...CITUS, version: null }), /CREATE EXTENSION/);
  const bare = { name: "new.bare", columns: ["id"], keys: [], references: [], triggers: [] };
  assert.match(refusals([...tables, bare]), /new\.bare has no account_id/);
  const pairs = [["account_id", "account_id"]] as const;
  const stray = { name: "fk", to: "accounts.members", pairs, clears: false };
  assert.match(
    refusals(changed("files.usage", { references: [stray] })),
    /leads to accounts\.members/,
  );
  const sealed = { name: "sealed", on: "ledger.entries_2026_01", calls: "ledger.refuse_late" };
  assert.match(refusals(changed("ledger.entries", { triggers: [sealed] })), /drop the month first/);
});

test("a table that lies elsewhere is refused by the plan, and found by the doctor and by a verification", () => {
  const spread = { kind: "distributed", by: "account_id", colocation: 2 } as const;
  const anchor = { name: "ledger.accounts", ...spread };
  const wrong = [
    { ...spread, name: "ledger.budgets", by: "budget_id" },
    { ...spread, name: "ledger.budgets", colocation: 3 },
    { ...spread, name: "accounts.members" },
    { name: "files.usage", kind: "reference", by: null, colocation: 1 },
    { name: "ledger.owners", kind: "other", by: null, colocation: 7 },
  ] as const;
  for (const each of wrong) {
    const placed = [anchor, each];
    assert.match(
      refusals(tables, { ...CITUS, tables: placed }),
      new RegExp(`${each.name} is .*undistribute_table`),
    );
    assert.deepEqual(remarksOn(placed, true), ["error"]);
    const named = misplacedTables(tables, { tables: placed, spread: true });
    assert.ok(
      named.some(({ id }) => id === each.name),
      `ledger verify names ${each.name}`,
    );
  }
  assert.equal(planDistribution(tables, { ...CITUS, tables: [anchor] }, 16).kind, "planned");
});

test("the doctor says nothing without Citus, and that all is well where nothing is spread", () => {
  assert.deepEqual(distributionRemarks(tables, { ...CITUS, version: null }), []);
  assert.deepEqual(remarksOn([], false), ["ok"]);
  assert.deepEqual(remarksOn([], true), ["error"], "the ledger asks where nothing lies");
});

test("a name that could be more than a name makes no statement", () => {
  const trigger = { name: 'x"; DROP', on: "ledger.entries", calls: "ledger.refuse_change" };
  assert.throws(() => planned(changed("ledger.entries", { triggers: [trigger] })));
});

test("the command says why it refuses, and runs nothing that it was not asked to", async () => {
  const { run } = createTollgateCommand({ DATABASE_URL: database.url });
  const refused = await run("database", "distribute", "--dry-run");
  assert.equal(refused.code, 1, refused.stderr);
  assert.match(refused.stdout, /the server has no extension citus/);
  assert.equal((await run("database", "distribute")).code, 2);
  const sure = await run("database", "distribute", "--yes");
  assert.equal(sure.code, 1, sure.stderr);
  assert.match(sure.stdout, /Nothing was changed[^]*the server has no extension citus/);
  assert.equal((await run("database", "distribute", "--dry-run", "--shards", "0")).code, 2);
  assert.equal((await readCitusState(database.db)).version, null);
});

/** The last one: the database is another one then. */
test(
  "it may be run again where it broke off, and the books work on as they did",
  { skip },
  async () => {
    const { db } = database;
    const { steps } = planned();
    await pretendCitus(database.url);
    const nodes = (text: string): Promise<unknown> =>
      asSuperuser(database.url, (client) => client.query(text));
    await nodes("DELETE FROM pg_dist_node");
    await assert.rejects(db.query(steps[0]?.sql ?? ""), /citus_set_coordinator_host/);
    await nodes("INSERT INTO pg_dist_node (nodeid, groupid) VALUES (1, 0)");
    await assert.rejects(db.query(steps[0]?.sql ?? ""), /citus_add_node/);
    await nodes("INSERT INTO pg_dist_node (nodeid, groupid) VALUES (2, 1)");
    const breaksOff = 3 + steps.findIndex(({ sql }) => sql.includes("create_distributed_table"));
    for (const { sql } of steps.slice(0, breaksOff)) await db.query(sql);
    const begun = await readCitusTables(db);
    assert.equal(begun.filter(({ kind }) => kind === "distributed").length, 3);
    const wanting = misplacedTables(tables, { tables: begun, spread: false });
    assert.equal(
      wanting.length,
      tables.filter(({ name }) => placeOf(name).kind === "distributed").length - 3,
    );
    assert.deepEqual(remarksOn(begun, false), ["error"], "the doctor sees that it broke off");
    for (const { sql } of [...steps, ...steps]) await db.query(sql);
    const placed = await readCitusTables(db);
    assert.deepEqual(
      placed.filter(({ kind }) => kind !== "local").map(({ name, kind }) => [name, kind]),
      tables.map(({ name }) => [name, placeOf(name).kind]).filter(([, kind]) => kind !== "local"),
    );
    assert.ok(
      placed.some(({ kind }) => kind === "local"),
      "what is tied to a reference table",
    );
    assert.deepEqual(remarksOn(placed, true), ["note"]);
    assert.deepEqual(misplacedTables(tables, { tables: placed, spread: true }), []);

    const accountId = await newAccount(db, "100");
    const [entries] = await db.query<{ n: bigint }>(
      "SELECT count(*) AS n FROM ledger.entries WHERE account_id = $1",
      [accountId],
    );
    assert.equal(entries?.n, 1n);
    assert.deepEqual((await verifyLedger(db)).mismatches, []);
    await assert.rejects(db.query("UPDATE ledger.entries SET note = 'x'"), /permission denied/);
    // Months that the gateway makes afterwards have no trigger either, and take no change.
    await db.query("SELECT ledger.keep_months('2031-01-01', '2031-01-01')");
    await db.query("SELECT months.keep('2031-01-01', '2031-01-01')");
    await assert.rejects(db.query("DELETE FROM ledger.entries_2031_01"), /permission denied/);
    const left = (await readTables(db)).filter(
      ({ name, triggers }) => placeOf(name).kind === "distributed" && triggers.length > 0,
    );
    assert.deepEqual(left, []);
  },
);
