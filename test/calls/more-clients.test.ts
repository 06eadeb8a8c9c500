/**
 * Guarantee: what RAG stacks embed by (the AI SDK, LangChain) works over the built-in sandbox, is
 * charged its true count, and a sum of it is on the account.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { embed, embedMany } from "ai";
import OpenAI from "openai";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { formatRoubles, type Nano } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";

let sandbox: Sandbox;
let database: TestDatabase;
let gateway: Gateway;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8"),
    env: { SANDBOX_URL: sandbox.url, SANDBOX_API_KEY: "sandbox" },
  });
});
after(async () => {
  await gateway.stop();
  await database.drop();
  await sandbox.close();
});

/** As the shipped catalogue has it, roubles for 1M tokens. */
const PRICE = 12n;
const TEXTS = ["Столица Франции — Париж.", "Eiffel's tower is 330 m tall."];

function nanoOf(...texts: string[]): bigint {
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return BigInt(tokens) * PRICE * 1000n;
}

interface Customer {
  readonly secret: string;
  charged(): Promise<bigint>;
}

async function customer(roubles = "10"): Promise<Customer> {
  const accountId = await newAccount(database.db, roubles);
  const { secret } = await newKey(database.db, accountId);
  return {
    secret,
    async charged() {
      await postAll(database.db);
      return (await balance(database.db, accountId))?.chargedNano ?? -1n;
    },
  };
}

test("embed and embedMany of the AI SDK", async () => {
  const { secret, charged } = await customer();
  const openai = createOpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1` });
  const model = openai.embedding("sandbox-embedding");
  const one = await embed({ model, value: TEXTS[0] ?? "" });
  assert.equal(one.embedding.length, 1536);
  assert.equal(await charged(), nanoOf(TEXTS[0] ?? ""));
  const many = await embedMany({ model, values: TEXTS });
  assert.deepEqual(many.embeddings[0], one.embedding);
  assert.equal(many.usage.tokens, countTokens(TEXTS[0] ?? "") + countTokens(TEXTS[1] ?? ""));
  assert.equal(await charged(), nanoOf(TEXTS[0] ?? "", ...TEXTS));
});

test("OpenAIEmbeddings of LangChain, with dimensions of their own", async () => {
  const { secret, charged } = await customer();
  const embeddings = new OpenAIEmbeddings({
    apiKey: secret,
    model: "sandbox-embedding",
    dimensions: 64,
    configuration: { baseURL: `${gateway.url}/v1` },
  });
  const vectors = await embeddings.embedDocuments(TEXTS);
  assert.deepEqual(
    vectors.map(({ length }) => length),
    [64, 64],
  );
  assert.deepEqual(await embeddings.embedQuery(TEXTS[0] ?? ""), vectors[0]);
  assert.equal(await charged(), nanoOf(...TEXTS, TEXTS[0] ?? ""));
});

test("the sandbox's rerank, moderations and completions, each at its price", async () => {
  const { secret, charged } = await customer();
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const ranked = await client.post<{ results: { index: number }[] }>("/rerank", {
    body: { model: "sandbox-rerank", query: "столица Франции", documents: TEXTS, top_n: 1 },
  });
  assert.deepEqual(
    ranked.results.map(({ index }) => index),
    [0],
  );
  // Two of a thousand documents at 15 roubles.
  assert.equal(await charged(), 30_000_000n);
  const judged = await client.moderations.create({ input: ["hello", "I will kill you"] });
  assert.deepEqual(
    judged.results.map(({ flagged }) => flagged),
    [false, true],
  );
  assert.equal(await charged(), 40_000_000n);
  const prompt = "Жили-были";
  const stream = await client.completions.create({
    model: "sandbox-completion",
    prompt,
    stream: true,
  });
  let text = "";
  let finish: string | null = null;
  for await (const { choices } of stream) {
    text += choices[0]?.text ?? "";
    finish = choices[0]?.finish_reason ?? finish;
  }
  assert.equal(finish, "stop");
  const output = countTokens(text);
  assert.ok(output <= 16 && output > 8, text);
  const nano = BigInt(countTokens(prompt) * 100 + output * 200) * 1000n;
  assert.equal(await charged(), 40_000_000n + nano);
});

test("a quote says what is charged then, and takes nothing", async () => {
  const { secret, charged } = await customer();
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const body = { model: "sandbox-embedding", input: TEXTS };
  const quote = await client.post<Record<string, unknown>>("/quote/embeddings", { body });
  const nano = nanoOf(...TEXTS);
  assert.equal(quote["admitted"], true);
  assert.equal(quote["estimate"], formatRoubles(nano as Nano));
  assert.equal(await charged(), 0n);
  await client.embeddings.create(body);
  assert.equal(await charged(), nano);
  const poor = await customer("0.00001");
  const refused = await fetch(`${gateway.url}/v1/quote/embeddings`, {
    method: "POST",
    headers: { "x-api-key": poor.secret },
    body: JSON.stringify(body),
  });
  const { admitted, refusal } = (await refused.json()) as {
    admitted: boolean;
    refusal: { code: string };
  };
  assert.deepEqual([admitted, refusal.code], [false, "insufficient_balance"]);
});

test("lists of models and receipts know the new kinds", async () => {
  const { secret } = await customer();
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const list = async (path: string): Promise<Record<string, unknown>[]> =>
    (await client.get<{ data: Record<string, unknown>[] }>(path)).data;
  const [model, ...others] = await list("/models?type=embedding");
  assert.deepEqual(others, []);
  assert.deepEqual(model?.["endpoints"], ["embeddings"]);
  assert.deepEqual(model?.["price"], { currency: "RUB", unit: "1M tokens", input: "12" });
  const [rank] = await list("/models?type=rerank");
  assert.deepEqual(rank?.["price"], {
    currency: "RUB",
    unit: "1K documents",
    documents1000: "15",
  });
  const anthropic = await fetch(`${gateway.url}/v1/models`, {
    headers: { "x-api-key": secret, "anthropic-version": "2023-06-01" },
  });
  const shown = (await anthropic.json()) as { data: { model_type: string }[] };
  assert.deepEqual([...new Set(shown.data.map(({ model_type: type }) => type))], ["chat"]);

  await client.embeddings.create({ model: "sandbox-embedding", input: TEXTS[0] ?? "" });
  await client.post("/rerank", {
    body: { model: "sandbox-rerank", query: "Париж", documents: TEXTS },
  });
  const [embedded, ...more] = await list("/requests?kind=embedding");
  assert.deepEqual(more, []);
  assert.equal(embedded?.["endpoint"], "embeddings");
  const tokens = String(countTokens(TEXTS[0] ?? ""));
  const [line] = (embedded?.["lines"] ?? []) as Record<string, string>[];
  assert.deepEqual(
    [line?.["what"], line?.["quantity"], line?.["unitPrice"]],
    ["input", tokens, "12"],
  );
  const [rerank] = await list("/requests?kind=rerank");
  assert.deepEqual(rerank?.["counts"], { documents: 2 });
  assert.deepEqual(rerank?.["lines"], [
    { what: "documents", quantity: "2", unitPrice: "15", per: "1K documents", amount: "0.03" },
  ]);
  assert.equal(rerank?.["charged"], "0.03");
  assert.equal((await list("/requests")).length, 2);
  assert.deepEqual(await list("/requests?kind=chat"), []);
});
