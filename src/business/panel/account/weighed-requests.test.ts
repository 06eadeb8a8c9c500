/**
 * Guarantee: by what they cost and took, exactly those requests and tasks are found that a look at
 * each of them finds, in their order, with their sums, sorted or not, however short each look is.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { booksOf } from "../../../../test/support/books-of.ts";
import { everyRequest, NO_FILTER } from "../../../../test/support/every-request.ts";
import { fillReceipts } from "../../../../test/support/fill-receipts.ts";
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import { formatRequestId } from "../../../kernel/ids.ts";
import { formatRoubles, nano, parseRoubles } from "../../../kernel/money.ts";
import type { Books } from "../../past/books.ts";
import { exportRequests } from "./export-csv.ts";
import { readRequestTotals, type TotalsQuery } from "./read-request-totals.ts";
import type { RequestWeights } from "./request-totals.store.ts";
import { sortAccountRequests } from "./sort-account-requests.ts";
import { sumWeighed, weighedIds } from "./weighed-requests.store.ts";

let scene: AccountScene;
let books: Books;
before(async () => {
  scene = await openAccountScene();
  books = booksOf(scene.db);
});
after(() => scene.close());

/** Requests of a page. */
const PAGE = 70;

const ANY: RequestWeights = {
  chargedFromNano: null,
  chargedToNano: null,
  durationFromMs: null,
  durationToMs: null,
};

const costOf = ({ charged }: PanelRequest): bigint => parseRoubles(charged) ?? 0n;

function isWeighed(row: PanelRequest, weights: RequestWeights): boolean {
  const { chargedFromNano, chargedToNano, durationFromMs, durationToMs } = weights;
  const took = row.durationMs;
  return (
    row.completedAt !== null &&
    (chargedFromNano === null || costOf(row) >= chargedFromNano) &&
    (chargedToNano === null || costOf(row) <= chargedToNano) &&
    (durationFromMs === null || (took !== null && took >= durationFromMs)) &&
    (durationToMs === null || (took !== null && took <= durationToMs))
  );
}

/** Charges of all sizes up to 0.001 ₽ that took 1.2 s each; dear ones that took 5 ms; tasks. */
async function withTraffic() {
  const accountId = await scene.account("1000000");
  const keys = [(await scene.key(accountId)).key, (await scene.key(accountId)).key];
  await fillReceipts(scene.url, {
    accountId,
    keyIds: keys.map(({ keyId }) => keyId),
    models: ["sandbox-large", "b", "c"],
    count: 1_200,
    apart: "97 seconds",
  });
  for (const key of keys) {
    await scene.task(key, 2_000_000_000n, "completed");
    await scene.task(key, 3_000_000_000n, "failed");
    await scene.chat(key, { chargeNano: 5_000_000n });
  }
  const [one] = keys;
  assert.ok(one !== undefined);
  return { accountId, key: one };
}

const WEIGHTS: readonly Partial<RequestWeights>[] = [
  { chargedFromNano: nano(900_000n) },
  { chargedToNano: nano(0n) },
  { chargedFromNano: nano(1n), chargedToNano: nano(100_000n) },
  { chargedFromNano: nano(5_000_000n) },
  { durationFromMs: 1_200 },
  { durationToMs: 1_199 },
  { durationFromMs: 5, durationToMs: 5, chargedFromNano: nano(5_000_000n) },
  { durationFromMs: 3_600_000 },
];

test("the list, its sums and the sorted list are those that a look at each request finds", async () => {
  const { accountId, key } = await withTraffic();
  const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
  const narrowed: readonly Partial<TotalsQuery>[] = [
    {},
    { keyHash: key.hash, from: ago(613), to: ago(0) },
    { model: "b" },
    { kind: "task" },
    { kind: "chat", state: "failed", from: ago(1_000) },
  ];
  for (const filter of narrowed) {
    const query = { ...NO_FILTER, ...filter };
    const all = await everyRequest(books, accountId, query, PAGE);
    for (const some of WEIGHTS) {
      const weights = { ...ANY, ...some };
      const about = JSON.stringify([filter, some], (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      );
      const expected = all.filter((row) => isWeighed(row, weights));
      const found = await everyRequest(books, accountId, { ...query, weights }, PAGE);
      assert.deepEqual(
        found.map(({ id }) => id),
        expected.map(({ id }) => id),
        about,
      );
      const totals = await readRequestTotals(books, accountId, { ...query, weights });
      assert.deepEqual(
        [totals.requests, totals.charged, totals.errors, totals.inputTokens, totals.atLeast],
        [
          expected.length,
          formatRoubles(nano(expected.reduce((sum, row) => sum + costOf(row), 0n))),
          expected.filter(({ state }) => state === "failed").length,
          expected.reduce(
            (sum, { usage }) => sum + (usage?.inputTokens ?? 0) + (usage?.cachedInputTokens ?? 0),
            0,
          ),
          false,
        ],
        about,
      );
      if (query.from !== null) continue;
      const day = { from: ago(23 * 60), to: ago(0) };
      const limits = { limit: 1_000, cursor: null, order: "charged" } as const;
      const sorted = await sortAccountRequests(books, accountId, {
        ...query,
        ...day,
        ...limits,
        weights,
      });
      const inDay = expected.filter(
        ({ startedAt }) => startedAt >= day.from.toISOString() && startedAt < day.to.toISOString(),
      );
      assert.deepEqual(
        sorted.rows.map(({ id }) => id).toSorted(),
        inDay.map(({ id }) => id).toSorted(),
        about,
      );
      assert.deepEqual(
        sorted.rows.map(costOf),
        sorted.rows.map(costOf).toSorted((a, b) => (a < b ? 1 : -1)),
      );
    }
  }
});

test("looks that are over at once go on where they ended, and find each once", async () => {
  const { accountId } = await withTraffic();
  const weights = { ...ANY, chargedFromNano: nano(990_000n) };
  const search = { accountId, keyIds: null, model: null, state: null, kind: null, weights };
  const expected = (await everyRequest(books, accountId, NO_FILTER, PAGE)).filter((row) =>
    isWeighed(row, weights),
  );
  assert.ok(expected.length > 5);
  const found: string[] = [];
  let cursor: string | null = null;
  let looks = 0;
  do {
    const page: Awaited<ReturnType<typeof weighedIds>> = await weighedIds(
      books,
      { ...search, cursor, floor: null, limit: 1_000 },
      { stretch: 40, enoughMs: 0 },
    );
    found.push(...page.ids.map(({ id, isTask }) => (isTask ? id : formatRequestId(id))));
    cursor = page.lookedBackTo;
    looks += 1;
  } while (cursor !== null);
  assert.ok(looks > 10, `${looks} looks`);
  assert.deepEqual(
    found,
    expected.map(({ id }) => id),
  );
  const part = await sumWeighed(
    books,
    { ...search, cursor: null, floor: null },
    { stretch: 40, enoughMs: 0 },
  );
  assert.ok(!part.whole && part.sums.requests < expected.length);
});

test("the file has what the list has", async () => {
  const { accountId } = await withTraffic();
  const weights = { ...ANY, chargedFromNano: nano(2_000_000n), durationToMs: 1_000 };
  const rows = await everyRequest(books, accountId, { ...NO_FILTER, weights }, PAGE);
  assert.equal(rows.length, 4);
  const file = await exportRequests(books, accountId, {
    ...NO_FILTER,
    weights,
    language: "en",
    timezone: "Europe/Moscow",
  });
  const lines = (await Array.fromAsync(file)).join("").trim().split("\n");
  assert.deepEqual(
    lines.slice(1).map((line) => rows.find(({ id }) => line.includes(id))?.id),
    rows.map(({ id }) => id),
  );
});
