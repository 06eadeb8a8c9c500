/**
 * Guarantee: what customers and operators read of an account is the same before its months are
 * archived and after: lists by page, filters, one receipt, balances, turnover and exports.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exportLedger, exportRequests } from "../../src/business/panel/account/export-csv.ts";
import { listLedger } from "../../src/business/panel/account/list-ledger.ts";
import {
  type AccountRequestQuery,
  listAccountRequests,
} from "../../src/business/panel/account/list-account-requests.ts";
import { readAccountRequest } from "../../src/business/panel/account/read-account-request.ts";
import { readTurnover } from "../../src/business/panel/account/read-turnover.ts";
import { readAnyRequest } from "../../src/business/operate/read-any-request.ts";
import { type Books, openBooks, type OpenBooks } from "../../src/business/past/books.ts";
import { listRequests } from "../../src/business/requests/list-requests.ts";
import {
  createPriceHistory,
  type PriceHistory,
} from "../../src/business/requests/price-history.ts";
import { readRequest } from "../../src/business/requests/read-request.ts";
import { formatRequestId, parseRequestId, type Uuid } from "../../src/kernel/ids.ts";
import { closedMonths } from "../../src/ledger/months.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { openArchiveStorage } from "../../src/storage/open-storage.ts";
import { bookMade } from "../support/book-made.ts";
import { archiveWorld, type ArchiveWorld } from "./archive-world.ts";

const PER_MONTH = 210;

let world: ArchiveWorld;
let books: OpenBooks;
let prices: PriceHistory;
let accountId: Uuid;

before(async () => {
  world = await archiveWorld({ accounts: 3, months: 5, perMonth: PER_MONTH });
  accountId = world.accountIds[1] ?? "";
  await bookLate();
  books = openBooks(world.db, () => openArchiveStorage(world.storageUrl));
  prices = createPriceHistory(world.db, {});
});
after(async () => {
  await books.close();
  await world[Symbol.asyncDispose]();
});

type Filter = Omit<AccountRequestQuery, "before" | "limit">;
const NO_FILTER: Filter = {
  keyHash: null,
  model: null,
  state: null,
  kind: null,
  from: null,
  to: null,
};
/** Requests that began in the fourth month, and ended when the last had long begun. */
async function bookLate(): Promise<void> {
  await world.db.query(
    bookMade(`
      SELECT $1::uuid AS account_id, $2::uuid AS budget_id, at, amount AS amount_nano, 900::bigint AS held_nano, NULL::bigint AS cost_nano,
        (left(ledger.first_id(to_date($3, 'YYYY-MM')::timestamptz + amount * interval '1 day')::text, 14) || '7fff-8000-' || lpad(amount::text, 12, '0'))::uuid AS entry_id,
        'late' AS model, 'up' AS upstream, 1 AS input_tokens, 0 AS cached_tokens, 1 AS output_tokens, 1200 AS duration_ms, 150 AS first_ms,
        NULL AS reference, 'completed' AS state, '{}' AS detail
      FROM (SELECT amount::bigint, clock_timestamp() - interval '25 hours' + amount * interval '1 minute' AS at FROM generate_series(1, 3) AS amount) late`),
    [accountId, world.keyIds[1], world.months[3]],
  );
}

const ENGLISH = { language: "en", timezone: "UTC" } as const;

async function eachPage<Row>(
  load: (cursor: string | null) => Promise<{ rows: readonly Row[]; next: string | null }>,
): Promise<Row[][]> {
  const pages: Row[][] = [];
  for (let cursor: string | null = null; ;) {
    const page = await load(cursor);
    pages.push([...page.rows]);
    if (page.next === null) return pages;
    cursor = page.next;
  }
}

async function textOf(lines: Promise<AsyncGenerator<string>>): Promise<string> {
  let text = "";
  for await (const line of await lines) text += line;
  return text;
}

/** Some days of the second month, the third, and a part of the fourth. */
async function times(): Promise<{ from: Date; to: Date }> {
  const [moment] = await world.db.query<{ from: Date; to: Date }>(
    `SELECT to_date($1, 'YYYY-MM')::timestamptz + interval '9 days 5 hours' AS from, to_date($2, 'YYYY-MM')::timestamptz + interval '11 days' AS to`,
    [world.months[1], world.months[3]],
  );
  assert.ok(moment !== undefined);
  return moment;
}

/** Everything that is read, in one value. */
async function reading(): Promise<Record<string, unknown>> {
  const within = await times();
  const requests = (wish: Partial<Filter>) =>
    eachPage((before) =>
      listAccountRequests(books, accountId, { ...NO_FILTER, ...wish, before, limit: 33 }),
    );
  const ledger = (wish: { holds: boolean; kind: "topup" | null; from?: Date; to?: Date }) =>
    eachPage((cursor) =>
      listLedger(books, accountId, { from: null, to: null, ...wish, cursor, limit: 40 }),
    );
  const all = await requests({});
  const ids = [3, 120, 205, 301].map((nth) => all.flat()[nth]?.id ?? "");
  const api = await listRequests({ books, prices }, accountId, {
    ...NO_FILTER,
    before: parseRequestId(all[5]?.at(-1)?.id ?? ""),
    limit: 50,
  });
  return {
    all,
    failed: await requests({ state: "failed" }),
    model: await requests({ model: "large", ...within }),
    within: await requests(within),
    ledger: await ledger({ holds: true, kind: null }),
    money: await ledger({ holds: false, kind: null, ...within }),
    topUps: await ledger({ holds: true, kind: "topup" }),
    api,
    receipts: await Promise.all(
      ids.map(async (id) => ({
        panel: await readAccountRequest(books, prices, { accountId, id }),
        api: await readRequest(books, prices, { accountId, requestId: parseRequestId(id) ?? "" }),
        operator: await readAnyRequest(books, prices, id),
      })),
    ),
    turnover: await Promise.all(
      [
        { from: null, to: null },
        within,
        { from: within.from, to: null },
        { from: null, to: within.to },
        { from: within.to, to: null },
      ].map((each) => readTurnover(books, accountId, each)),
    ),
    csv: [
      await textOf(exportRequests(books, accountId, { ...NO_FILTER, ...within, ...ENGLISH })),
      await textOf(
        exportLedger(books, accountId, {
          from: null,
          to: null,
          holds: true,
          kind: null,
          ...ENGLISH,
        }),
      ),
    ],
  };
}

async function droppedMonths(): Promise<string[]> {
  const months = await closedMonths(world.db);
  return months.filter(({ state }) => state === "dropped").map(({ month }) => month);
}

test("an account reads the same of archived months, and its books agree", async () => {
  const living = await reading();
  assert.equal((living["all"] as unknown[][]).flat().length, (5 * PER_MONTH) / 3 + 3);
  // The oldest month waits for a hold, and the one after it goes.
  await world.db.query(
    `INSERT INTO ledger.holds (account_id, hold_id, held_nano, created_at)
     VALUES ($1, ledger.first_id(to_date($2, 'YYYY-MM') + interval '4 days'), 0, now())`,
    [world.accountIds[0], world.months[0]],
  );
  assert.equal((await world.archive({ before: world.months[2] ?? "" })).kind, "done");
  assert.deepEqual(await droppedMonths(), [world.months[1]]);
  assert.deepEqual(await reading(), living);
  await world.db.query("DELETE FROM ledger.holds");
  // One after the other, so that pages begin here and end there; the last one stays.
  for (const month of world.months.slice(1)) {
    assert.equal((await world.archive({ before: month })).kind, "done");
    assert.deepEqual(await reading(), living, `before ${month}`);
    assert.deepEqual((await world.db.transaction(verify)).mismatches, []);
  }
});

test("a month that goes while a list is read is in it once", async () => {
  const list = (from: Books) =>
    eachPage((before) => listAccountRequests(from, accountId, { ...NO_FILTER, before, limit: 60 }));
  const entries = (from: Books) =>
    eachPage((cursor) =>
      listLedger(from, accountId, { ...NO_FILTER, kind: null, cursor, holds: true, limit: 80 }),
    );
  const [requests, ledger] = [await list(books), await entries(books)];
  assert.equal((await world.archive({ keep: true })).kind, "done");
  const last = world.months.at(-1) ?? "";
  for (const [read, living] of [
    [list, requests],
    [entries, ledger],
  ] as const) {
    let gone = false;
    const shaken: Books = {
      ...books,
      async run(statement, parameters) {
        const rows = await books.run(statement, parameters);
        if (!gone && /FROM (?:usage\.requests|ledger\.entries)/.test(statement.text)) {
          gone = true;
          await world.db.query(
            "UPDATE ledger.months SET state = 'dropped', dropped_at = now() WHERE state = 'archived'",
          );
        }
        return rows;
      },
    };
    assert.deepEqual(await read(shaken), living);
    assert.ok(gone);
    // As if it had stayed, for the next list.
    await world.db.query(
      "UPDATE ledger.months SET state = 'archived', dropped_at = NULL WHERE month = to_date($1, 'YYYY-MM')",
      [last],
    );
  }
});

test("another account's archived receipt is not found, nor one that never was", async () => {
  const stranger = world.accountIds[0] ?? "";
  const [first] = (
    await listAccountRequests(books, accountId, { ...NO_FILTER, before: null, limit: 200 })
  ).rows.slice(-1);
  assert.ok(first !== undefined);
  const requestId = parseRequestId(first.id) ?? "";
  assert.equal(await readRequest(books, prices, { accountId: stranger, requestId }), null);
  const never = `${requestId.slice(0, -4)}ffff`;
  assert.equal(await readRequest(books, prices, { accountId, requestId: never }), null);
  await assert.rejects(
    readAccountRequest(books, prices, { accountId, id: formatRequestId(never) }),
    /no such request/,
  );
});
