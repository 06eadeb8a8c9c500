/**
 * Guarantee: the official SDKs' files and batches work as they are, over a real gateway; what they
 * read is private to the account, and charged as the price says.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { postAll } from "../../src/ledger/journals.store.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { batchCatalogue, chatBody, lineAt, parseLines, requestLine } from "./batch-world.ts";
import { priceOf, startCountingUpstream, type CountingUpstream } from "./scripted-answers.ts";

let database: TestDatabase;
let upstream: CountingUpstream;
let gateway: Gateway;

before(async () => {
  database = await testDatabase();
  upstream = await startCountingUpstream();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: batchCatalogue(upstream.url),
    env: { UPSTREAM_KEY: "sk-operators-own-0123456789abcdef" },
  });
});
after(async () => {
  await gateway.stop();
  await postAll(database.db);
  const { mismatches } = await verifyLedger(database.db);
  await upstream.close();
  await database.drop();
  assert.deepEqual(mismatches, []);
});

async function customer(roubles = "100") {
  const accountId = await newAccount(database.db, roubles);
  const { secret } = await newKey(database.db, accountId);
  return {
    accountId,
    secret,
    openai: new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 }),
  };
}

type Customer = Awaited<ReturnType<typeof customer>>;

async function charged({ accountId }: Customer): Promise<{ charged: bigint; held: bigint }> {
  const found = await balance(database.db, accountId);
  return { charged: found?.chargedNano ?? -1n, held: found?.heldNano ?? -1n };
}

const fileOf = (lines: readonly string[]) =>
  toFile(Buffer.from(lines.join("\n")), "requests.jsonl", { type: "application/jsonl" });

function ended({ openai }: Customer, id: string) {
  const over = new Set(["completed", "failed", "expired", "cancelled"]);
  return until(`the end of ${id}`, async () => {
    const batch = await openai.batches.retrieve(id);
    return over.has(batch.status) && batch;
  });
}

test("openai: a file is sent, found, worked off and deleted; its results are read by files.content", async () => {
  const who = await customer();
  const { openai } = who;
  const prompts = ["alpha", "beta beta", "гамма"];
  const sent = await openai.files.create({
    file: await fileOf(prompts.map((prompt) => requestLine(`id of ${prompt}`, chatBody(prompt)))),
    purpose: "batch",
  });
  assert.deepEqual(
    [sent.object, sent.purpose, sent.filename, sent.status],
    ["file", "batch", "requests.jsonl", "processed"],
  );
  assert.equal((await openai.files.retrieve(sent.id)).bytes, sent.bytes);
  const batch = await openai.batches.create({
    input_file_id: sent.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
    metadata: { night: "ly" },
  });
  assert.equal(batch.status, "validating");
  const done = await ended(who, batch.id);
  assert.equal(done.status, "completed");
  assert.deepEqual(done.request_counts, { total: 3, completed: 3, failed: 0 });
  assert.deepEqual(done.metadata, { night: "ly" });
  assert.ok((done.completed_at ?? 0) >= done.created_at);
  const output = await openai.files.content(done.output_file_id ?? "");
  const lines = parseLines(await output.text());
  assert.deepEqual(
    lines.map(({ custom_id: id }) => id),
    prompts.map((prompt) => `id of ${prompt}`),
  );
  const price = prompts.reduce((sum, prompt) => sum + priceOf(prompt), 0n) / 2n;
  assert.deepEqual(await charged(who), { charged: price, held: 0n });
  const page = await openai.batches.list({ limit: 1 });
  assert.deepEqual(
    page.data.map(({ id }) => id),
    [batch.id],
  );
  const purposes = [];
  for await (const file of openai.files.list()) purposes.push(file.purpose);
  assert.deepEqual(purposes, ["batch_output", "batch"]);
  const [receipt] = (
    (await (
      await fetch(`${gateway.url}/v1/requests`, { headers: { "x-api-key": who.secret } })
    ).json()) as { data: { batch: string; endpoint: string; variants: unknown }[] }
  ).data;
  assert.deepEqual(
    [receipt?.batch, receipt?.endpoint, receipt?.variants],
    [batch.id, "chat.completions", [{ field: "serviceTier", asked: "batch", used: "batch" }]],
  );
  assert.equal((await openai.files.delete(sent.id)).deleted, true);
  await assert.rejects(openai.files.retrieve(sent.id), { status: 404 });
  await assert.rejects(openai.batches.cancel(batch.id), { status: 409 });
});

test("openai: a batch of embeddings is worked off as one of chats is", async () => {
  const who = await customer();
  const texts = ["one", "two words"];
  const file = await fileOf(texts.map((text) => lineAt("embeddings", text)));
  const sent = await who.openai.files.create({ file, purpose: "batch" });
  const { id } = await who.openai.batches.create({
    input_file_id: sent.id,
    endpoint: "/v1/embeddings",
    completion_window: "24h",
  });
  const done = await ended(who, id);
  assert.deepEqual([done.status, done.endpoint], ["completed", "/v1/embeddings"]);
  const output = await who.openai.files.content(done.output_file_id ?? "");
  const [first] = parseLines(await output.text()) as { response: { body: { data: unknown[] } } }[];
  assert.equal(first?.response.body.data.length, 1);
  const price = texts.reduce((sum, text) => sum + (priceOf(text, "embeddings") + 1n) / 2n, 0n);
  assert.deepEqual(await charged(who), { charged: price, held: 0n });
});

test("openai: a file with mistakes fails the batch and names the lines; nothing is charged", async () => {
  const who = await customer();
  const sent = await who.openai.files.create({
    file: await fileOf([
      requestLine("a", chatBody("x")),
      "{not json",
      requestLine("a", chatBody("x")),
      requestLine("b", chatBody("x", "unknown-model")),
      requestLine("c", chatBody("x"), { url: "/v1/embeddings" }),
      requestLine("d", chatBody("x"), { method: "GET" }),
      JSON.stringify({ method: "POST" }),
    ]),
    purpose: "batch",
  });
  const { id } = await who.openai.batches.create({
    input_file_id: sent.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  const failed = await ended(who, id);
  assert.equal(failed.status, "failed");
  assert.deepEqual(
    failed.errors?.data?.map(({ code, line }) => [line, code]),
    [
      [2, "invalid_json_line"],
      [3, "duplicate_custom_id"],
      [4, "model_not_found"],
      [5, "mismatched_endpoint"],
      [6, "invalid_method"],
      [7, "missing_required_parameter"],
    ],
  );
  assert.deepEqual(await charged(who), { charged: 0n, held: 0n });
});

test("openai: another account finds neither file nor batch, and a private file has no URL", async () => {
  const [who, stranger] = [await customer(), await customer()];
  const sent = await who.openai.files.create({
    file: await fileOf([requestLine("a", chatBody("secret"))]),
    purpose: "batch",
  });
  const batch = await who.openai.batches.create({
    input_file_id: sent.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  await ended(who, batch.id);
  const { openai } = stranger;
  const attempts: (() => Promise<unknown>)[] = [
    () => openai.files.retrieve(sent.id),
    () => openai.files.content(sent.id),
    () => openai.files.delete(sent.id),
    () => openai.batches.retrieve(batch.id),
    () => openai.batches.cancel(batch.id),
  ];
  for (const attempt of attempts) await assert.rejects(attempt, { status: 404 });
  const foreign = { endpoint: "/v1/chat/completions", completion_window: "24h" } as const;
  await assert.rejects(openai.batches.create({ input_file_id: sent.id, ...foreign }), {
    status: 400,
    param: "input_file_id",
  });
  const rows = await database.db.query<{ name: string }>(
    "SELECT name FROM files.files WHERE account_id = $1",
    [who.accountId],
  );
  assert.equal(rows.length, 2);
  for (const { name } of rows)
    assert.equal((await fetch(`${gateway.url}/static/${name}`)).status, 404);
  const listed = await fetch(`${gateway.url}/v1/storage/files`, {
    headers: { "x-api-key": who.secret },
  });
  assert.deepEqual(((await listed.json()) as { data: { files: unknown[] } }).data.files, []);
});

test("openai: what no batch takes is refused by name", async () => {
  const { openai } = await customer();
  const file = await fileOf(["{}"]);
  await assert.rejects(openai.files.create({ file, purpose: "assistants" }), {
    status: 400,
    param: "purpose",
  });
  await assert.rejects(
    openai.batches.create({
      input_file_id: "file-1",
      endpoint: "/v1/videos",
      completion_window: "24h",
    }),
    { status: 400, param: "endpoint" },
  );
});

const REQUEST = (id: string, say: string, more: object = {}) => ({
  custom_id: id,
  params: {
    model: "cheap",
    max_tokens: 20,
    messages: [{ role: "user" as const, content: say }],
    ...more,
  },
});

function over({ anthropic }: Customer, id: string) {
  return until(`the end of ${id}`, async () => {
    const batch = await anthropic.messages.batches.retrieve(id);
    return batch.processing_status === "ended" && batch;
  });
}

test("anthropic: a message batch is admitted, worked off, read by results, and deleted", async () => {
  const who = await customer();
  const { batches } = who.anthropic.messages;
  const batch = await batches.create({
    requests: [
      REQUEST("first", "one"),
      REQUEST("second", "two", { temperature: 7 }),
      REQUEST("third", "three"),
    ],
  });
  assert.deepEqual(
    [batch.type, batch.processing_status, batch.request_counts.processing, batch.results_url],
    ["message_batch", "in_progress", 3, null],
  );
  const done = await over(who, batch.id);
  assert.deepEqual(done.request_counts, {
    processing: 0,
    succeeded: 2,
    errored: 1,
    canceled: 0,
    expired: 0,
  });
  assert.equal(done.results_url, `${gateway.url}/v1/messages/batches/${batch.id}/results`);
  const results = [];
  for await (const result of await batches.results(batch.id)) results.push(result);
  assert.deepEqual(
    results.map(({ custom_id: id, result }) => [id, result.type]),
    [
      ["first", "succeeded"],
      ["second", "errored"],
      ["third", "succeeded"],
    ],
  );
  const [first, second] = results;
  assert.ok(first?.result.type === "succeeded" && second?.result.type === "errored");
  assert.deepEqual(first.result.message.content, [{ type: "text", text: "heard one" }]);
  assert.equal(second.result.error.error.type, "invalid_request_error");
  const price = (priceOf("one") + priceOf("three")) / 2n;
  assert.deepEqual(await charged(who), { charged: price, held: 0n });
  const ids = [];
  for await (const { id } of batches.list({ limit: 1 })) ids.push(id);
  assert.deepEqual(ids, [batch.id]);
  assert.deepEqual(await batches.delete(batch.id), {
    id: batch.id,
    type: "message_batch_deleted",
  });
  await assert.rejects(batches.retrieve(batch.id), { status: 404 });
  const [left] = await database.db.query<{ files: bigint; bytes: bigint }>(
    "SELECT files, bytes FROM files.usage WHERE account_id = $1",
    [who.accountId],
  );
  assert.deepEqual(left, { files: 0n, bytes: 0n });
});

test("anthropic: a batch that the balance does not cover is a 402, and leaves nothing; one with a name twice is a 400", async () => {
  const who = await customer("0.01");
  const { batches } = who.anthropic.messages;
  await assert.rejects(batches.create({ requests: [REQUEST("a", "x"), REQUEST("b", "x")] }), {
    status: 402,
  });
  await assert.rejects(batches.create({ requests: [REQUEST("a", "x"), REQUEST("a", "x")] }), {
    status: 400,
  });
  assert.deepEqual((await batches.list()).data, []);
  assert.deepEqual(await charged(who), { charged: 0n, held: 0n });
  const rows = await database.db.query(
    "SELECT FROM files.files WHERE account_id = $1 AND state = 'stored'",
    [who.accountId],
  );
  assert.equal(rows.length, 0);
});

test("anthropic and openai: a cancelled batch ends what is under way, charges it, and gives the rest back", async () => {
  const who = await customer();
  const gate = Promise.withResolvers<void>();
  upstream.before = (prompt) => (prompt.startsWith("slow") ? gate.promise : undefined);
  const requests = Array.from({ length: 40 }, (_, n) => REQUEST(`r${n}`, `slow ${n}`));
  const batch = await who.anthropic.messages.batches.create({ requests });
  await until("some lines to run", async () => upstream.asked.has("slow 0"));
  const asked = await who.anthropic.messages.batches.cancel(batch.id);
  assert.equal(asked.processing_status, "canceling");
  assert.ok(asked.cancel_initiated_at !== null);
  gate.resolve();
  const done = await over(who, batch.id);
  upstream.before = () => undefined;
  const ran = [...upstream.asked.keys()].filter((prompt) => prompt.startsWith("slow"));
  assert.ok(ran.length > 0 && ran.length < 40, String(ran.length));
  assert.deepEqual(
    [done.request_counts.succeeded, done.request_counts.canceled],
    [ran.length, 40 - ran.length],
  );
  const price = ran.reduce((sum, prompt) => sum + priceOf(prompt) / 2n, 0n);
  assert.deepEqual(await charged(who), { charged: price, held: 0n });
  const types = [];
  for await (const { result } of await who.anthropic.messages.batches.results(batch.id))
    types.push(result.type);
  assert.equal(types.filter((type) => type === "canceled").length, 40 - ran.length);
});

test("what is sent again with its idempotency key is the batch that was made, held for and charged once", async () => {
  const who = await customer();
  const headers = { "idempotency-key": "nightly-1" };
  const file = await fileOf([requestLine("only", chatBody("once"))]);
  const sent = await who.openai.files.create({ file, purpose: "batch" });
  const wish = {
    input_file_id: sent.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  } as const;
  const make = () =>
    until("it is made", () =>
      who.openai.batches.create(wish, { headers }).catch((error: unknown) => {
        assert.ok(error instanceof OpenAI.ConflictError);
        return null;
      }),
    );
  const [first, second] = await Promise.all([make(), make()]);
  assert.equal(second.id, first.id);
  const other = { ...wish, metadata: { another: "body" } };
  await assert.rejects(who.openai.batches.create(other, { headers }), {
    status: 400,
    code: "idempotency_mismatch",
  });
  await ended(who, first.id);
  assert.deepEqual(await charged(who), { charged: priceOf("once") / 2n, held: 0n });

  const requests = [REQUEST("only", "twice")];
  const messageHeaders = { "idempotency-key": "nightly-2" };
  const { batches } = who.anthropic.messages;
  const made = await batches.create({ requests }, { headers: messageHeaders });
  const again = await batches.create({ requests }, { headers: messageHeaders });
  assert.equal(again.id, made.id);
  await over(who, made.id);
  const both = (priceOf("once") + priceOf("twice")) / 2n;
  assert.deepEqual(await charged(who), { charged: both, held: 0n });
});
