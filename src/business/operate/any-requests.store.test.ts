/**
 * Protects: what is rare among many requests is found without reading all of them at once, and
 * nothing is passed over or told twice.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bookMade } from "../../../test/support/book-made.ts";
import { booksOf } from "../../../test/support/books-of.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fundedAccount } from "../../../test/ledger/ledger-world.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { keepDays } from "../panel/account/keep-days.ts";
import { findAnyRequests, type AnyRequestSearch, type LookThrough } from "./any-requests.store.ts";
import { newestFrom } from "./request-hours.store.ts";

/** A minute lies between two of them, none is of the day in the middle, and some are booked late. */
const MANY = 3_000;
const STRETCH = 150;
const ALL: AnyRequestSearch = {
  accountId: null,
  keyId: null,
  model: null,
  state: null,
  upstream: null,
  start: null,
  before: null,
  limit: 100,
};
const UNHURRIED: LookThrough = { stretch: STRETCH, enoughMs: 60_000 };
const HURRIED: LookThrough = { stretch: STRETCH, enoughMs: 0 };
let database: TestDatabase;
let account: Uuid;
let all: readonly Uuid[] = [];
/** Every hundredth of them, newest first. */
let rare: readonly Uuid[] = [];

before(async () => {
  database = await testDatabase();
  const { db } = database;
  account = await fundedAccount(db, 1_000_000n);
  const other = await fundedAccount(db, 1_000_000n);
  await db.query(
    bookMade(`
      SELECT ($1::uuid[])[1 + n / 100 % 2] AS account_id, NULL::uuid AS budget_id, uuidv7(at - clock_timestamp()) AS entry_id,
        at + CASE WHEN n % 7 = 3 THEN interval '80 minutes' ELSE '20 seconds' END AS at, 1::bigint AS amount_nano, 1::bigint AS held_nano, NULL::bigint AS cost_nano, name AS model, name AS upstream,
        1::bigint AS input_tokens, 0::bigint AS cached_tokens, 1::bigint AS output_tokens, 1 AS duration_ms, 1 AS first_ms, NULL AS reference,
        CASE name WHEN 'rare' THEN 'failed' ELSE 'completed' END AS state,
        json_build_object('attempts', json_build_array(json_build_object('upstream', name)))::text AS detail
      FROM (SELECT n, CASE WHEN n % 100 = 50 THEN 'rare' ELSE 'usual' END AS name,
              clock_timestamp() - interval '2 hours' - n * interval '1 minute' - CASE WHEN n > ${MANY / 2} THEN interval '1 day' ELSE '0' END AS at
            FROM generate_series(1, ${MANY}) AS n) made`),
    [[account, other]],
  );
  const rows = await db.query<{ id: Uuid; model: string }>(
    "SELECT request_id AS id, model FROM usage.requests ORDER BY request_id DESC",
  );
  all = rows.map(({ id }) => id);
  rare = rows.filter(({ model }) => model === "rare").map(({ id }) => id);
});
after(async () => database.drop());

const ids = (rows: readonly { readonly requestId: Uuid }[]): Uuid[] =>
  rows.map(({ requestId }) => requestId);

/** What as many answers as it takes find, each going on where the one before stopped. */
async function throughAll(search: AnyRequestSearch): Promise<{ found: Uuid[]; answers: number }> {
  const found: Uuid[] = [];
  for (let { before } = search, answers = 1; ; answers++) {
    const { rows, lookedBackTo } = await findAnyRequests(
      booksOf(database.db),
      { ...search, before },
      HURRIED,
    );
    found.push(...ids(rows));
    if (lookedBackTo === null) return { found, answers };
    assert.ok(before === null || lookedBackTo < before, "it goes on");
    before = lookedBackTo;
  }
}

for (const [what, wish, kept] of [
  ["model", { model: "rare" }, false],
  ["state", { state: "failed" }, false],
  ["upstream", { upstream: "rare" }, false],
  ["model", { model: "rare" }, true],
  ["state", { state: "failed" }, true],
] as const) {
  test(`a rare ${what} is found in one answer, or in several that go on where the last one stopped${kept ? ", with days kept" : ""}`, async () => {
    if (kept) await keepDays(database.db);
    const search = { ...ALL, ...wish };
    const whole = await findAnyRequests(booksOf(database.db), search, UNHURRIED);
    assert.deepEqual([ids(whole.rows), whole.lookedBackTo], [rare, null]);
    const { found, answers } = await throughAll(search);
    assert.deepEqual(found, rare);
    assert.ok(answers > 3);
    // A page that is full ends at its last row, and nothing behind it is passed over.
    const first = await findAnyRequests(booksOf(database.db), { ...search, limit: 2 }, UNHURRIED);
    assert.deepEqual([ids(first.rows), first.lookedBackTo], [rare.slice(0, 2), null]);
    const behind = { ...search, before: rare[1] ?? null };
    const rest = await findAnyRequests(booksOf(database.db), behind, UNHURRIED);
    assert.deepEqual(ids(rest.rows), rare.slice(2));
    const within = { ...search, start: rare[9] ?? null, before: rare[4] ?? null };
    const some = await findAnyRequests(booksOf(database.db), within, UNHURRIED);
    assert.deepEqual(ids(some.rows), rare.slice(5, 10));
  });
}

test("of one account only its own are found, by what they are and by what was tried for them", async () => {
  const own = await database.db.query<{ id: Uuid; model: string }>(
    "SELECT request_id AS id, model FROM usage.requests WHERE account_id = $1 ORDER BY request_id DESC",
    [account],
  );
  const expected = own.filter(({ model }) => model === "rare").map(({ id }) => id);
  assert.ok(expected.length > 10 && expected.length < rare.length);
  for (const wish of [{ model: "rare" }, { upstream: "rare" }, { state: "failed" }]) {
    const search = { ...ALL, ...wish, accountId: account };
    assert.deepEqual(ids((await findAnyRequests(booksOf(database.db), search)).rows), expected);
    assert.deepEqual((await throughAll(search)).found, expected);
  }
});

test("without a filter all are found in order, over times in which there were none", async () => {
  const search = { ...ALL, limit: MANY + 1 };
  assert.deepEqual(ids((await findAnyRequests(booksOf(database.db), search)).rows), all);
  assert.deepEqual((await throughAll(search)).found, all);
  const page = await findAnyRequests(booksOf(database.db), {
    ...ALL,
    before: all[1_490] ?? null,
    limit: 30,
  });
  assert.deepEqual(ids(page.rows), all.slice(1_491, 1_521));
});

test("the newest are looked for in about as many as that", async () => {
  const start = all.at(-1) ?? "";
  for (const newest of [10, 100, 1_000]) {
    const from = await newestFrom(database.db, start, newest);
    const count = all.filter((id) => id >= from).length;
    assert.ok(count >= newest && count <= 5 * newest + 60, `${count} instead of ${newest}`);
  }
  assert.equal(await newestFrom(database.db, start, MANY), start);
  assert.equal(await newestFrom(database.db, all[20] ?? "", 1_000), all[20]);
});
