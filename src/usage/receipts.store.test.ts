/**
 * Receipts are kept whole, once, and in order; a bad one is parked and holds no other one up
 * (hazards §19).
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  bookReceipts,
  bookTogether,
  type EndedWithReceipt,
} from "../../test/support/book-receipts.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { findEntry } from "../ledger/entries.store.ts";
import { NO_USAGE } from "../kernel/token-usage.ts";
import { listRequests } from "./list-receipts.store.ts";
import { receiptFigures } from "./receipt-figures.ts";
import type { ReceiptRow } from "./receipt-row.ts";
import { countParked, findRequest, parkReceipt } from "./receipts.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  await database.db.query("TRUNCATE usage.parked");
});
after(async () => database.drop());

function receipt(change: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    endpoint: "chat.completions",
    modelRequested: "claude-opus-9",
    model: "sandbox-large",
    state: "completed",
    startedAt: new Date("2026-11-21T09:30:00.125Z"),
    durationMs: 812,
    firstMs: 240,
    figures: {
      inputTokens: 12n,
      cachedTokens: 2n,
      outputTokens: 7n,
      upstream: "sandbox-chat",
      costNano: 3n as Nano,
    },
    detail: {
      usage: { inputTokens: 12 },
      attempts: [{ upstream: "sandbox-chat", status: 200 }],
    },
    ...change,
  };
}

function ended(
  change: Partial<ReceiptRow> = {},
  of: Partial<EndedWithReceipt> = {},
): EndedWithReceipt {
  return {
    requestId: newUuid(),
    accountId: newUuid(),
    keyId: newUuid(),
    receipt: receipt(change),
    heldNano: 20_000n as Nano,
    chargeNano: 12_345n as Nano,
    priceVersion: 3,
    ...of,
  };
}

const find = ({ accountId, requestId }: EndedWithReceipt) =>
  findRequest(database.db, accountId, requestId);

test("a receipt comes back as it went in, with the ledger's figures", async () => {
  const end = ended();
  assert.deepEqual(await bookReceipts(database.db, [end]), []);
  const found = await find(end);
  assert.ok(found !== null && found.recordedAt instanceof Date);
  const { recordedAt: _, ...kept } = found;
  const { figures, ...rest } = receipt();
  const { requestId, accountId, keyId, priceVersion } = end;
  assert.deepEqual(kept, {
    ...rest,
    requestId,
    accountId,
    keyId,
    priceVersion,
    heldNano: 20_000n,
    chargedNano: 12_345n,
    upstream: figures.upstream,
    costNano: figures.costNano,
  });
  assert.equal(await findRequest(database.db, accountId, newUuid()), null);
  assert.equal(await findRequest(database.db, newUuid(), requestId), null, "not another account's");
});

test("a model that was asked for by its own name is written once", async () => {
  const end = ended({ modelRequested: "sandbox-large" });
  await bookReceipts(database.db, [end]);
  assert.equal((await find(end))?.modelRequested, "sandbox-large");
  const [row] = await database.db.query(
    "SELECT model_requested, model FROM ledger.entries WHERE entry_id = $1",
    [end.requestId],
  );
  assert.deepEqual(row, { model_requested: null, model: "sandbox-large" });
});

test("characters that JSON knows and PostgreSQL does not are replaced, and look-alikes of them are left alone", async () => {
  const end = ended({
    modelRequested: "a\0b",
    detail: { text: "nul \0 lone \ud83d end", plain: "\\u0000 😀", path: "C:\\ud800" },
  });
  assert.deepEqual(await bookReceipts(database.db, [end]), []);
  const found = await find(end);
  assert.equal(found?.modelRequested, "a\uFFFDb");
  assert.deepEqual(found?.detail, {
    text: "nul \uFFFD lone \uFFFD end",
    plain: "\\u0000 😀",
    path: "C:\\ud800",
  });
});

test("every kind of bad receipt is parked with its reason, its money booked", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  let deep: unknown = 0;
  for (let i = 0; i < 5_000; i++) deep = [deep];
  const bad = [
    ended({ startedAt: new Date(Number.NaN) }),
    ended({ detail: circular }),
    ended({ detail: { big: 1n } }),
    ended({ model: null as unknown as string }),
    ended({ startedAt: new Date(-8.64e15) }),
  ];
  const good = [ended(), ended({ detail: { deep } }), ended({ startedAt: new Date(8.64e15) })];
  assert.deepEqual(
    await bookReceipts(database.db, [...bad, ...good]),
    bad.map(({ requestId }) => requestId),
  );
  for (const end of good) assert.ok((await find(end)) !== null);
  for (const end of bad) {
    assert.equal(await find(end), null);
    const entry = await findEntry(database.db, end.accountId, end.requestId);
    assert.equal(entry?.amountNano, 12_345n);
  }
  assert.equal(await countParked(database.db), bad.length);
  const parked = await database.db.query<{ reason: string; receipt: string }>(
    "SELECT reason, receipt FROM usage.parked ORDER BY parked_id",
  );
  assert.match(parked[0]?.reason ?? "", /time/);
  assert.match(parked[1]?.receipt ?? "", /circular/);
});

test("figures stay with their receipts, whatever the others of the page have", async () => {
  const none = {
    inputTokens: 1n,
    cachedTokens: 0n,
    outputTokens: 2n,
    upstream: null,
    costNano: null,
  };
  const some = { ...none, upstream: "a\0b", costNano: 0n as Nano };
  const accountId = newUuid();
  const page = [
    ended({ figures: none, firstMs: null }, { accountId }),
    ended({ figures: some, durationMs: 5e12 }, { accountId, lossNano: 5n as Nano }),
    ended({ startedAt: new Date(Number.NaN) }, { accountId }),
    ended({ figures: { ...none, inputTokens: 3n }, durationMs: null }, { accountId }),
  ];
  await bookTogether(database.db, page);
  const rows = await database.db.query(
    `SELECT input_tokens AS "inputTokens", upstream, cost_nano AS "costNano", duration_ms AS "durationMs", first_ms AS "firstMs"
     FROM ledger.entries WHERE account_id = $1 AND held_nano IS NOT NULL ORDER BY entry_no`,
    [accountId],
  );
  assert.deepEqual(rows, [
    { inputTokens: 1n, upstream: null, costNano: null, durationMs: 812, firstMs: null },
    {
      inputTokens: 1n,
      upstream: "a\uFFFDb",
      costNano: 0n,
      durationMs: 2_147_483_647,
      firstMs: 240,
    },
    { inputTokens: null, upstream: null, costNano: null, durationMs: null, firstMs: null },
    { inputTokens: 3n, upstream: null, costNano: null, durationMs: null, firstMs: 240 },
  ]);
});

test("what is beyond belief is summed as the most that is believed", () => {
  const absurd = {
    ...NO_USAGE,
    inputTokens: 1e300,
    cachedInputTokens: Infinity,
    outputTokens: Number.MAX_SAFE_INTEGER,
  };
  const figures = receiptFigures(absurd, null, (2n ** 62n) as Nano);
  const most = 10n ** 12n;
  assert.deepEqual(figures, {
    inputTokens: most,
    cachedTokens: most,
    outputTokens: most,
    upstream: null,
    costNano: 10n ** 15n,
  });
});

test("what never became a receipt can be parked as it is", async () => {
  await parkReceipt(database.db, {
    chargedNano: 3n as Nano,
    reason: "unreadable\0",
    receipt: "\0{",
  });
  assert.deepEqual(
    await database.db.query("SELECT charged_nano, reason, receipt FROM usage.parked"),
    [{ charged_nano: 3n, reason: "unreadable\uFFFD", receipt: "\uFFFD{" }],
  );
});

test("the list is the account's own, newest first, by page, and can be narrowed", async () => {
  const accountId = newUuid();
  const keyId = newUuid();
  // Ids of one millisecond have no order among themselves; these have.
  const ids = ["1", "2", "3", "4", "5"].map(
    (digit) => `0199a1b2-c3d4-7e5f-8a9b-00000000000${digit}`,
  );
  const ends = ids.map((requestId, index) =>
    index % 2 === 0
      ? ended({}, { requestId, accountId, keyId })
      : ended({ state: "failed" }, { requestId, accountId }),
  );
  await bookReceipts(database.db, [...ends, ended()]);
  const first = await listRequests(database.db, { accountId, cursor: null, limit: 2 });
  assert.deepEqual(
    first.receipts.map((row) => row.requestId),
    [ids[4], ids[3]],
  );
  const second = await listRequests(database.db, { accountId, cursor: first.nextCursor, limit: 3 });
  assert.deepEqual(
    second.receipts.map((row) => row.requestId),
    [ids[2], ids[1], ids[0]],
  );
  assert.equal(second.nextCursor, null);
  const narrowed = await listRequests(database.db, {
    accountId,
    keyIds: [keyId],
    state: "completed",
    model: "sandbox-large",
    cursor: null,
    limit: 10,
  });
  assert.deepEqual(
    narrowed.receipts.map((row) => row.requestId),
    [ids[4], ids[2], ids[0]],
  );
});
