/**
 * Receipts are kept whole, once, and in order; a bad one is parked and holds no other one up
 * (hazards §19).
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { NO_USAGE } from "../kernel/token-usage.ts";
import { receiptFigures } from "./receipt-figures.ts";
import type { ReceiptRow } from "./receipt-row.ts";
import {
  countParked,
  findRequest,
  listRequests,
  parkReceipt,
  recordMany,
} from "./receipts.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  await database.db.query("TRUNCATE usage.requests, usage.parked");
});
after(async () => database.drop());

function receipt(change: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    requestId: newUuid(),
    accountId: newUuid(),
    keyId: newUuid(),
    endpoint: "chat.completions",
    modelRequested: "claude-opus-9",
    model: "sandbox-large",
    state: "completed",
    startedAt: new Date("2026-11-21T09:30:00.125Z"),
    chargedNano: 12_345n as Nano,
    figures: {
      inputTokens: 12n,
      cachedTokens: 2n,
      outputTokens: 7n,
      upstream: "sandbox-chat",
      costNano: 3n,
      lossNano: 1n,
    },
    detail: {
      usage: { inputTokens: 12 },
      attempts: [{ upstream: "sandbox-chat", status: 200 }],
      suspicion: null,
    },
    ...change,
  };
}

/** As columns, which readers of receipts do not get. */
function figuresOf(requestId: string): Promise<unknown[]> {
  return database.db.query(
    `SELECT input_tokens AS "inputTokens", cached_tokens AS "cachedTokens", output_tokens AS "outputTokens", upstream, cost_nano AS "costNano",
       loss_nano AS "lossNano" FROM usage.requests WHERE request_id = $1`,
    [requestId],
  );
}

test("a receipt comes back as it went in; a second one for the same request changes nothing", async () => {
  const row = receipt();
  assert.deepEqual(await recordMany(database.db, [row]), []);
  assert.deepEqual(
    await recordMany(database.db, [{ ...row, state: "failed", chargedNano: 1n as Nano }]),
    [],
  );
  const found = await findRequest(database.db, row.requestId);
  assert.ok(found !== null && found.recordedAt instanceof Date);
  const { recordedAt: _, ...kept } = found;
  const { figures, ...rest } = row;
  assert.deepEqual(kept, rest);
  assert.deepEqual(await figuresOf(row.requestId), [figures]);
  assert.equal(await findRequest(database.db, newUuid()), null);
});

test("characters that JSON knows and PostgreSQL does not are replaced, and look-alikes of them are left alone", async () => {
  const row = receipt({
    modelRequested: "a\0b",
    detail: { text: "nul \0 lone \ud83d end", plain: "\\u0000 😀", path: "C:\\ud800" },
  });
  assert.deepEqual(await recordMany(database.db, [row]), []);
  const found = await findRequest(database.db, row.requestId);
  assert.equal(found?.modelRequested, "a\uFFFDb");
  assert.deepEqual(found?.detail, {
    text: "nul \uFFFD lone \uFFFD end",
    plain: "\\u0000 😀",
    path: "C:\\ud800",
  });
});

test("every kind of bad receipt is parked with its reason, and the good ones beside it are written", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  let deep: unknown = 0;
  for (let i = 0; i < 5_000; i++) deep = [deep];
  const bad = [
    receipt({ requestId: "not a uuid" }),
    receipt({ chargedNano: -1n as Nano }),
    receipt({ startedAt: new Date(Number.NaN) }),
    receipt({ detail: circular }),
    receipt({ detail: { big: 1n } }),
    receipt({ model: null as unknown as string }),
    receipt({ accountId: "x','y" }),
  ];
  const good = [receipt(), receipt(), receipt({ detail: { deep } })];
  assert.deepEqual(
    await recordMany(database.db, [...bad.slice(0, 3), ...good, ...bad.slice(3)]),
    [0, 1, 2, 6, 7, 8, 9],
  );
  for (const row of good) assert.ok((await findRequest(database.db, row.requestId)) !== null);
  assert.equal(await countParked(database.db), bad.length);
  const parked = await database.db.query<{ reason: string; receipt: string }>(
    "SELECT reason, receipt FROM usage.parked ORDER BY parked_id",
  );
  assert.match(parked[0]?.reason ?? "", /uuid/);
  assert.match(parked[3]?.receipt ?? "", /circular/);
});

test("figures stay with their receipts, whatever the others of the batch have", async () => {
  const none = {
    inputTokens: 1n,
    cachedTokens: 0n,
    outputTokens: 2n,
    upstream: null,
    costNano: null,
    lossNano: 0n,
  };
  const some = { ...none, upstream: "a\uFFFDb", costNano: 0n, lossNano: 5n };
  const nothing = [receipt({ figures: none }), receipt({ figures: { ...none, inputTokens: 3n } })];
  const mixed = [
    receipt({ figures: none }),
    receipt({ figures: { ...some, upstream: "a\0b" } }),
    receipt({ figures: { ...none, lossNano: 9n } }),
  ];
  const withBad = [
    receipt({ figures: none }),
    receipt({ chargedNano: -1n as Nano }),
    receipt({ figures: some }),
  ];
  for (const batch of [nothing, mixed, withBad]) await recordMany(database.db, batch);
  assert.deepEqual(await figuresOf(nothing[1]?.requestId ?? ""), [{ ...none, inputTokens: 3n }]);
  const found = await Promise.all(
    [...mixed, ...withBad].map(({ requestId }) => figuresOf(requestId)),
  );
  assert.deepEqual(found, [[none], [some], [{ ...none, lossNano: 9n }], [none], [], [some]]);
});

test("what is beyond belief is summed as the most that is believed", () => {
  const absurd = {
    ...NO_USAGE,
    inputTokens: 1e300,
    cachedInputTokens: Infinity,
    outputTokens: Number.MAX_SAFE_INTEGER,
  };
  const figures = receiptFigures(absurd, null, (2n ** 62n) as Nano, (10n ** 30n) as Nano);
  const most = 10n ** 12n;
  assert.deepEqual(figures, {
    inputTokens: most,
    cachedTokens: most,
    outputTokens: most,
    upstream: null,
    costNano: 10n ** 15n,
    lossNano: 10n ** 15n,
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
  const rows = ids.map((requestId, index) =>
    receipt({ requestId, accountId, ...(index % 2 === 0 ? { keyId } : { state: "failed" }) }),
  );
  await recordMany(database.db, [...rows, receipt()]);
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
    keyId,
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
