/**
 * Guarantee: whatever step of a batch at an upstream its process dies at, the upstream is sent its
 * lines once, and each is charged once.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Readable } from "node:stream";
import type { BatchRecord } from "../../src/batches/batch-record.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { PASS_POINTS, type Point } from "./batch-points.ts";
import {
  openBatchProcess,
  requestLine,
  sendFile,
  sentOnce,
  temporaryStorage,
  type BatchProcess,
} from "./batch-world.ts";
import { startAskedSandbox, type AskedSandbox } from "./pass-scene.ts";
import { startBatchProcess, type BatchChild } from "./start-batch-process.ts";

let database: TestDatabase;
let storage: Awaited<ReturnType<typeof temporaryStorage>>;
let sandbox: AskedSandbox;
/** Takes batches and reads results; works on nothing. */
let desk: BatchProcess;
const children: BatchChild[] = [];

before(async () => {
  database = await testDatabase();
  storage = await temporaryStorage();
  sandbox = await startAskedSandbox();
  desk = await openBatchProcess({
    db: database.db,
    storageUrl: storage.url,
    upstream: sandbox.url,
    catalogue: "passed",
  });
});
after(async () => {
  await Promise.all(children.map((one) => one.kill()));
  await desk.close();
  await sandbox.close();
  await database.drop();
  await storage.remove();
});

const LEASE_MS = 30_000;
/** Processes begin slowly on a busy machine. */
const PATIENCE_MS = 120_000;
const LINES = 20;

function child(stopAt: Point | null): BatchChild {
  const made = startBatchProcess({
    databaseUrl: database.url,
    storageUrl: storage.url,
    upstream: sandbox.url,
    leaseMs: LEASE_MS,
    stopAt,
    catalogue: "passed",
  });
  children.push(made);
  return made;
}

async function take(shape: "openai" | "anthropic", prompts: readonly string[]) {
  const accountId = await newAccount(database.db, "1000");
  const { key } = await newKey(database.db, accountId);
  const body = (content: string) => ({
    model: shape === "openai" ? "oa" : "an",
    max_tokens: 40,
    messages: [{ role: "user", content }],
  });
  const call = { key, ...sentOnce() };
  if (shape === "anthropic") {
    const requests = prompts.map((prompt, n) => ({ custom_id: `r${n}`, params: body(prompt) }));
    return desk.batches.routes.createMessageBatch({
      ...call,
      source: Readable.from([Buffer.from(JSON.stringify({ requests }))]),
      limitBytes: 2 ** 30,
      signal: new AbortController().signal,
    });
  }
  const lines = prompts.map((prompt, n) => requestLine(`r${n}`, body(prompt)));
  return desk.batches.routes.createBatch({
    ...call,
    inputFileId: await sendFile(desk, { accountId, keyId: key.keyId }, lines.join("\n")),
    endpoint: "chat.completions",
    metadata: null,
    outputSeconds: null,
  });
}

const find = ({ accountId, batchId, shape }: BatchRecord) =>
  desk.batches.routes.batches.find(
    accountId,
    shape,
    `${shape === "openai" ? "batch" : "msgbatch"}_${batchId.replaceAll("-", "")}`,
  );

/** As if the time of all leases were over: of dead processes, here. */
async function runOut(): Promise<void> {
  await database.db.query("UPDATE batches.passes SET due_at = now() WHERE state <> 'over'");
  await database.db.query("UPDATE batches.lines SET due_at = now() WHERE state = 'running'");
  await database.db.query("UPDATE batches.batches SET due_at = now() WHERE ended_at IS NULL");
}

/** The books agree, nothing is held, and there is one receipt for each line, none of them twice. */
async function assertOnce(done: BatchRecord, prompts: readonly string[]): Promise<void> {
  assert.deepEqual([done.state, done.succeeded], ["completed", prompts.length]);
  assert.deepEqual(
    prompts.filter((prompt) => sandbox.asked.get(prompt) !== 1),
    [],
  );
  const [entries] = await database.db.query<{ charged: bigint; receipts: bigint }>(
    `SELECT sum(amount_nano)::bigint AS charged, count(*) AS receipts FROM ledger.entries
     WHERE account_id = $1 AND kind = 'charge' AND endpoint IS NOT NULL`,
    [done.accountId],
  );
  const found = await balance(database.db, done.accountId);
  assert.deepEqual(entries, { charged: found?.chargedNano, receipts: BigInt(prompts.length) });
  assert.deepEqual([found?.heldNano, done.chargedNano], [0n, found?.chargedNano]);
  assert.deepEqual((await verifyLedger(database.db)).mismatches, []);
}

for (const shape of ["openai", "anthropic"] as const)
  test(`${shape}: a batch whose process is killed at each of ${PASS_POINTS.length} points, one after the other, is sent once and charged line by line, once`, async () => {
    const before = (await sandbox.batches()).length;
    const prompts = Array.from({ length: LINES }, (_, n) => `${shape} killed ${n}`);
    const batch = await take(shape, prompts);
    for (const point of PASS_POINTS) {
      const worker = child(point);
      await worker.stopped;
      await worker.kill();
      await runOut();
      // As if it had been looked for long enough.
      if (point === "submitting")
        await database.db.query(
          "UPDATE batches.passes SET submitted_at = submitted_at - interval '1 hour' WHERE state = 'submitting'",
        );
    }
    const last = child(null);
    const done = await until(
      "the end",
      async () => {
        const found = await find(batch);
        return found.endedAt !== null && found;
      },
      PATIENCE_MS,
    );
    await last.kill();
    assert.equal((await sandbox.batches()).length, before + 1);
    await assertOnce(done, prompts);
  });

test("two processes share the batches at upstreams of several customers, and each line is sent once", async () => {
  const sets = Array.from({ length: 4 }, (_, set) =>
    Array.from({ length: LINES }, (_line, n) => `shared ${set} ${n}`),
  );
  const workers = [child(null), child(null)];
  await Promise.all(workers.map(({ started }) => started));
  const batches = await Promise.all(
    sets.map((prompts, set) => take(set % 2 === 0 ? "openai" : "anthropic", prompts)),
  );
  for (const [set, batch] of batches.entries()) {
    const done = await until(
      "the end",
      async () => {
        const found = await find(batch);
        return found.endedAt !== null && found;
      },
      PATIENCE_MS,
    );
    await assertOnce(done, sets[set] ?? []);
  }
  await Promise.all(workers.map((worker) => worker.kill()));
});
