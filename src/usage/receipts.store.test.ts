/** Receipts are kept whole, once, and in order; a bad one is parked and holds nobody up (failures.md 19). */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { ReceiptRow } from "./receipt-row.ts";
import { countParked, findRequest, listRequests, parkReceipt, recordMany } from "./receipts.store.ts";

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
    detail: { usage: { inputTokens: 12 }, attempts: [{ upstream: "sandbox-chat", status: 200 }], suspicion: null },
    ...change,
  };
}

test("a receipt comes back as it went in; a second one for the same request changes nothing", async () => {
  const row = receipt();
  assert.deepEqual(await recordMany(database.db, [row]), []);
  assert.deepEqual(await recordMany(database.db, [{ ...row, state: "failed", chargedNano: 1n as Nano }]), []);
  const found = await findRequest(database.db, row.requestId);
  assert.ok(found !== null && found.recordedAt instanceof Date);
  const { recordedAt: _, ...kept } = found;
  assert.deepEqual(kept, row);
  assert.equal(await findRequest(database.db, newUuid()), null);
});

test("characters that JSON knows and PostgreSQL does not are replaced, and look-alikes of them are left alone", async () => {
  const row = receipt({ modelRequested: "a\0b", detail: { text: "nul \0 lone \ud83d end", plain: "\\u0000 😀", path: "C:\\ud800" } });
  assert.deepEqual(await recordMany(database.db, [row]), []);
  const found = await findRequest(database.db, row.requestId);
  assert.equal(found?.modelRequested, "a\uFFFDb");
  assert.deepEqual(found?.detail, { text: "nul \uFFFD lone \uFFFD end", plain: "\\u0000 😀", path: "C:\\ud800" });
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
  assert.deepEqual(await recordMany(database.db, [...bad.slice(0, 3), ...good, ...bad.slice(3)]), [0, 1, 2, 6, 7, 8, 9]);
  for (const row of good) assert.ok((await findRequest(database.db, row.requestId)) !== null);
  assert.equal(await countParked(database.db), bad.length);
  const parked = await database.db.query<{ reason: string; receipt: string }>(
    "SELECT reason, receipt FROM usage.parked ORDER BY parked_id",
  );
  assert.match(parked[0]?.reason ?? "", /uuid/);
  assert.match(parked[3]?.receipt ?? "", /circular/);
});

test("what never became a receipt can be parked as it is", async () => {
  await parkReceipt(database.db, { chargedNano: 3n as Nano, reason: "unreadable\0", receipt: "\0{" });
  assert.deepEqual(await database.db.query("SELECT charged_nano, reason, receipt FROM usage.parked"), [
    { charged_nano: 3n, reason: "unreadable\uFFFD", receipt: "\uFFFD{" },
  ]);
});

test("the list is the account's own, newest first, by page, and can be narrowed", async () => {
  const accountId = newUuid();
  const keyId = newUuid();
  // Ids of one millisecond have no order among themselves; these have.
  const ids = ["1", "2", "3", "4", "5"].map((digit) => `0199a1b2-c3d4-7e5f-8a9b-00000000000${digit}`);
  const rows = ids.map((requestId, index) => receipt({ requestId, accountId, ...(index % 2 === 0 ? { keyId } : { state: "failed" }) }));
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
