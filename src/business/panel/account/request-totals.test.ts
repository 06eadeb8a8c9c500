/**
 * Guarantee: the line above the list of requests is what the requests of its filters add up to,
 * with any filter and between any two moments, and sorted lists are the day's, in order and whole.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { bookMade } from "../../../../test/support/book-made.ts";
import { booksOf } from "../../../../test/support/books-of.ts";
import { everyRequest, NO_FILTER } from "../../../../test/support/every-request.ts";
import { fillReceipts } from "../../../../test/support/fill-receipts.ts";
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import { Fault } from "../../../kernel/faults.ts";
import { parseRoubles } from "../../../kernel/money.ts";
import type { Books } from "../../past/books.ts";
import { keepDays } from "./keep-days.ts";
import { readRequestTotals, type TotalsQuery } from "./read-request-totals.ts";
import {
  readSortedCursor,
  sortAccountRequests,
  sortedCursor,
  type SortedQuery,
} from "./sort-account-requests.ts";

let scene: AccountScene;
let books: Books;
before(async () => {
  scene = await openAccountScene();
  books = booksOf(scene.db);
});
after(() => scene.close());

/** Requests of a page. */
const PAGE = 500;

const chargeOf = (rows: readonly PanelRequest[]): bigint =>
  rows.reduce((sum, { charged }) => sum + (parseRoubles(charged) ?? 0n), 0n);

// Of three, one ended up to five hours after it arrived: it is added up in another hour than its own.
const BOOK_LATE = bookMade(`
  SELECT $1::uuid AS account_id, ($2::uuid[])[n % 2 + 1] AS budget_id,
    (left(ledger.first_id(moment)::text, 13) || '-7000-8000-' || lpad(n::text, 12, '0'))::uuid AS entry_id,
    moment + CASE WHEN n % 3 = 0 THEN n ELSE 0 END * interval '1 minute' AS at, n::bigint AS amount_nano, n + 5::bigint AS held_nano,
    NULL::bigint AS cost_nano, 'b' AS model, 'up' AS upstream, 0 AS input_tokens, 0 AS cached_tokens, 0 AS output_tokens, n AS duration_ms,
    1 AS first_ms, NULL AS reference, 'completed' AS state, '{}' AS detail
  FROM (SELECT n, clock_timestamp() - interval '6 hours' - n * interval '4 minutes' AS moment FROM generate_series(1, 300) AS n) numbers`);

async function withTraffic() {
  const accountId = await scene.account("1000000");
  const keys = [(await scene.key(accountId)).key, (await scene.key(accountId)).key];
  await fillReceipts(scene.url, {
    accountId,
    keyIds: keys.map(({ keyId }) => keyId),
    models: ["sandbox-large", "b", "c"],
    count: 2_500,
    apart: "97 seconds",
  });
  await scene.db.query(BOOK_LATE, [accountId, keys.map(({ keyId }) => keyId)]);
  for (const key of keys) {
    await scene.task(key, 2_000_000_000n, "completed");
    await scene.task(key, 3_000_000_000n, "failed");
    await scene.chat(key, { chargeNano: 11n });
  }
  return { accountId, keys };
}

test("totals are the list's, with every filter and between odd moments", async () => {
  const { accountId, keys } = await withTraffic();
  const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
  const wishes: Partial<TotalsQuery>[] = [
    {},
    { from: ago(1_000) },
    // Neither begins nor ends with an hour: both of its edges are counted entry by entry.
    { from: ago(1_013), to: ago(317) },
    { from: ago(7), to: ago(3) },
    { to: ago(2_000) },
    { keyHash: keys[0]?.hash ?? null, from: ago(1_013) },
    { model: "b", to: ago(700) },
    { state: "failed", from: ago(1_500) },
    { state: "client_gone" },
    { kind: "task" },
    { kind: "chat", from: ago(301), to: ago(11) },
    { kind: "task", state: "failed", from: ago(100) },
    { state: "queued" },
    { model: "b" },
    { kind: "chat", state: "failed" },
    { keyHash: keys[0]?.hash ?? null },
    { keyHash: keys[0]?.hash ?? null, state: "failed" },
  ];
  const half = wishes.length;
  for (const [nth, wish] of [...wishes, ...wishes].entries()) {
    if (nth === half) await keepDays(scene.db);
    const query = { ...NO_FILTER, ...wish };
    const rows = await everyRequest(books, accountId, query, PAGE);
    const totals = await readRequestTotals(books, accountId, query);
    assert.deepEqual(
      [
        totals.requests,
        parseRoubles(totals.charged),
        totals.errors,
        totals.unfinished,
        totals.atLeast,
      ],
      [
        rows.length,
        chargeOf(rows),
        rows.filter(({ state }) => state === "failed").length,
        0,
        false,
      ],
      JSON.stringify(wish),
    );
    const output = rows.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0);
    assert.equal(totals.outputTokens, output, JSON.stringify(wish));
  }
});

test("another account's key has no totals", async () => {
  const { key } = await scene.key(await scene.account("1"));
  await assert.rejects(
    readRequestTotals(books, await scene.account("1"), { ...NO_FILTER, keyHash: key.hash }),
    (error) => error instanceof Fault && error.code === "not_found",
  );
});

async function everySorted(
  accountId: string,
  query: Omit<SortedQuery, "cursor" | "limit">,
): Promise<PanelRequest[]> {
  const rows: PanelRequest[] = [];
  let cursor: string | null = null;
  do {
    const page = await sortAccountRequests(books, accountId, { ...query, cursor, limit: 70 });
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  return rows;
}

test("a day by cost and by duration: as many as there are, each once, in order", async () => {
  const { accountId, keys } = await withTraffic();
  const day = { from: new Date(Date.now() - 24 * 3_600_000), to: new Date(Date.now() + 1_000) };
  for (const wish of [{}, { keyHash: keys[1]?.hash ?? null }, { kind: "task" as const }]) {
    const query = { ...NO_FILTER, ...day, ...wish };
    const ids = (await everyRequest(books, accountId, query, PAGE)).map(({ id }) => id);
    const dear = await everySorted(accountId, { ...query, order: "charged" });
    const costs = dear.map(({ charged }) => parseRoubles(charged) ?? 0n);
    assert.deepEqual(
      costs,
      costs.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)),
    );
    const long = await everySorted(accountId, { ...query, order: "duration" });
    for (const sorted of [dear, long])
      assert.deepEqual(sorted.map(({ id }) => id).toSorted(), ids.toSorted());
    const times = long
      .filter(({ kind }) => kind !== "task")
      .map(({ durationMs }) => durationMs ?? -1);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  }
});

test("only one day is sorted, and a cursor of another list is refused", async () => {
  const accountId = await scene.account("1");
  const to = new Date();
  const order = { ...NO_FILTER, order: "charged" as const, cursor: null, limit: 50 };
  for (const from of [null, new Date(to.getTime() - 26 * 3_600_000)])
    await assert.rejects(
      sortAccountRequests(books, accountId, { ...order, from, to }),
      (error) => error instanceof Fault && error.code === "invalid_request",
    );
  const place = { weight: -1n, id: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b" };
  assert.deepEqual(readSortedCursor(sortedCursor(place)), place);
  for (const cursor of ["", "12", "x_0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", `1_${"x".repeat(36)}`])
    assert.throws(() => readSortedCursor(cursor), Fault);
});
