/**
 * Guarantee: nothing is sold below its price: what makes an upstream dearer is priced by what the
 * answer says, or refused by name, at both endpoints (contract §6, §12).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { until } from "../support/until.ts";
import { liveHolds } from "./books.ts";

const WRITES = 'cacheWrite5m: "187.5", cacheWrite1h: "300"';
const TARIFF = `
    price: { input: "150", cachedInput: "15", ${WRITES}, output: "600", audioOutput: "2400" }
    tiers: [{ abovePromptTokens: 2000, price: { input: "300", cachedInput: "30", ${WRITES}, output: "1200", audioOutput: "4800" } }]
    surcharges:
      serviceTier: { priority: { multiply: "2" } }
      speed: { fast: { price: { input: "900", cachedInput: "90", ${WRITES}, output: "3600", audioOutput: "9000" }, tiers: [] } }
      inferenceGeo: { us: { multiply: "1.1" }, eu: { price: { input: "200", cachedInput: "20", ${WRITES}, output: "700", audioOutput: "2500" }, tiers: [] } }
      tools: { web_search: { perCall: "0.9", maxCalls: 2 }, code_execution: { perRequest: "0.5" } }
      free: [prediction]`;

function catalogue(url: string): string {
  const upstream = (protocol: string): string =>
    `{ protocol: ${protocol}, baseUrl: "${url}/v1", apiKeyEnv: UPSTREAM_KEY, reportedCost: "100" }`;
  const model = (name: string, tariff: string, rest = ""): string =>
    `  ${name}:\n    type: chat\n    endpoints: [chat.completions, messages]\n    contextTokens: 20000\n    maxOutputTokens: 1000${tariff}\n    routes: [{ upstream: ${name.split("-")[1]}, model: there${rest} }]\n`;
  const plain = `\n    price: { input: "150", ${WRITES}, output: "600" }`;
  const cost = `, cost: { input: "100", ${WRITES}, output: "400" }, costSurcharges: { serviceTier: { priority: { multiply: "2" } } }`;
  return `upstreams:\n  openai: ${upstream("openai")}\n  anthropic: ${upstream("anthropic")}\nmodels:\n${model("priced-openai", TARIFF, cost)}${model("priced-anthropic", TARIFF)}${model("plain-openai", plain)}${model("plain-anthropic", plain)}`;
}

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue });
  customer = await scene.customer();
});
after(() => scene.close());

type Endpoint = "chat" | "messages";
type Upstream = "openai" | "anthropic";

interface Row {
  readonly endpoint: Endpoint;
  readonly upstream: Upstream;
  readonly ask: object;
  /** Beside the usage of 1,000 prompt tokens and 100 generated ones. */
  readonly say?: object;
  readonly usage?: object;
  /** What is charged, in nano-roubles, by hand. */
  readonly charge: bigint;
}

/** 1,000 × 150 + 100 × 600 for a million. */
const BASE = 210_000_000n;
const ROUBLE = 1_000_000_000n;

function path(endpoint: Endpoint): string {
  return endpoint === "chat" ? "/v1/chat/completions" : "/v1/messages";
}

function bodyOf(endpoint: Endpoint, model: string, user: string, ask: object): object {
  const whose = endpoint === "chat" ? { user } : { metadata: { user_id: user } };
  return {
    model,
    max_tokens: 200,
    messages: [{ role: "user", content: "Hello" }],
    ...whose,
    ...ask,
  };
}

function answerOf(
  upstream: Upstream,
  { say = {}, usage = {} }: Pick<Row, "say" | "usage">,
): object {
  return upstream === "openai"
    ? {
        id: "c1",
        object: "chat.completion",
        created: 1,
        model: "there",
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: "Hello there" },
            finish_reason: "stop",
          },
        ],
        usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, ...usage },
        ...say,
      }
    : {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "there",
        content: [{ type: "text", text: "Hello there" }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 1000, output_tokens: 100, ...usage },
        ...say,
      };
}

async function ask(
  row: Pick<Row, "endpoint" | "upstream" | "ask" | "say" | "usage">,
  model = `priced-${row.upstream}`,
) {
  const play = scene.play((exchange) => exchange.json(200, answerOf(row.upstream, row)));
  const answer = await postChat(
    scene.gateway.url,
    customer.secret,
    bodyOf(row.endpoint, model, play.user, row.ask),
    path(row.endpoint),
  ).answer;
  return { answer, play };
}

const SEARCH = { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] };
const CODE = { tools: [{ type: "code_execution_20250825", name: "code_execution" }] };

const MIXED_MARKS = {
  messages: [
    {
      role: "system",
      content: [
        { type: "text", text: "Be short.", cache_control: { type: "ephemeral", ttl: "1h" } },
      ],
    },
    {
      role: "user",
      content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }],
    },
  ],
};

/** Field × what the answer says → charge. */
const ROWS: Readonly<Record<string, Row>> = {
  "priority, served": {
    endpoint: "chat",
    upstream: "openai",
    ask: { service_tier: "priority" },
    say: { service_tier: "priority" },
    charge: BASE * 2n,
  },
  "priority, the answer is silent": {
    endpoint: "chat",
    upstream: "openai",
    ask: { service_tier: "priority" },
    charge: BASE * 2n,
  },
  "priority, downgraded": {
    endpoint: "chat",
    upstream: "openai",
    ask: { service_tier: "priority" },
    say: { service_tier: "default" },
    charge: BASE,
  },
  "priority, not asked for": {
    endpoint: "chat",
    upstream: "openai",
    ask: {},
    say: { service_tier: "priority" },
    charge: BASE,
  },
  "priority, left out on the way to another protocol": {
    endpoint: "chat",
    upstream: "anthropic",
    ask: { service_tier: "priority" },
    charge: BASE,
  },
  "auto passes": {
    endpoint: "chat",
    upstream: "openai",
    ask: { service_tier: "auto" },
    charge: BASE,
  },
  // 1,000 × 900 + 100 × 3,600
  "fast, served": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: { speed: "fast" },
    usage: { speed: "fast" },
    charge: 1_260_000_000n,
  },
  "fast, downgraded": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: { speed: "fast" },
    usage: { speed: "standard" },
    charge: BASE,
  },
  "US region, served": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: { inference_geo: "us" },
    usage: { inference_geo: "us" },
    charge: 231_000_000n,
  },
  "fast in the US region": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: { speed: "fast", inference_geo: "us" },
    usage: { speed: "fast", inference_geo: "us" },
    charge: 1_386_000_000n,
  },
  "web search, two calls": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: SEARCH,
    usage: { server_tool_use: { web_search_requests: 2 } },
    charge: BASE + (9n * ROUBLE * 2n) / 10n,
  },
  "web search, no call": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: SEARCH,
    usage: { server_tool_use: { web_search_requests: 0 } },
    charge: BASE,
  },
  "web_search_options, the answer is silent": {
    endpoint: "chat",
    upstream: "openai",
    ask: { web_search_options: {} },
    charge: BASE + (9n * ROUBLE) / 10n,
  },
  "code execution, for the request": {
    endpoint: "messages",
    upstream: "anthropic",
    ask: CODE,
    charge: BASE + ROUBLE / 2n,
  },
  // 1,000 × 150 + 60 × 600 + 40 × 2,400
  "audio in the answer": {
    endpoint: "chat",
    upstream: "openai",
    ask: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } },
    usage: { completion_tokens_details: { audio_tokens: 40 } },
    charge: 282_000_000n,
  },
  // 600 × 150 + 400 × 300 + 100 × 600: what was written may be all of the dearer mark's.
  "marks of both lives, the answer tells none": {
    endpoint: "chat",
    upstream: "openai",
    ask: MIXED_MARKS,
    usage: { prompt_tokens_details: { cache_write_tokens: 400 } },
    charge: 270_000_000n,
  },
  // 600 × 150 + 400 × 187.5 + 100 × 600
  "marks of both lives, the answer tells five minutes": {
    endpoint: "chat",
    upstream: "openai",
    ask: MIXED_MARKS,
    usage: {
      prompt_tokens_details: {
        cache_write_tokens: 400,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 400 },
      },
    },
    charge: 225_000_000n,
  },
  // 2,001 × 300 + 100 × 1,200: all of them
  "a prompt in the tier": {
    endpoint: "chat",
    upstream: "openai",
    ask: {},
    usage: { prompt_tokens: 2001, total_tokens: 2101 },
    charge: 720_300_000n,
  },
  "a prompt at the edge of the tier": {
    endpoint: "chat",
    upstream: "openai",
    ask: {},
    usage: { prompt_tokens: 2000, total_tokens: 2100 },
    charge: 360_000_000n,
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  test(`priced: ${name}`, async () => {
    const { answer } = await ask(row);
    assert.equal(answer.status, 200, answer.body.toString());
    const { chargedNano } = await scene.receipt(answer.requestId);
    assert.equal(chargedNano, row.charge);
    const shown = (await (
      await fetch(`${scene.gateway.url}/v1/requests/${answer.requestId}`, {
        headers: { "x-api-key": customer.secret },
      })
    ).json()) as { lines: { amount: string; per: string }[]; multipliers: { by: string }[] };
    // The receipt alone comes to the charge: lines of tokens by their multipliers, the others
    // beside them.
    const nano = (text: string): number => Math.round(Number(text) * 1e9);
    const factor = shown.multipliers.reduce((product, { by }) => product * Number(by), 1);
    const sum = shown.lines.reduce(
      (total, { amount, per }) => total + nano(amount) * (per === "each" ? 1 : factor),
      0,
    );
    assert.equal(BigInt(Math.round(sum)), row.charge);
    if (process.env["SHOW_TABLE"] !== undefined)
      console.log(`${name} | ${row.charge} | ${chargedNano}`);
  });
}

const REFUSED: Readonly<Record<string, readonly [Endpoint, object, string]>> = {
  priority: ["chat", { service_tier: "priority" }, "service_tier"],
  flex: ["chat", { service_tier: "flex" }, "service_tier"],
  fast: ["messages", { speed: "fast" }, "speed"],
  "a region": ["messages", { inference_geo: "us" }, "inference_geo"],
  "web search": ["messages", SEARCH, "tools[0]"],
  web_search_options: ["chat", { web_search_options: {} }, "web_search_options"],
  "audio in the answer": [
    "chat",
    { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } },
    "modalities",
  ],
  "an unknown type of tool": ["chat", { tools: [{ type: "mind_reading" }] }, "tools[0]"],
};

for (const [name, [endpoint, fields, param]] of Object.entries(REFUSED)) {
  test(`refused by name where it has no price, with nothing held, and by a quote: ${name}`, async () => {
    for (const upstream of ["openai", "anthropic"] as const) {
      const { answer, play } = await ask({ endpoint, upstream, ask: fields }, `plain-${upstream}`);
      assert.equal(answer.status, 400, answer.body.toString());
      assert.ok(answer.body.toString().includes(param), answer.body.toString());
      assert.equal(play.requests.length, 0);
      const quote = await postChat(
        scene.gateway.url,
        customer.secret,
        bodyOf(endpoint, `plain-${upstream}`, "nobody", fields),
        path(endpoint).replace("/v1/", "/v1/quote/"),
      ).answer;
      assert.equal(quote.status, 400, quote.body.toString());
    }
  });
}

test("two variants with a price of their own at once, and a batch at this endpoint, are refused", async () => {
  const both = await ask({
    endpoint: "messages",
    upstream: "anthropic",
    ask: { speed: "fast", inference_geo: "eu" },
  });
  assert.equal(both.answer.status, 400);
  assert.match(both.answer.body.toString(), /each has a price list of its own/);
  const batch = await ask({ endpoint: "chat", upstream: "openai", ask: { service_tier: "batch" } });
  assert.equal(batch.answer.status, 400);
});

test("what was asked and used is on the receipt; the cost is the variant's, and unknown where the route does not say it", async () => {
  const read = async (row: Row) => (await scene.receipt((await ask(row)).answer.requestId)).detail;
  const silent = await read(ROWS["priority, the answer is silent"] as Row);
  assert.deepEqual(silent["variants"], [
    { field: "serviceTier", asked: "priority", used: "priority", unconfirmed: true },
  ]);
  // (1,000 × 100 + 100 × 400) / 10⁶ × 2
  assert.equal(silent["upstreamCostNano"], "280000000");
  const unasked = await read(ROWS["priority, not asked for"] as Row);
  assert.deepEqual(
    [unasked["variants"], unasked["upstreamCostNano"]],
    [[{ field: "serviceTier", asked: null, used: "priority" }], "280000000"],
  );
  const searched = await read(ROWS["web_search_options, the answer is silent"] as Row);
  assert.equal(searched["upstreamCostNano"], null);
  const reported = await read({ ...(ROWS["auto passes"] as Row), usage: { cost: 0.0031 } });
  // 0.0031 of a unit that is worth 100 roubles: above the charge of 0.21.
  assert.equal(reported["upstreamCostNano"], "310000000");
  await scene.gateway.logged((line) =>
    JSON.stringify(line).includes("says that it takes 0.31 RUB"),
  );
});

test(
  "a killed process: what was delivered is charged as asked, by another process, and the receipt says so",
  { timeout: 120_000 },
  async () => {
    const killed = await scene.anotherGateway();
    const mine = await scene.customer();
    const pieces = Array.from({ length: 40 }, (_, index) => ` word${index}`);
    const play = scene.play(async (exchange) => {
      await exchange.sendAll(openAiStream({ pieces }).slice(0, 30));
      await exchange.hang();
    });
    const body = {
      ...bodyOf("chat", "priced-openai", play.user, { service_tier: "priority" }),
      stream: true,
    };
    const exchange = postChat(killed.url, mine.secret, body);
    exchange.answer.catch(() => undefined);
    const { requestId } = await exchange.head;
    await until("something is saved", async () =>
      (await liveHolds(scene.db)).some((hold) => hold.recordedNano > 0n),
    );
    await killed.kill();
    const { chargedNano, detail } = await scene.receipt(requestId, 90_000);
    const usage = detail["usage"] as { inputTokens: number; outputTokens: number };
    assert.ok(usage.outputTokens > 0);
    assert.equal(
      chargedNano,
      BigInt(usage.inputTokens * 150 + usage.outputTokens * 600) * 1000n * 2n,
    );
    assert.deepEqual(detail["variants"], [
      { field: "serviceTier", asked: "priority", used: "priority", unconfirmed: true },
    ]);
    await scene.verifyBooks();
  },
);
