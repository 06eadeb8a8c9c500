/**
 * Guarantee: what `count_tokens` says is what a message is billed for, within a stated bound,
 * whichever side counts (hazards §31, §38).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { balance, type Balance } from "../../src/ledger/accounts.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";

/**
 * Tokens by which our own count may be off the bill: a token for each message either way, where
 * texts meet, and above it for what no text shows. The sandbox counts both protocols by one rule
 * and an image as 85 tokens, where ours takes the 1,600 of a large one.
 */
const TOLERANCE = { message: 1, each: 4, tool: 22, image: 1600 };

/** Whether our count is near enough to the bill. `unseen` is what it may count besides. */
function isNear(count: number, bill: number, messages: number, unseen: number): void {
  const least = bill - TOLERANCE.message * messages;
  const most = bill + TOLERANCE.message * messages + TOLERANCE.each + unseen;
  assert.ok(
    count >= least && count <= most,
    `${count} counted, ${bill} billed, so ${least} to ${most} expected`,
  );
}

let sandbox: Sandbox;
let database: TestDatabase;
let gateway: Gateway;
let client: Anthropic;
let accountId: string;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
  database = await testDatabase();
  const model = (upstream: string): string =>
    `{ type: chat, endpoints: [messages], contextTokens: 200000, maxOutputTokens: 8000, price: { input: "15", cacheWrite5m: "15", cacheWrite1h: "15", output: "60" },` +
    ` routes: [ { upstream: ${upstream}, model: echo-large } ] }`;
  gateway = await startGateway({
    databaseUrl: database.url,
    env: { SANDBOX_KEY: "key" },
    catalogue: `
families: { prefix: claude, large: { match: opus, model: native }, small: { match: haiku, model: translated } }
upstreams:
  same: { protocol: anthropic, baseUrl: "${sandbox.url}", apiKeyEnv: SANDBOX_KEY }
  other: { protocol: openai, baseUrl: "${sandbox.url}/v1", apiKeyEnv: SANDBOX_KEY }
models:
  native: ${model("same")}
  translated: ${model("other")}
`,
  });
  accountId = await newAccount(database.db);
  const { secret } = await newKey(database.db, accountId);
  client = new Anthropic({ baseURL: gateway.url, apiKey: secret, maxRetries: 0 });
});
after(async () => {
  await gateway.stop();
  await database.drop();
  await sandbox.close();
});

type Asked = Omit<Anthropic.MessageCountTokensParams, "model">;

interface Prompt {
  readonly asked: Asked;
  /** Tools, calls of tools and their results. */
  readonly tools?: number;
  readonly images?: number;
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WEATHER: Anthropic.Tool = {
  name: "weather",
  description: "The weather of a city now, with its temperature in degrees Celsius.",
  input_schema: {
    type: "object",
    properties: {
      city: { type: "string", description: "The city" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    },
    required: ["city"],
  },
};
const LONG = "Порядок бьёт класс: every token is counted once, and only once. ".repeat(60);

const PROMPTS: Readonly<Record<string, Prompt>> = {
  "a short text": { asked: { messages: [{ role: "user", content: "Привет! How are you?" }] } },
  "a long text": { asked: { messages: [{ role: "user", content: LONG }] } },
  "a system prompt and turns": {
    asked: {
      system: [{ type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: "Один" },
        { role: "assistant", content: "Два" },
        { role: "user", content: "Три?" },
      ],
    },
  },
  "a tool": {
    asked: {
      tools: [WEATHER],
      tool_choice: { type: "auto" },
      messages: [{ role: "user", content: "What is the weather in Kazan?" }],
    },
    tools: 1,
  },
  "many tools": {
    asked: {
      tools: Array.from({ length: 12 }, (_, n) => ({ ...WEATHER, name: `weather_${n}` })),
      messages: [{ role: "user", content: "What is the weather in Kazan?" }],
    },
    tools: 12,
  },
  "a tool's result": {
    asked: {
      tools: [WEATHER],
      messages: [
        { role: "user", content: "What is the weather in Kazan?" },
        {
          role: "assistant",
          content: [
            {
              type: "tool_use",
              id: "toolu_01",
              name: "weather",
              input: { city: "Kazan", unit: "celsius" },
            },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_01", content: "−12, snow" }],
        },
      ],
    },
    tools: 3,
  },
  "an image": {
    asked: {
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
            { type: "text", text: LONG },
          ],
        },
      ],
    },
    images: 1,
  },
  thinking: {
    asked: {
      thinking: { type: "enabled", budget_tokens: 1024 },
      messages: [{ role: "user", content: LONG }],
    },
  },
};

async function counted(model: string, asked: Asked): Promise<number> {
  return (await client.messages.countTokens({ model, ...asked })).input_tokens;
}

async function answered(model: string, asked: Asked): Promise<Anthropic.Message> {
  return client.messages.create({ model, max_tokens: 2000, ...asked });
}

async function billed(model: string, asked: Asked): Promise<number> {
  const { usage } = await answered(model, asked);
  return (
    usage.input_tokens +
    (usage.cache_read_input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0)
  );
}

for (const [what, { asked, tools = 0, images = 0 }] of Object.entries(PROMPTS)) {
  test(`${what}: an upstream of the protocol counts exactly what it bills, and ours is near`, async () => {
    assert.equal(await counted("claude-opus-4-5", asked), await billed("native", asked));
    const [count, bill] = [
      await counted("claude-haiku-4-5", asked),
      await billed("translated", asked),
    ];
    isNear(count, bill, asked.messages.length, TOLERANCE.tool * tools + TOLERANCE.image * images);
  });
}

test("earlier thinking counts as the upstream of the protocol counts it; ours counts it as if it were read again", async () => {
  const first = await answered("native", {
    thinking: { type: "enabled", budget_tokens: 1024 },
    messages: [{ role: "user", content: "Why?" }],
  });
  const thought = first.content
    .flatMap((block) => (block.type === "thinking" ? [block.thinking] : []))
    .join("");
  assert.notEqual(thought, "");
  const asked: Asked = {
    thinking: { type: "enabled", budget_tokens: 1024 },
    messages: [
      { role: "user", content: "Why?" },
      { role: "assistant", content: first.content },
      { role: "user", content: "And then?" },
    ],
  };
  assert.equal(await counted("native", asked), await billed("native", asked));
  const [count, bill] = [await counted("translated", asked), await billed("translated", asked)];
  isNear(count, bill, 3, Buffer.byteLength(thought));
});

/** The charge of an answer reaches the books when its client has it already. */
async function settledBalance(): Promise<Balance> {
  return until("nothing is held and all is posted", async () => {
    await postAll(database.db);
    const books = await balance(database.db, accountId);
    return books !== null && books.heldNano === 0n && books;
  });
}

test("whichever side counts, nothing is charged, held or written down", async () => {
  const before = await settledBalance();
  for (const model of ["native", "translated"])
    await counted(model, { messages: [{ role: "user", content: LONG }] });
  assert.deepEqual(await settledBalance(), before);
});

test("a client's meter is never at nothing: message_start tells about what the prompt has, message_delta what is billed", async () => {
  for (const model of ["native", "translated"]) {
    const asked = {
      model,
      max_tokens: 200,
      messages: [{ role: "user" as const, content: LONG }],
      stream: true as const,
    };
    const bill = await billed(model, { messages: asked.messages });
    let started = 0;
    let ended = 0;
    for await (const event of await client.messages.create(asked)) {
      if (event.type === "message_start") started = event.message.usage.input_tokens;
      if (event.type === "message_delta") ended = event.usage.input_tokens ?? 0;
    }
    assert.equal(ended, bill, model);
    assert.ok(
      started >= bill / 2 && started <= bill * 2,
      `${model} started with ${started}, billed ${bill}`,
    );
  }
});
