/**
 * Protects: what is rare among many requests is found without reading all of them at once, and
 * nothing is passed over or told twice.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { rowsRead } from "../../../test/support/rows-read.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { findAnyRequests, type AnyRequestSearch } from "./any-requests.store.ts";

const MANY = 3_000;
/** Some have one that is rare, some two. */
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
const account = newUuid();
/** Of every hundredth request, from the newest on. */
let rare: readonly Uuid[] = [];
let database: TestDatabase;

before(async () => {
  database = await testDatabase();
  rare = (
    await database.db.query<{ requestId: Uuid }>(
      `WITH made AS (
         INSERT INTO usage.requests (request_id, account_id, endpoint, model_requested, model, state, started_at, charged_nano, detail)
         SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'chat.completions', m.model, m.model,
           CASE m.model WHEN 'rare' THEN 'failed' ELSE 'completed' END, now(), 0,
           json_build_object('attempts', json_build_array(json_build_object('upstream', m.model)))
         FROM generate_series(1, ${MANY}) AS n, LATERAL (SELECT CASE WHEN n % 100 = 50 THEN 'rare' ELSE 'usual' END AS model) m
         RETURNING request_id, model)
       SELECT request_id AS "requestId" FROM made WHERE model = 'rare' ORDER BY request_id DESC`,
      [account],
    )
  ).map(({ requestId }) => requestId);
  await database.db.query("ANALYZE usage.requests");
});
after(async () => database.drop());

for (const [what, wish] of [
  ["model", { model: "rare" }],
  ["upstream", { upstream: "rare" }],
  ["model of an account", { model: "rare", accountId: account }],
] as const) {
  test(`a rare ${what} is found in one answer, or in several that go on where the last one stopped`, async () => {
    const search = { ...ALL, ...wish };
    const ids = (rows: readonly { readonly requestId: Uuid }[]): Uuid[] =>
      rows.map(({ requestId }) => requestId);
    const whole = await findAnyRequests(database.db, search, {
      stretch: STRETCH,
      enoughMs: 60_000,
    });
    assert.deepEqual([ids(whole.rows), whole.lookedBackTo], [rare, null]);
    const found: Uuid[] = [];
    let answers = 0;
    for (let { before } = search as AnyRequestSearch; ;) {
      const { rows, lookedBackTo } = await findAnyRequests(
        database.db,
        { ...search, before },
        { stretch: STRETCH, enoughMs: 0 },
      );
      found.push(...ids(rows));
      answers += 1;
      if (lookedBackTo === null) break;
      before = lookedBackTo;
    }
    assert.deepEqual(found, rare);
    assert.equal(answers, MANY / STRETCH + 1);
    // A page that is full ends at its last row, and nothing behind it is passed over.
    const first = await findAnyRequests(
      database.db,
      { ...search, limit: 2 },
      { stretch: STRETCH, enoughMs: 60_000 },
    );
    assert.deepEqual([ids(first.rows), first.lookedBackTo], [rare.slice(0, 2), null]);
    await database.db.transaction(async (tx) => {
      const read = await rowsRead(tx, "usage.requests", () =>
        findAnyRequests(tx, { ...search, limit: 2 }, { stretch: STRETCH, enoughMs: 60_000 }),
      );
      assert.ok(read <= 4 * STRETCH, `${read} rows were read`);
    });
    const rest = await findAnyRequests(
      database.db,
      { ...search, before: rare[1] ?? null },
      { stretch: STRETCH, enoughMs: 60_000 },
    );
    assert.deepEqual(ids(rest.rows), rare.slice(2));
  });
}

test("those that did not complete are found without reading the others, and so is the newest page of all", async () => {
  await database.db.transaction(async (tx) => {
    const failed = await rowsRead(tx, "usage.requests", async () => {
      assert.equal(
        (await findAnyRequests(tx, { ...ALL, state: "failed" })).rows.length,
        rare.length,
      );
    });
    assert.ok(failed <= rare.length, `${failed} rows were read`);
    const newest = await rowsRead(tx, "usage.requests", async () => {
      assert.equal((await findAnyRequests(tx, { ...ALL, limit: 10 })).rows.length, 10);
    });
    assert.ok(newest <= 10, `${newest} rows were read`);
  });
});
