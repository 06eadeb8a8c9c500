/**
 * Guarantee: what must be there once in the world is, over all accounts, and a directory names
 * nothing that is gone.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { insertPayment, notePending } from "../../src/business/payments/payments.store.ts";
import type { NewFile } from "../../src/files/file-record.ts";
import { dropReceiving, insertReceiving } from "../../src/files/files.store.ts";
import { abandonReceiving } from "../../src/files/sweep.store.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { insertKey } from "../../src/keys/store.ts";
import { endTask } from "../../src/tasks/end.store.ts";
import { leaseDue, moveTask } from "../../src/tasks/jobs.store.ts";
import { hearCallback, insertTask } from "../../src/tasks/tasks.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { keyRecord } from "../support/key-record.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

const TAKEN = /duplicate key value violates unique constraint/;

async function count(table: string): Promise<number> {
  return (await database.db.query(`SELECT FROM ${table}`)).length;
}

test("a key is one account's, and one that is refused leaves nothing", async () => {
  const newKey = () => ({ ...keyRecord(), accountId: newUuid(), keyId: newUuid() });
  await insertKey(database.db, newKey());
  await assert.rejects(insertKey(database.db, newKey()), TAKEN);
  assert.deepEqual([await count("directory.keys"), await count("keys.keys")], [1, 1]);
});

test("a name is one file's, for as long as there is a row of it", async () => {
  const { db } = database;
  const name = `${"0123456789abcdef".repeat(2)}.png`;
  const file = (): NewFile => ({
    fileId: newUuid(),
    name,
    accountId: newUuid(),
    keyId: null,
    origin: "upload",
    ownerId: newUuid(),
    fileName: "cat.png",
    contentType: "image/png",
  });
  const first = file();
  await insertReceiving(db, first);
  await assert.rejects(insertReceiving(db, file()), TAKEN);
  assert.deepEqual([await count("directory.files"), await count("files.files")], [1, 1]);
  assert.equal(await dropReceiving(db, first), true);
  assert.equal(await count("directory.files"), 0);
  const abandoned = { ...file(), name: name.replace("0", "1") };
  await insertReceiving(db, abandoned);
  const times = { olderThanMs: 60_000, againMs: 60_000, limit: 10 };
  assert.equal(await abandonReceiving(db, { deadOwners: [abandoned.ownerId], ...times }), 1);
  assert.equal(await count("directory.files"), 0);
});

test("a provider's payment pays for one top-up, whichever account's", async () => {
  const { db } = database;
  const begin = async () => {
    const key = { accountId: newUuid(), paymentId: newUuid() };
    const payment = {
      ...key,
      memberId: null,
      email: null,
      provider: "sandbox",
      method: "sbp",
      locale: "ru",
      amountNano: 10_000_000n as never,
      returnUrl: "https://example.com/",
      receipt: null,
    } as const;
    await insertPayment(db, payment, 60_000);
    return { ...key, providerPaymentId: "theirs", redirectUrl: null, dueInMs: 60_000 };
  };
  await notePending(db, await begin());
  await assert.rejects(notePending(db, await begin()), TAKEN);
  const known = await db.query(
    "SELECT FROM payments.payments WHERE provider_payment_id = 'theirs'",
  );
  assert.equal(known.length, 1);
});

/** Submitted so often, each time to the same upstream. */
async function submitted(times: number) {
  const { db } = database;
  const key = { accountId: newUuid(), taskId: newUuid() };
  const model = `model-${key.taskId}`;
  await insertTask(db, {
    ...key,
    keyId: null,
    requestId: newUuid(),
    model,
    parameterTable: "T19",
    parameters: {},
    hasMedia: false,
    callbackUrl: null,
    priceVersion: 1,
    priceNano: 5n as never,
    priceByFilesNano: null,
    deadlineSeconds: 60,
  });
  const leaseId = newUuid();
  const lane = `submit:${model}`;
  await leaseDue(db, { leaseId, leaseMs: 60_000, lanes: [{ lane, limit: 1 }] });
  const attempts: Uuid[] = [];
  for (let time = 0; time < times; time++) {
    const attempt = {
      attemptId: newUuid(),
      upstream: "there",
      upstreamModel: "m",
      credentialName: "KEY",
      upstreamCostNano: null,
    };
    attempts.push(attempt.attemptId);
    const from = time === 0 ? "ready" : "submitting";
    const step = { ...key, leaseId, from, to: "submitting", lane, dueInMs: null, attempt } as const;
    assert.ok(await db.transaction((tx) => moveTask(tx, step)));
  }
  return { key, attempts };
}

test("an upstream's report finds the task of the last attempt, and nothing of a task that has ended", async () => {
  const { db } = database;
  const { key, attempts } = await submitted(2);
  await submitted(1);
  const hear = (attemptId: Uuid) =>
    hearCallback(db, { upstream: "there", attemptId, upstreamTaskId: null });
  assert.deepEqual(await Promise.all(attempts.map(hear)), [false, true]);
  assert.equal(await count("directory.attempts"), 2);
  const end = { state: "failed", code: "internal", message: "It failed.", watch: null } as const;
  const ending = { ...key, leaseId: null, phase: "submitting", end } as const;
  assert.ok(await db.transaction((tx) => endTask(tx, ending)));
  assert.equal(await count("directory.attempts"), 1, "that of the other one");
  assert.deepEqual(await Promise.all(attempts.map(hear)), [false, false]);
});
