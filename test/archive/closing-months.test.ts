/**
 * Guarantee: a month closes only when nothing can come to it any more, takes nothing from then on, and
 * leaves the database only after its file was found to be the same.
 */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, beforeEach, test } from "node:test";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { closedMonths, sealMonth } from "../../src/ledger/months.store.ts";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { until } from "../support/until.ts";
import { verifyPlanted } from "../support/verify-planted.ts";
import { archiveWorld, type ArchiveWorld } from "./archive-world.ts";

const RESTRICTED = "23001";

let world: ArchiveWorld;
/** The oldest one that is not closed. */
let month = "";
let idOfMonth: Uuid = "";

before(async () => {
  world = await archiveWorld({ accounts: 3, months: 12, perMonth: 60 });
});
after(async () => world[Symbol.asyncDispose]());

beforeEach(async () => {
  const closed = await closedMonths(world.db);
  month = world.months.find((each) => !closed.some((one) => one.month === each)) ?? "";
  const [id] = await world.db.query<{ id: Uuid }>(
    "SELECT ledger.first_id(to_date($1, 'YYYY-MM')::timestamptz + interval '3 days') AS id",
    [month],
  );
  idOfMonth = (id?.id ?? "").slice(0, 14) + newUuid().slice(14);
});

const next = (): string => world.months[world.months.indexOf(month) + 1] ?? world.running;
const archive: ArchiveWorld["archive"] = (wish, rest) =>
  world.archive({ before: next(), ...wish }, rest);

async function stateOf(of = month): Promise<string> {
  return (await closedMonths(world.db)).find((each) => each.month === of)?.state ?? "open";
}

async function rowsHere(): Promise<number> {
  const name = `ledger.entries_${month.replace("-", "_")}`;
  const [row] = await world.db.query<{ count: bigint }>(
    `SELECT CASE WHEN to_regclass('${name}') IS NULL THEN -1 ELSE (SELECT count(*) FROM ledger.entries
      WHERE tableoid = to_regclass('${name}')) END AS count`,
  );
  return Number(row?.count);
}

const book = (id: Uuid, at: string): Promise<unknown> =>
  world.db.query(
    `WITH a AS (UPDATE ledger.accounts SET entries = entries + 1, credited_nano = credited_nano + 1 WHERE account_id = $1
       RETURNING entries, credited_nano - charged_nano AS balance)
     INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, reference)
     SELECT $1, $2::uuid, entries, $3, 1, balance, 'topup', $2::uuid::text FROM a`,
    [world.accountIds[0], id, at],
  );

async function refusalOf(): Promise<string | null> {
  const outcome = await archive();
  assert.ok(outcome.kind === "done");
  assert.equal(await rowsHere(), 63);
  return outcome.months.at(-1)?.refused ?? null;
}

const awaited = {
  "a hold": [
    "INSERT INTO ledger.holds (account_id, hold_id, held_nano, created_at) VALUES ($1, $2, 0, now())",
    "DELETE FROM ledger.holds",
  ],
  "an unfinished request": [
    `INSERT INTO ledger.unfinished (account_id, request_id, journal_id, hold_id, held_nano, recorded_nano, price_version, noted_at, detail)
     VALUES ($1, $2, $1, $1, 0, 0, 1, now(), '{}')`,
    "DELETE FROM ledger.unfinished",
  ],
} as const;

for (const [what, [appear, go]] of Object.entries(awaited))
  test(`a month that ${what} belongs to waits for it`, async () => {
    await world.db.query(appear, [world.accountIds[1], idOfMonth]);
    assert.equal(await refusalOf(), "awaited");
    assert.equal(await stateOf(), "open");
    await world.db.query(go);
    assert.equal((await archive()).kind, "done");
    assert.equal(await stateOf(), "dropped");
  });

test("a lease of an old id is waited for by no month, and none closes before its second day", async () => {
  await world.db.query(
    "INSERT INTO ledger.holds (account_id, hold_id, held_nano, created_at, shared) VALUES ($1, $2, 0, now(), true)",
    [world.accountIds[1], idOfMonth],
  );
  assert.equal((await archive()).kind, "done");
  assert.equal(await stateOf(), "dropped");
  await world.db.query("DELETE FROM ledger.holds");
  const [now] = await world.db.query<{ month: string }>(
    "SELECT to_char(now() AT TIME ZONE 'Europe/Moscow', 'YYYY-MM') AS month",
  );
  const running = now?.month ?? "";
  assert.deepEqual(await world.db.transaction((tx) => sealMonth(tx, running)), {
    kind: "refused",
    why: "running",
  });
  assert.deepEqual(await archive({ before: "9999-01" }), { kind: "future", running });
});

test("what was booked today keeps its month open", async () => {
  await book(idOfMonth, "now");
  const outcome = await archive();
  assert.ok(outcome.kind === "done");
  assert.equal(outcome.months.at(-1)?.refused, "today");
  assert.equal(await rowsHere(), 64);
  const [seals] = await world.db.query<{ count: bigint }>(
    "SELECT count(*) FROM ledger.seals WHERE month = to_date($1, 'YYYY-MM')",
    [month],
  );
  assert.equal(seals?.count, 0n);
  // As if tomorrow had come.
  await world.db.query("ALTER TABLE ledger.entries DISABLE TRIGGER USER");
  await world.db.query("GRANT UPDATE ON ledger.entries TO CURRENT_USER");
  const name = `ledger.entries_${month.replace("-", "_")}`;
  await world.db.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await world.db.query(
    "UPDATE ledger.entries SET at = now() - interval '2 days' WHERE entry_id = $1",
    [idOfMonth],
  );
  await world.db.query("ALTER TABLE ledger.entries ENABLE TRIGGER USER");
  assert.equal((await archive()).kind, "done");
  assert.equal(await stateOf(), "dropped");
});

test("a closed month takes no entry, whatever has become of its rows, and does not come back", async () => {
  assert.equal((await archive({ keep: true })).kind, "done");
  assert.equal(await stateOf(), "archived");
  assert.equal(await rowsHere(), 63);
  await assert.rejects(book(idOfMonth, "now"), { code: RESTRICTED, message: /is sealed/ });
  for (const [change, found] of [
    ["entries = entries + 1", ["seal.entries", "seal.entries"]],
    ["charged_nano = charged_nano + 1", ["seal.moved"]],
  ] as const) {
    const all = await verifyPlanted(world.db, (tx) =>
      tx.query(
        `UPDATE ledger.seals SET ${change} WHERE month = to_date($1, 'YYYY-MM') AND account_id = $2`,
        [month, world.accountIds[0]],
      ),
    );
    const mismatches = all.filter(({ where }) => where.startsWith("seal."));
    assert.deepEqual(
      mismatches.map(({ where }) => where),
      found,
    );
    for (const { expected, found: other } of mismatches) assert.notEqual(expected, other);
  }
  const again = await archive({ keep: true });
  assert.ok(again.kind === "done");
  assert.deepEqual(
    again.months.map(({ state }) => state),
    ["archived"],
  );
  assert.equal((await archive()).kind, "done");
  assert.equal(await stateOf(), "dropped");
  await world.db.query("SELECT ledger.keep_months($1, $1)", [`${month}-01`]);
  assert.equal(await rowsHere(), -1);
  const actions = await world.db.query<{ after: { state: string }; actor: string }>(
    "SELECT after, actor FROM audit.actions WHERE action = 'ledger.archive' AND subject = $1 ORDER BY audit_id",
    [month],
  );
  assert.deepEqual(
    actions.map(({ after: done, actor }) => `${actor} ${done.state}`),
    ["cli:test sealed", "cli:test archived", "cli:test dropped"],
  );
});

test("of two archivers at once one works", async () => {
  const gate = Promise.withResolvers<void>();
  let writing = false;
  const slow: ObjectStorage = {
    ...world.storage,
    async put(key, source, options) {
      writing = true;
      await gate.promise;
      return world.storage.put(key, source, options);
    },
  };
  const first = archive({}, { storage: slow });
  await until("it writes", () => Promise.resolve(writing));
  assert.deepEqual(await archive(), { kind: "busy" });
  gate.resolve();
  assert.equal((await first).kind, "done");
  assert.equal(await stateOf(), "dropped");
});

test("one who was overtaken says so, and takes nothing away", async () => {
  const overtaken: ObjectStorage = {
    ...world.storage,
    async put(key, source, options) {
      const put = await world.storage.put(key, source, options);
      await world.db.query("UPDATE ledger.months SET file = 'entriesx7.parquet' WHERE file = $1", [
        key,
      ]);
      return put;
    },
  };
  await assert.rejects(archive({}, { storage: overtaken }), /another archiver/);
  assert.equal(await stateOf(), "sealed");
  assert.equal(await rowsHere(), 63);
  assert.equal((await archive()).kind, "done");
});

test("a file that is not what was written leaves the month where it is", async () => {
  const broken: ObjectStorage = {
    ...world.storage,
    put: (key, source, options) =>
      world.storage.put(
        key,
        Readable.from(
          source.map((chunk: Buffer) => Buffer.from(chunk).fill(0, 0, 1)),
          { objectMode: false },
        ),
        options,
      ),
  };
  await assert.rejects(archive({}, { storage: broken }), /its bytes are not those/);
  assert.equal(await stateOf(), "sealed");
  await world.db.query(
    "UPDATE ledger.seals SET charged_nano = charged_nano + 1 WHERE account_id = $1",
    [world.accountIds[2]],
  );
  await assert.rejects(archive(), /chargedNano of account .* instead of/);
  await world.db.query(
    "UPDATE ledger.seals SET charged_nano = charged_nano - 1 WHERE account_id = $1",
    [world.accountIds[2]],
  );
  await world.db.query("UPDATE ledger.budget_seals SET charged_nano = charged_nano - 1");
  await assert.rejects(archive(), /chargedNano of budget/);
  assert.equal(await rowsHere(), 63);
  await world.db.query("UPDATE ledger.budget_seals SET charged_nano = charged_nano + 1");
  assert.equal((await archive()).kind, "done");
  assert.equal(await stateOf(), "dropped");
});

test("while the books are read a month stays, and goes as soon as they are not", async () => {
  const read = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const reader = world.db.transaction(async (tx) => {
    await tx.query("SELECT count(*) FROM ledger.entries");
    read.resolve();
    await leave.promise;
  });
  await read.promise;
  let tries = 0;
  const sleep = async (): Promise<void> => {
    tries += 1;
    // A request that ends meanwhile is not kept waiting.
    await book(newUuid(), "now");
    if (tries === 3) {
      leave.resolve();
      await reader;
    }
  };
  assert.equal((await archive({}, { sleep })).kind, "done");
  assert.equal(tries, 3);
  assert.equal(await stateOf(), "dropped");
});

test("a month may be so large that no statement of a request would have the time to seal it", async () => {
  const verdict = await world.db.transaction(async (tx) => {
    await tx.query("SET LOCAL statement_timeout = '1ms'");
    return sealMonth(tx, month);
  });
  assert.equal(verdict.kind, "sealed");
});

test("a dry run tells what would be done and does nothing", async () => {
  const outcome = await archive({ dryRun: true });
  assert.ok(outcome.kind === "done");
  assert.deepEqual(
    outcome.months.map((each) => `${each.month} ${each.state}`),
    [`${world.months[world.months.indexOf(month) - 1]} sealed`, `${month} open`],
  );
  assert.equal(await stateOf(), "open");
});
