/**
 * Guarantee: whatever step of a batch its process dies at, the batch goes on: no line is paid twice,
 * none is lost, and the sum of the receipts is the sum of the charges.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BatchEndpoint } from "../../src/contract/enums/batch-endpoint.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { POINTS } from "./batch-points.ts";
import {
  lineAt,
  openBatchProcess,
  sendFile,
  temporaryStorage,
  type BatchProcess,
  sentOnce,
} from "./batch-world.ts";
import { assertEachOnce } from "./killed-batch.ts";
import { startCountingUpstream, type CountingUpstream } from "./scripted-answers.ts";
import { startBatchProcess, type BatchChild } from "./start-batch-process.ts";

let database: TestDatabase;
let storage: Awaited<ReturnType<typeof temporaryStorage>>;
let upstream: CountingUpstream;
/** Takes batches and reads results; works on nothing. */
let desk: BatchProcess;
const children: BatchChild[] = [];

before(async () => {
  database = await testDatabase();
  storage = await temporaryStorage();
  upstream = await startCountingUpstream();
  desk = await openBatchProcess({
    db: database.db,
    storageUrl: storage.url,
    upstream: upstream.url,
  });
});
after(async () => {
  await Promise.all(children.map((one) => one.kill()));
  await desk.close();
  await upstream.close();
  await database.drop();
  await storage.remove();
});

const LEASE_MS = 30_000;
/** Processes begin slowly on a busy machine. */
const PATIENCE_MS = 120_000;

async function take(prompts: readonly string[], endpoint: BatchEndpoint = "chat.completions") {
  const accountId = await newAccount(database.db, "1000");
  const { key } = await newKey(database.db, accountId);
  const content = prompts.map((prompt) => lineAt(endpoint, prompt)).join("\n");
  const inputFileId = await sendFile(desk, { accountId, keyId: key.keyId }, content);
  return desk.batches.routes.createBatch({
    key,
    ...sentOnce(),
    inputFileId,
    endpoint,
    metadata: null,
    outputSeconds: null,
  });
}

type Taken = Awaited<ReturnType<typeof take>>;

const find = ({ accountId, batchId }: Taken) =>
  desk.batches.routes.batches.find(accountId, "openai", `batch_${batchId.replaceAll("-", "")}`);

const ended = (batch: Taken) =>
  until(
    "the end",
    async () => {
      const found = await find(batch);
      return found.endedAt !== null && found;
    },
    PATIENCE_MS,
  );

function child(stopAt: (typeof POINTS)[number] | null): BatchChild {
  const made = startBatchProcess({
    databaseUrl: database.url,
    storageUrl: storage.url,
    upstream: upstream.url,
    leaseMs: LEASE_MS,
    stopAt,
  });
  children.push(made);
  return made;
}

/** As if the time of all leases were over: of dead processes, here. */
async function runOut(): Promise<void> {
  await database.db.query("UPDATE batches.lines SET due_at = now() WHERE state = 'running'");
  await database.db.query("UPDATE batches.batches SET due_at = now() WHERE ended_at IS NULL");
}

const LINES = 200;
const good = Array.from({ length: LINES }, (_, n) => `prompt ${n}`);
const bad = ["wrong 1", "wrong 2", "wrong 3"];

test(`a batch of ${LINES + bad.length} lines whose process is killed at each of ${POINTS.length} points, one after the other, is answered and charged line by line, once`, async () => {
  upstream.status = (prompt) => (prompt.startsWith("wrong") ? 400 : 200);
  const batch = await take([...good, ...bad]);
  for (const point of POINTS) {
    const worker = child(point);
    await worker.stopped;
    await worker.kill();
    await runOut();
  }
  const done = await find(batch);
  await assertEachOnce(database.db, desk, upstream, done, { good, bad });
});

test("lines that are no chat are answered and charged once, too, wherever their process is killed", async () => {
  const endpoint = "embeddings";
  const prompts = Array.from({ length: 60 }, (_, n) => `vector ${n}`);
  const batch = await take(prompts, endpoint);
  for (const point of ["leased", "in line end", "after line end"] as const) {
    const worker = child(point);
    await worker.stopped;
    await worker.kill();
    await runOut();
  }
  const [one, two] = [child(null), child(null)];
  const done = await ended(batch);
  await Promise.all([one.kill(), two.kill()]);
  await assertEachOnce(database.db, desk, upstream, done, { good: prompts, bad: [], endpoint });
});

test("a process that is killed while its upstream answers is followed by another, and its lines are charged once", async () => {
  upstream.status = () => 200;
  const prompts = Array.from({ length: 40 }, (_, n) => `slow ${n}`);
  const batch = await take(prompts);
  const gate = Promise.withResolvers<void>();
  upstream.before = () => gate.promise;
  const first = child(null);
  await until("lines under way", async () => upstream.asked.has("slow 0"), PATIENCE_MS);
  await first.kill();
  await runOut();
  upstream.before = () => undefined;
  gate.resolve();
  const second = child(null);
  const done = await ended(batch);
  await second.kill();
  await assertEachOnce(database.db, desk, upstream, done, { good: prompts, bad: [] });
  assert.ok([...upstream.asked].some(([prompt, times]) => prompt.startsWith("slow") && times > 1));
});

test("a process that stood still past its lease charges nothing for what another one has answered meanwhile", async () => {
  const prompts = Array.from({ length: 12 }, (_, n) => `twice ${n}`);
  const batch = await take(prompts);
  const gate = Promise.withResolvers<void>();
  let held = 0;
  upstream.before = (prompt) => {
    if (!prompt.startsWith("twice") || held === 8) return;
    held += 1;
    return gate.promise;
  };
  const slow = child(null);
  await until("8 lines at the upstream", async () => held === 8, PATIENCE_MS);
  // Its leases run out while it waits; nothing renews them any more than they were.
  await runOut();
  const quick = child(null);
  await quick.started;
  const done = await until(
    "the end",
    async () => {
      await runOut();
      const found = await find(batch);
      return found.endedAt !== null && found;
    },
    PATIENCE_MS,
  );
  gate.resolve();
  upstream.before = () => undefined;
  await until("the late answers", async () => {
    const [row] = await database.db.query<{ waiting: bigint }>(
      "SELECT count(*) AS waiting FROM batches.lines WHERE batch_id = $1",
      [batch.batchId],
    );
    return row?.waiting === 0n;
  });
  await Promise.all([slow.kill(), quick.kill()]);
  await assertEachOnce(database.db, desk, upstream, done, { good: prompts, bad: [] });
});

test("two processes share a batch of some hundreds of lines, and each line is answered once", async () => {
  const prompts = Array.from({ length: 300 }, (_, n) => `shared ${n}`);
  const workers = [child(null), child(null)];
  await Promise.all(workers.map(({ started }) => started));
  const done = await ended(await take(prompts));
  await Promise.all(workers.map((worker) => worker.kill()));
  await assertEachOnce(database.db, desk, upstream, done, { good: prompts, bad: [] });
  assert.deepEqual(
    prompts.filter((prompt) => upstream.asked.get(prompt) !== 1),
    [],
  );
});
