/**
 * Protects: whatever is searched for, a page is exactly the newest that there are, however late
 * they were booked, and pages join without gaps; what is rare is found without reading the rest.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bookMade } from "../../test/support/book-made.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { rowsRead } from "../../test/support/rows-read.ts";
import { seededRandom } from "../../test/support/seeded-random.ts";
import { fundedAccount } from "../../test/ledger/ledger-world.ts";
import { keepDays } from "../business/panel/account/keep-days.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { listRequests, type ReceiptSearch } from "./list-receipts.store.ts";

interface Made {
  readonly requestId: Uuid;
  readonly keyId: Uuid;
  readonly model: string;
  readonly state: string;
}

const COUNT = 900;
const DAY_MS = 86_400_000;
const KEYS = [newUuid(), newUuid(), newUuid()];
let database: TestDatabase;
let accountId: Uuid;
/** Newest first. */
let made: readonly Made[] = [];

before(async () => {
  database = await testDatabase();
  accountId = await fundedAccount(database.db, 1_000_000n);
  const now = Date.now();
  const rows = Array.from({ length: COUNT }, (_, n) => {
    // Most are booked at once, some after hours, and a few were left by a process that died.
    const lateMs = n % 50 === 7 ? pick(20) * DAY_MS : n % 5 === 2 ? pick(300) * 60_000 : 700;
    const beganMs = now - 40 * DAY_MS + pick(20 * DAY_MS);
    return {
      requestId: idAt(beganMs),
      keyId: KEYS[n % 90 === 4 ? 2 : n % 2] ?? "",
      model: n % 3 === 0 ? "large" : "small",
      state: n % 100 === 9 ? "failed" : n % 450 === 11 ? "client_gone" : "completed",
      at: new Date(beganMs + lateMs).toISOString(),
    };
  });
  await database.db.query(
    "SELECT ledger.keep_months((now() - interval '50 days')::date, now()::date)",
  );
  await database.db.query(
    bookMade(`SELECT $1::uuid AS account_id, r."keyId" AS budget_id, r."requestId" AS entry_id, r.at, 1::bigint AS amount_nano, 2::bigint AS held_nano,
      NULL::bigint AS cost_nano, r.model, 'up' AS upstream, 1::bigint AS input_tokens, 0::bigint AS cached_tokens, 1::bigint AS output_tokens,
      1 AS duration_ms, 1 AS first_ms, NULL AS reference, r.state, '{}' AS detail
      FROM json_to_recordset($2::json) AS r ("requestId" uuid, "keyId" uuid, model text, state text, at timestamptz)`),
    [accountId, JSON.stringify(rows)],
  );
  made = rows.toSorted((a, b) => (a.requestId < b.requestId ? 1 : -1));
});
after(() => database.drop());

const random = seededRandom(Math.floor(Date.now() / DAY_MS));

function pick(below: number): number {
  return Math.floor(random() * below);
}

function idAt(ms: number): Uuid {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}${newUuid().slice(13)}`;
}

function matching({ keyIds = null, model, state, cursor, floor }: ReceiptSearch): Uuid[] {
  return made
    .filter(
      (row) =>
        (keyIds === null || keyIds.includes(row.keyId)) &&
        (model ?? row.model) === row.model &&
        (state ?? row.state) === row.state &&
        row.requestId < (cursor ?? "g") &&
        row.requestId >= (floor ?? ""),
    )
    .map(({ requestId }) => requestId);
}

function anySearch(): ReceiptSearch {
  const maybe = <T>(value: T): T | null => (pick(2) === 0 ? value : null);
  return {
    accountId,
    keyIds: maybe(KEYS.slice(pick(3), 3)),
    model: maybe(["large", "small"][pick(2)] ?? ""),
    state: maybe(["completed", "failed", "client_gone"][pick(3)] ?? ""),
    cursor: maybe(made[pick(COUNT)]?.requestId ?? ""),
    floor: maybe(made[pick(COUNT)]?.requestId ?? ""),
    limit: 1 + pick(40),
  };
}

test("a page of any search is what a look at every receipt finds, before and after days are kept", async () => {
  for (let round = 0; round < 400; round++) {
    if (round === 200) await keepDays(database.db);
    const search = anySearch();
    const all = matching(search);
    const { receipts, nextCursor } = await listRequests(database.db, search);
    const expected = all.slice(0, search.limit);
    const what = JSON.stringify(search);
    assert.deepEqual(
      receipts.map(({ requestId }) => requestId),
      expected,
      what,
    );
    assert.equal(nextCursor, all.length > search.limit ? expected.at(-1) : null, what);
  }
});

test("pages of a search join", async () => {
  for (const wish of [{ state: "failed" }, { keyIds: KEYS.slice(2) }, { model: "small" }]) {
    const seen: Uuid[] = [];
    for (let cursor: Uuid | null = null; ;) {
      const search: ReceiptSearch = { accountId, cursor, limit: 7, ...wish };
      const { receipts, nextCursor } = await listRequests(database.db, search);
      seen.push(...receipts.map(({ requestId }) => requestId));
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    assert.deepEqual(seen, matching({ accountId, cursor: null, limit: 0, ...wish }));
  }
});

test("what is rare is found without looking at the others, and a page of all reads no more than it shows", async () => {
  await keepDays(database.db);
  await database.db.query("ANALYZE ledger.entries, usage.hourly, usage.daily, usage.account_daily");
  await database.db.transaction(async (tx) => {
    for (const [wish, most] of [
      [{ state: "client_gone" }, 10],
      [{}, 50],
    ] as const) {
      const read = await rowsRead(tx, "ledger.entries", () =>
        listRequests(tx, { accountId, cursor: null, limit: 40, ...wish }),
      );
      assert.ok(read <= most, `${read} rows were read`);
    }
    // Of hours, those of two days at most.
    const hours = await rowsRead(tx, "usage.hourly", () =>
      listRequests(tx, { accountId, cursor: null, limit: 40, state: "client_gone" }),
    );
    assert.ok(hours <= (2 * COUNT) / 10, `${hours} sums of hours were read`);
  });
});
