/**
 * Guarantee: what is sent and what is answered vanishes when its caller said so; the results of a
 * message batch are there for 29 days after it was made.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { batchCatalogue, chatBody, requestLine } from "./batch-world.ts";
import { startCountingUpstream, type CountingUpstream } from "./scripted-answers.ts";

let database: TestDatabase;
let upstream: CountingUpstream;
let gateway: Gateway;
let secret: string;
let openai: OpenAI;
let anthropic: Anthropic;

before(async () => {
  database = await testDatabase();
  upstream = await startCountingUpstream();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: batchCatalogue(upstream.url),
    env: { UPSTREAM_KEY: "sk-operators-own-0123456789abcdef" },
  });
  ({ secret } = await newKey(database.db, await newAccount(database.db, "100")));
  openai = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
});
after(async () => {
  await gateway.stop();
  await upstream.close();
  await database.drop();
});

const HOUR = 3_600;
const file = () =>
  toFile(
    Buffer.from([requestLine("good", chatBody("x")), requestLine("bad", {})].join("\n")),
    "requests.jsonl",
  );
const lasting = (seconds: number) => ({ anchor: "created_at" as const, seconds });

const life = ({ created_at: from, expires_at: to }: OpenAI.FileObject): number => (to ?? 0) - from;

/** As if so many days had gone by. */
const pass = (days: number) =>
  database.db.query(
    `WITH shifted AS (UPDATE batches.batches SET created_at = created_at - $1 * interval '1 day', ended_at = ended_at - $1 * interval '1 day')
     UPDATE files.files SET stored_at = stored_at - $1 * interval '1 day', expires_at = expires_at - $1 * interval '1 day' WHERE state = 'stored'`,
    [days],
  );

test("openai: a file lives as long as it was asked to, and its results as long as the batch asked for them; then they are not found", async () => {
  const sent = await openai.files.create({
    file: await file(),
    purpose: "batch",
    expires_after: lasting(5 * HOUR),
  });
  assert.equal(life(sent), 5 * HOUR);
  const made = await openai.batches.create({
    input_file_id: sent.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
    output_expires_after: lasting(2 * HOUR),
  });
  const done = await until("the end", async () => {
    const batch = await openai.batches.retrieve(made.id);
    return batch.status === "completed" && batch;
  });
  const results = [done.output_file_id ?? "", done.error_file_id ?? ""];
  for (const id of results) assert.equal(life(await openai.files.retrieve(id)), 2 * HOUR);
  // A file that a batch reads is there as long as the batch may run.
  assert.ok(life(await openai.files.retrieve(sent.id)) >= 24 * HOUR);
  await pass(2 / 24);
  for (const id of results) {
    await assert.rejects(openai.files.retrieve(id), { status: 404 });
    await assert.rejects(openai.files.content(id), { status: 404 });
  }
  assert.equal((await openai.batches.retrieve(made.id)).output_file_id, results[0]);
});

test("openai: without a wish files live as others do; a wish outside of an hour to thirty days is refused by name", async () => {
  const usual = await openai.files.create({ file: await file(), purpose: "batch" });
  assert.equal(life(usual), 14 * 24 * HOUR);
  const longest = await openai.files.create({
    file: await file(),
    purpose: "batch",
    expires_after: lasting(720 * HOUR),
  });
  assert.equal(life(longest), 720 * HOUR);
  for (const seconds of [HOUR - 1, 720 * HOUR + 1, 1.5 * HOUR + 0.5])
    await assert.rejects(
      async () =>
        openai.files.create({
          file: await file(),
          purpose: "batch",
          expires_after: lasting(seconds),
        }),
      { status: 400, param: "expires_after[seconds]" },
    );
  await assert.rejects(
    async () =>
      openai.files.create({
        file: await file(),
        purpose: "batch",
        expires_after: { anchor: "last_active_at", seconds: HOUR } as never,
      }),
    { status: 400, param: "expires_after[anchor]" },
  );
  await assert.rejects(
    openai.batches.create({
      input_file_id: usual.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      output_expires_after: lasting(1),
    }),
    { status: 400 },
  );
});

test("anthropic: results are there for 29 days after their batch was made, whatever other files do; then it is archived", async () => {
  const { batches } = anthropic.messages;
  const params = { model: "cheap", max_tokens: 20, messages: [{ role: "user", content: "x" }] };
  const made = await batches.create({ requests: [{ custom_id: "a", params: params as never }] });
  const over = () => batches.retrieve(made.id);
  await until("the end", async () => (await over()).processing_status === "ended");
  await pass(28.9);
  const late = await over();
  assert.deepEqual([late.archived_at, late.results_url === null], [null, false]);
  let lines = 0;
  for await (const { result } of await batches.results(made.id)) {
    assert.equal(result.type, "succeeded");
    lines += 1;
  }
  assert.equal(lines, 1);
  await pass(0.1);
  const archived = await over();
  assert.equal(archived.results_url, null);
  const days =
    (Date.parse(archived.archived_at ?? "") - Date.parse(archived.created_at)) / 86_400_000;
  assert.equal(days, 29);
  const answer = await fetch(`${gateway.url}/v1/messages/batches/${made.id}/results`, {
    headers: { "x-api-key": secret },
  });
  assert.equal(answer.status, 404);
});
