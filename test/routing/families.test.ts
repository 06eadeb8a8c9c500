/**
 * Guarantee: a family id is its current model, at every endpoint and over every protocol: its
 * price, its name in the answer, both names on the receipt; a new mapping needs no restart
 * (contract §5).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import type { ChatEndpoint } from "../../src/contract/enums/chat-endpoint.ts";
import { formatRequestId, parseRequestId } from "../../src/kernel/ids.ts";
import { findAnyRequest } from "../../src/usage/receipts.store.ts";
import type { StoredReceipt } from "../../src/usage/receipt-row.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";

let sandbox: Sandbox;
let database: TestDatabase;
let gateway: Gateway;
let accountId: string;
let secret: string;
const folder = mkdtempSync(join(tmpdir(), "families-"));
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
  database = await testDatabase();
  gateway = await startGateway({
    databaseUrl: database.url,
    env: { SANDBOX_KEY: "key" },
    catalogue: catalogueWith("by-messages"),
  });
  accountId = await newAccount(database.db);
  ({ secret } = await newKey(database.db, accountId));
});
after(async () => {
  await gateway.stop();
  await database.drop();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Roubles for 1M tokens of output; input is free. */
const OUTPUT_PRICES = { "by-messages": 1000, "by-chat": 3000, "by-responses": 2000 };
type Sold = keyof typeof OUTPUT_PRICES;
/** The upstream of each, and of its twin that lets the upstream's word pass. */
const UPSTREAMS: readonly string[] = ["messages", "chat", "responses"];
const TOKENS = 10;

function catalogueWith(medium: Sold): string {
  const model = (name: Sold, upstream: string, more = ""): string =>
    `{ type: chat,${more} endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 8000,` +
    ` price: { input: "0", cacheWrite5m: "0", cacheWrite1h: "0", output: "${OUTPUT_PRICES[name]}" }, routes: [ { upstream: ${upstream}, model: echo-large } ] }`;
  return `
families: { prefix: claude, medium: { match: sonnet, model: ${medium} } }
upstreams:
  messages: { protocol: anthropic, baseUrl: "${sandbox.url}", apiKeyEnv: SANDBOX_KEY }
  chat: { protocol: openai, baseUrl: "${sandbox.url}/v1", apiKeyEnv: SANDBOX_KEY }
  responses: { protocol: responses, baseUrl: "${sandbox.url}/v1", apiKeyEnv: SANDBOX_KEY }
models:
  by-messages: ${model("by-messages", "messages")}
  by-chat: ${model("by-chat", "chat")}
  by-responses: ${model("by-responses", "responses")}
  word-messages: ${model("by-messages", "messages", " answerModel: upstream,")}
  word-chat: ${model("by-chat", "chat", " answerModel: upstream,")}
  word-responses: ${model("by-responses", "responses", " answerModel: upstream,")}
`;
}

const MESSAGES = [{ role: "user" as const, content: `Hello [[sandbox: tokens=${TOKENS}]]` }];

interface Asked {
  readonly endpoint: ChatEndpoint;
  /** As the answer names it; of a stream, every name that was in it. */
  readonly models: readonly string[];
  readonly requestId: string;
}

/** The same question in all ways in which it can be asked, with the official SDKs. */
const WAYS: Readonly<Record<string, (model: string, key: string) => Promise<Asked>>> = {
  async "a completion"(model, key) {
    const { data, response } = await openAi(key)
      .chat.completions.create({ model, messages: MESSAGES })
      .withResponse();
    return {
      endpoint: "chat.completions",
      models: [data.model],
      requestId: response.headers.get("x-request-id") ?? "",
    };
  },
  async "a stream of chunks"(model, key) {
    const { data, response } = await openAi(key)
      .chat.completions.create({ model, messages: MESSAGES, stream: true })
      .withResponse();
    const chunks = await Array.fromAsync(data);
    return {
      endpoint: "chat.completions",
      models: [...new Set(chunks.map((chunk) => chunk.model))],
      requestId: response.headers.get("x-request-id") ?? "",
    };
  },
  async "a message"(model, key) {
    const { data, response } = await anthropic(key)
      .messages.create({ model, max_tokens: 100, messages: MESSAGES })
      .withResponse();
    return {
      endpoint: "messages",
      models: [data.model],
      requestId: response.headers.get("request-id") ?? "",
    };
  },
  async "a stream of events"(model, key) {
    const { data, response } = await anthropic(key)
      .messages.create({ model, max_tokens: 100, messages: MESSAGES, stream: true })
      .withResponse();
    const events = await Array.fromAsync(data);
    const models = events.flatMap((event) =>
      event.type === "message_start" ? [event.message.model] : [],
    );
    return { endpoint: "messages", models, requestId: response.headers.get("request-id") ?? "" };
  },
  async "a response"(model, key) {
    const { data, response } = await openAi(key)
      .responses.create({ model, input: MESSAGES })
      .withResponse();
    return {
      endpoint: "responses",
      models: [data.model],
      requestId: response.headers.get("x-request-id") ?? "",
    };
  },
  async "a stream of a response"(model, key) {
    const { data, response } = await openAi(key)
      .responses.create({ model, input: MESSAGES, stream: true })
      .withResponse();
    const events = await Array.fromAsync(data);
    const models = events.flatMap((event) => ("response" in event ? [event.response.model] : []));
    return {
      endpoint: "responses",
      models: [...new Set(models)],
      requestId: response.headers.get("x-request-id") ?? "",
    };
  },
};

function openAi(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

function anthropic(apiKey: string): Anthropic {
  return new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 });
}

function receiptOf(requestId: string): Promise<StoredReceipt> {
  const uuid = parseRequestId(requestId);
  assert.ok(uuid !== null);
  return until(`the receipt of ${requestId}`, () => findAnyRequest(database.db, uuid));
}

async function expectMapped(medium: Sold): Promise<void> {
  for (const [way, ask] of Object.entries(WAYS)) {
    const { endpoint, models, requestId } = await ask("claude-sonnet-5-5", secret);
    assert.deepEqual(models, [medium], way);
    const receipt = await receiptOf(requestId);
    assert.deepEqual(
      [
        formatRequestId(receipt.requestId),
        receipt.model,
        receipt.modelRequested,
        receipt.endpoint,
        receipt.chargedNano,
      ],
      [
        requestId,
        medium,
        "claude-sonnet-5-5",
        endpoint,
        BigInt(OUTPUT_PRICES[medium] * TOKENS) * 1000n,
      ],
      way,
    );
  }
}

test("a family id is answered, charged and written down as the model behind it", () =>
  expectMapped("by-messages"));

test("an answer names the model that was sold, and the upstream's word passes only where the catalogue says so", async () => {
  for (const [way, ask] of Object.entries(WAYS)) {
    for (const upstream of UPSTREAMS) {
      for (const [model, named] of [
        [`by-${upstream}`, `by-${upstream}`],
        [`word-${upstream}`, "echo-large"],
      ] as const) {
        const { models, requestId } = await ask(model, secret);
        assert.deepEqual(models, [named], `${way}, ${model}`);
        assert.equal((await receiptOf(requestId)).modelRequested, model);
      }
    }
  }
});

test("another model behind a family is a change of the catalogue: running processes take it, none is started", async () => {
  const file = join(folder, "catalogue.yaml");
  const command = createTollgateCommand({ ...gateway.env, SANDBOX_KEY: "key" });
  for (const [version, medium] of [
    [2, "by-responses"],
    [3, "by-chat"],
  ] as const) {
    writeFileSync(file, catalogueWith(medium));
    await command.json("catalogue", "apply", file);
    await gateway.logged(
      (line) => line.msg === "a new catalogue version is in force" && line["version"] === version,
    );
    await expectMapped(medium);
  }
});

test("a key limited to models calls a family by either name, and nothing else", async () => {
  const status = (work: Promise<unknown>): Promise<number | undefined> =>
    work.then(
      () => 200,
      (error: unknown) =>
        error instanceof OpenAI.APIError || error instanceof Anthropic.APIError
          ? error.status
          : undefined,
    );
  for (const [models, family, behind] of [
    [["claude-sonnet-5-5"], 200, 403],
    [["by-chat"], 200, 200],
    [["by-messages"], 403, 403],
  ] as const) {
    const { secret: narrow } = await newKey(database.db, accountId, { models });
    for (const ask of Object.values(WAYS)) {
      assert.deepEqual(
        [await status(ask("claude-sonnet-5-5", narrow)), await status(ask("by-chat", narrow))],
        [family, behind],
      );
    }
  }
});

test("a family that nothing stands behind is a 404 in the caller's own protocol", async () => {
  for (const ask of Object.values(WAYS)) {
    await assert.rejects(
      ask("claude-opus-4-5", secret),
      (error) => error instanceof OpenAI.NotFoundError || error instanceof Anthropic.NotFoundError,
    );
  }
});
