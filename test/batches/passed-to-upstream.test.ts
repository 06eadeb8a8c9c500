/**
 * Guarantee: lines whose upstream has batches go there, once, at the price for batches; each is
 * charged by what the upstream's batch answered; what that fails or lets expire is worked off by the
 * gateway; a cancelled batch is cancelled there.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Readable } from "node:stream";
import type { BatchRecord } from "../../src/batches/batch-record.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { listRequests } from "../../src/usage/list-receipts.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import {
  openBatchProcess,
  parseLines,
  readLines,
  requestLine,
  sendFile,
  sentOnce,
  temporaryStorage,
  type BatchProcess,
} from "./batch-world.ts";
import { startAskedSandbox, type AskedSandbox } from "./pass-scene.ts";
import { text } from "node:stream/consumers";

let database: TestDatabase;
let db: Db;
let storage: Awaited<ReturnType<typeof temporaryStorage>>;
let sandbox: AskedSandbox;
let worker: BatchProcess;

before(async () => {
  database = await testDatabase();
  db = openDatabase({
    url: database.url,
    poolSize: 8,
    applicationName: "a worker of batches",
    onError: () => undefined,
  });
  storage = await temporaryStorage();
  sandbox = await startAskedSandbox();
  worker = await openBatchProcess({
    db,
    storageUrl: storage.url,
    upstream: sandbox.url,
    catalogue: "passed",
  });
  worker.batches.start(() => false);
});
after(async () => {
  await worker.close();
  const { mismatches } = await verifyLedger(database.db);
  await db.close();
  await sandbox.close();
  await database.drop();
  await storage.remove();
  assert.deepEqual(worker.errors, []);
  assert.deepEqual(mismatches, []);
});

async function customer() {
  const accountId = await newAccount(database.db, "1000");
  const { key } = await newKey(database.db, accountId);
  return { accountId, keyId: key.keyId, key };
}
type Customer = Awaited<ReturnType<typeof customer>>;

const SHAPES = ["openai", "anthropic"] as const;
type Shape = (typeof SHAPES)[number];

async function send(who: Customer, shape: Shape, prompts: readonly string[]): Promise<BatchRecord> {
  const body = (prompt: string) => ({
    model: shape === "openai" ? "oa" : "an",
    max_tokens: 40,
    messages: [{ role: "user", content: prompt }],
  });
  const call = { key: who.key, ...sentOnce() };
  if (shape === "openai") {
    const lines = prompts.map((prompt, n) => requestLine(`r${n}`, body(prompt)));
    return worker.batches.routes.createBatch({
      ...call,
      inputFileId: await sendFile(worker, who, lines.join("\n")),
      endpoint: "chat.completions",
      metadata: null,
      outputSeconds: null,
    });
  }
  const requests = prompts.map((prompt, n) => ({ custom_id: `r${n}`, params: body(prompt) }));
  return worker.batches.routes.createMessageBatch({
    ...call,
    source: Readable.from([Buffer.from(JSON.stringify({ requests }))]),
    limitBytes: 2 ** 30,
    signal: new AbortController().signal,
  });
}

const publicId = ({ shape, batchId }: BatchRecord): string =>
  `${shape === "openai" ? "batch" : "msgbatch"}_${batchId.replaceAll("-", "")}`;

const ended = (batch: BatchRecord) =>
  until(
    "the end of the batch",
    async () => {
      const found = await worker.batches.routes.batches.find(
        batch.accountId,
        batch.shape,
        publicId(batch),
      );
      return found.endedAt !== null && found;
    },
    60_000,
  );

interface Answered {
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly input_tokens?: number;
    readonly output_tokens?: number;
  };
}

/** Half the base price of what each answer says that it took. */
async function owed(batch: BatchRecord): Promise<bigint> {
  const bodies =
    batch.shape === "openai"
      ? (await readLines(worker, batch.accountId, batch.outputFileId)).map(
          (line) => (line as { response: { body: Answered } }).response.body,
        )
      : (await results(batch)).flatMap(({ result }) =>
          result.message === undefined ? [] : [result.message],
        );
  return bodies.reduce((sum, { usage = {} }) => {
    const input = usage.prompt_tokens ?? usage.input_tokens ?? 0;
    const output = usage.completion_tokens ?? usage.output_tokens ?? 0;
    return sum + (BigInt(input * 150 + output * 600) * 1000n + 1n) / 2n;
  }, 0n);
}

async function results(batch: BatchRecord) {
  const opened = await worker.batches.routes.batches.results(batch.accountId, publicId(batch));
  return parseLines(await text(await opened.open())) as unknown as {
    readonly custom_id: string;
    readonly result: { readonly type: string; readonly message?: Answered };
  }[];
}

async function assertPaid(batch: BatchRecord): Promise<void> {
  const found = await balance(database.db, batch.accountId);
  assert.deepEqual([found?.chargedNano, found?.heldNano], [await owed(batch), 0n]);
  assert.equal(batch.chargedNano, found?.chargedNano);
}

const timesAsked = (prompts: readonly string[]) =>
  prompts.map((prompt) => sandbox.asked.get(prompt) ?? 0);

for (const shape of SHAPES) {
  test(`${shape}: lines go to one batch of the upstream, each once, and are charged by its answers at the price for batches; the receipts say what it cost there`, async () => {
    const who = await customer();
    const before = (await sandbox.batches()).length;
    const prompts = Array.from({ length: 12 }, (_, n) => `${shape} plain ${n}`);
    const done = await ended(await send(who, shape, prompts));
    assert.deepEqual([done.state, done.succeeded, done.errored], ["completed", 12, 0]);
    assert.deepEqual(
      timesAsked(prompts),
      prompts.map(() => 1),
    );
    assert.equal((await sandbox.batches()).length, before + 1);
    await assertPaid(done);
    const page = { accountId: who.accountId, cursor: null, limit: 100 };
    const { receipts } = await listRequests(database.db, page);
    assert.equal(receipts.length, 12);
    for (const { costNano, upstream, chargedNano, state } of receipts) {
      assert.equal(state, "completed");
      assert.equal(upstream, shape === "openai" ? "up" : "um");
      // A fifteenth of the price, rounded up once as that is.
      assert.equal(costNano, (chargedNano + 14n) / 15n);
    }
  });

  test(`${shape}: a refusal of the upstream's ends its line; what fails there is worked off by the gateway, and so is what expires`, async () => {
    const who = await customer();
    const wrong = `[[sandbox: status=400]] ${shape} wrong`;
    const broken = `[[sandbox: status=500]] ${shape} broken`;
    const fine = `${shape} fine`;
    const done = await ended(await send(who, shape, [wrong, broken, fine]));
    assert.deepEqual([done.state, done.succeeded, done.errored], ["completed", 1, 2]);
    assert.deepEqual(timesAsked([wrong, fine]), [1, 1]);
    assert.ok((sandbox.asked.get(broken) ?? 0) > 1);
    await assertPaid(done);

    const prompts = [`[[batch: expire=3]] ${shape} first`].concat(
      Array.from({ length: 9 }, (_, n) => `${shape} late ${n}`),
    );
    const late = await ended(await send(await customer(), shape, prompts));
    assert.deepEqual([late.state, late.succeeded], ["completed", 10]);
    assert.deepEqual(
      timesAsked(prompts),
      prompts.map(() => 1),
    );
    await assertPaid(late);
  });

  test(`${shape}: a batch that the upstream refuses is worked off by the gateway`, async () => {
    const prompts = [`[[batch: refuse=403]] ${shape} refused`, `${shape} beside it`];
    const done = await ended(await send(await customer(), shape, prompts));
    assert.deepEqual([done.state, done.succeeded], ["completed", 2]);
    assert.deepEqual(timesAsked(prompts), [1, 1]);
    await assertPaid(done);
  });

  test(`${shape}: a batch whose submission was not answered is found, and not submitted again`, async () => {
    const before = (await sandbox.batches()).length;
    const prompts = [`[[batch: lose]] ${shape} lost`, `${shape} lost too`];
    const done = await ended(await send(await customer(), shape, prompts));
    assert.deepEqual([done.state, done.succeeded], ["completed", 2]);
    assert.deepEqual(timesAsked(prompts), [1, 1]);
    assert.equal((await sandbox.batches()).length, before + 1);
    await assertPaid(done);
  });

  test(`${shape}: a cancelled batch is cancelled at the upstream, and what has not run costs nothing`, async () => {
    const who = await customer();
    const prompts = [`[[batch: stuck]] ${shape} stuck`, `${shape} behind it`];
    const known = new Set((await sandbox.batches()).map(({ id }) => id));
    const batch = await send(who, shape, prompts);
    await until("it is at the upstream", async () =>
      (await sandbox.batches()).some(({ id }) => !known.has(id)),
    );
    await worker.batches.routes.batches.cancel(who.accountId, shape, publicId(batch));
    const done = await ended(batch);
    assert.deepEqual([done.state, done.succeeded, done.canceled], ["cancelled", 0, 2]);
    assert.deepEqual(timesAsked(prompts), [0, 0]);
    await assertPaid(done);
  });
}

test("what a batch of the upstream costs is on the receipts of embeddings, too; where the catalogue does not say it, they say by which key it would", async () => {
  const cases = [
    // A fortieth of the price at a quarter and a half of them.
    { model: "vectors", cost: (charged: bigint) => (charged + 19n) / 20n, lacks: undefined },
    { model: "vague-vectors", cost: () => null, lacks: "costSurcharges.serviceTier.batch" },
    { model: "vague", cost: () => null, lacks: "costSurcharges.serviceTier.batch" },
  ] as const;
  for (const { model, cost, lacks } of cases) {
    const who = await customer();
    const chat = model === "vague";
    const url = { url: chat ? "/v1/chat/completions" : "/v1/embeddings" };
    const input = `a cost of ${model}`;
    const asked = chat
      ? { model, max_tokens: 40, messages: [{ role: "user", content: input }] }
      : { model, input };
    const done = await ended(
      await worker.batches.routes.createBatch({
        key: who.key,
        ...sentOnce(),
        inputFileId: await sendFile(worker, who, requestLine("r", asked, url)),
        endpoint: chat ? "chat.completions" : "embeddings",
        metadata: null,
        outputSeconds: null,
      }),
    );
    assert.deepEqual([done.state, done.succeeded, timesAsked([input])], ["completed", 1, [1]]);
    const page = { accountId: who.accountId, cursor: null, limit: 100 };
    const { receipts } = await listRequests(database.db, page);
    const [receipt] = receipts;
    assert.ok(receipt !== undefined && receipt.chargedNano > 0n);
    assert.equal(receipt.costNano, cost(receipt.chargedNano), model);
    assert.equal(receipt.detail["costLacks"], lacks, model);
  }
});

test("embeddings go the same way; a file that the upstream finds wanting is worked off by the gateway", async () => {
  const who = await customer();
  const url = { url: "/v1/embeddings" };
  for (const prompts of [
    ["one vector", "two vectors"],
    ["[[batch: fail]] a vector", "another vector"],
  ]) {
    const lines = prompts.map((input) => requestLine(input, { model: "vectors", input }, url));
    const done = await ended(
      await worker.batches.routes.createBatch({
        key: who.key,
        ...sentOnce(),
        inputFileId: await sendFile(worker, who, lines.join("\n")),
        endpoint: "embeddings",
        metadata: null,
        outputSeconds: null,
      }),
    );
    assert.deepEqual([done.state, done.succeeded], ["completed", 2]);
    assert.deepEqual(timesAsked(prompts), [1, 1]);
  }
});
