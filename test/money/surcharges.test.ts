/**
 * Guarantee: nothing is sold below its price: what makes an upstream dearer is priced by what the
 * answer says, or refused by name, at every chat endpoint (contract §6, §12).
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { anthropicMessage } from "../support/anthropic-stream.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { pairAnswer } from "../support/pair-answers.ts";
import { postChat } from "../support/post-chat.ts";
import { PROTOCOLS, type Protocol } from "../support/protocol-pairs.ts";
import { responsesUsage, responsesWhole } from "../support/responses-stream.ts";
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
      tools: { web_search: { perCall: "0.9", maxCalls: 2 }, code_execution: { perRequest: "0.5" }, code_interpreter: { perRequest: "0.5" } }
      free: [prediction]`;

function catalogue(url: string): string {
  const upstream = (protocol: string): string =>
    `{ protocol: ${protocol}, baseUrl: "${url}/v1", apiKeyEnv: UPSTREAM_KEY, reportedCost: "100" }`;
  const model = (name: string, tariff: string, rest = ""): string =>
    `  ${name}:\n    type: chat\n    endpoints: [chat.completions, messages]\n    contextTokens: 20000\n    maxOutputTokens: 1000${tariff}\n    routes: [{ upstream: ${name.split("-")[1]}, model: there${rest} }]\n`;
  const plain = `\n    price: { input: "150", ${WRITES}, output: "600" }`;
  const cost = `, cost: { input: "100", ${WRITES}, output: "400" }, costSurcharges: { serviceTier: { priority: { multiply: "2" } } }`;
  const upstreams = PROTOCOLS.map((protocol) => `  ${protocol}: ${upstream(protocol)}\n`);
  const models = PROTOCOLS.map(
    (protocol) =>
      model(`priced-${protocol}`, TARIFF, protocol === "openai" ? cost : "") +
      model(`plain-${protocol}`, plain),
  );
  const short = model("short-responses", `\n    price: { input: "150", output: "600" }`);
  return `upstreams:\n${upstreams.join("")}models:\n${models.join("")}${short}`;
}

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue });
  customer = await scene.customer();
});
after(() => scene.close());

type Endpoint = "chat" | "messages" | "responses";
type Upstream = Protocol;

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

const PATHS: Readonly<Record<Endpoint, string>> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
};

function bodyOf(endpoint: Endpoint, model: string, user: string, ask: object): object {
  const question = [{ role: "user", content: "Hello" }];
  const bodies: Readonly<Record<Endpoint, object>> = {
    chat: { max_tokens: 200, messages: question, user },
    messages: { max_tokens: 200, messages: question, metadata: { user_id: user } },
    responses: { max_output_tokens: 200, input: question, user },
  };
  return { model, ...bodies[endpoint], ...ask };
}

function answerOf(
  upstream: Upstream,
  { say = {}, usage = {} }: Pick<Row, "say" | "usage">,
): object {
  const pieces = ["Hello there"];
  switch (upstream) {
    case "openai": {
      const counts = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, ...usage };
      return { ...openAiCompletion({ pieces, usage: counts }), ...say };
    }
    case "anthropic": {
      const counts = { input_tokens: 1000, output_tokens: 100, ...usage };
      return { ...anthropicMessage({ blocks: [{ type: "text", pieces }], usage: counts }), ...say };
    }
    case "responses": {
      const items = [{ type: "message" as const, pieces }];
      const counts = responsesUsage(1000, 100, { ...usage });
      return { ...responsesWhole({ items, usage: counts }), service_tier: undefined, ...say };
    }
  }
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
    PATHS[row.endpoint],
  ).answer;
  return { answer, play };
}

const SEARCH = { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] };
const RESPONSES_SEARCH = { tools: [{ type: "web_search", external_web_access: true }] };
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

/** As an item of the answer: calls of a tool that the upstream ran itself. */
const called = (type: string, ...actions: readonly string[]): readonly object[] =>
  actions.map((action, index) => ({
    id: `call_${index}`,
    type,
    status: "completed",
    action: { type: action },
  }));

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
  "Responses: priority, served": {
    endpoint: "responses",
    upstream: "responses",
    ask: { service_tier: "priority" },
    say: { service_tier: "priority" },
    charge: BASE * 2n,
  },
  "Responses: fast is another name of priority; the answer is silent": {
    endpoint: "responses",
    upstream: "responses",
    ask: { service_tier: "fast" },
    charge: BASE * 2n,
  },
  "Responses: priority, downgraded": {
    endpoint: "responses",
    upstream: "responses",
    ask: { service_tier: "priority" },
    say: { service_tier: "default" },
    charge: BASE,
  },
  "Responses: priority, not asked for": {
    endpoint: "responses",
    upstream: "responses",
    ask: {},
    say: { service_tier: "priority" },
    charge: BASE,
  },
  "Responses: priority, left out on the way to another protocol": {
    endpoint: "responses",
    upstream: "openai",
    ask: { service_tier: "priority" },
    charge: BASE,
  },
  "Messages: fast, left out on the way to Responses": {
    endpoint: "messages",
    upstream: "responses",
    ask: { speed: "fast" },
    charge: BASE,
  },
  "Responses: web search, two calls by the answer's count, whatever its items show": {
    endpoint: "responses",
    upstream: "responses",
    ask: RESPONSES_SEARCH,
    say: {
      output: called("web_search_call", "search", "search", "search"),
      tool_usage: { web_search: { num_requests: 2 } },
    },
    charge: BASE + (9n * ROUBLE * 2n) / 10n,
  },
  "Responses: web search without a count, by its items; a page that is opened is no search": {
    endpoint: "responses",
    upstream: "responses",
    ask: RESPONSES_SEARCH,
    say: { output: called("web_search_call", "search", "open_page", "find_in_page") },
    charge: BASE + (9n * ROUBLE) / 10n,
  },
  "Responses: code interpreter, for the request": {
    endpoint: "responses",
    upstream: "responses",
    ask: { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    charge: BASE + ROUBLE / 2n,
  },
  "Responses: web search, left out on the way to another protocol": {
    endpoint: "responses",
    upstream: "anthropic",
    ask: RESPONSES_SEARCH,
    charge: BASE,
  },
  // 600 × 150 + 400 × 187.5 + 100 × 600
  "Responses: written to a cache": {
    endpoint: "responses",
    upstream: "responses",
    ask: { prompt_cache_key: "k" },
    usage: { input_tokens_details: { cached_tokens: 0, cache_write_tokens: 400 } },
    charge: 225_000_000n,
  },
  // 600 × 150 + 400 × 300 + 100 × 600
  "Responses: written to a cache for twelve hours, which the answer does not tell apart": {
    endpoint: "responses",
    upstream: "responses",
    ask: { prompt_cache_options: { ttl: "12h" } },
    usage: { input_tokens_details: { cached_tokens: 0, cache_write_tokens: 400 } },
    charge: 270_000_000n,
  },
  // 600 × 150 + 300 × 187.5 + 100 × 300 + 100 × 600
  "Responses: written to a cache, a part of it for twelve hours": {
    endpoint: "responses",
    upstream: "responses",
    ask: { prompt_cache_options: { ttl: "12h" } },
    usage: {
      input_tokens_details: {
        cached_tokens: 0,
        cache_write_tokens: 400,
        cache_write_tokens_details: { ttl_12h_tokens: 100, ttl_30m_tokens: 300 },
      },
    },
    charge: 236_250_000n,
  },
  // 2,001 × 300 + 100 × 1,200
  "Responses: a prompt in the tier": {
    endpoint: "responses",
    upstream: "responses",
    ask: {},
    usage: { input_tokens: 2001, total_tokens: 2101 },
    charge: 720_300_000n,
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
  "Responses: priority": ["responses", { service_tier: "priority" }, "service_tier"],
  "Responses: flex": ["responses", { service_tier: "flex" }, "service_tier"],
  "Responses: ultrafast": ["responses", { service_tier: "ultrafast" }, "service_tier"],
};

for (const [name, [endpoint, fields, param]] of Object.entries(REFUSED)) {
  test(`refused by name where it has no price, with nothing held, and by a quote: ${name}`, async () => {
    for (const upstream of PROTOCOLS) {
      const { answer, play } = await ask({ endpoint, upstream, ask: fields }, `plain-${upstream}`);
      assert.equal(answer.status, 400, answer.body.toString());
      assert.ok(answer.body.toString().includes(param), answer.body.toString());
      assert.equal(play.requests.length, 0);
      const quote = await postChat(
        scene.gateway.url,
        customer.secret,
        bodyOf(endpoint, `plain-${upstream}`, "nobody", fields),
        PATHS[endpoint].replace("/v1/", "/v1/quote/"),
      ).answer;
      assert.equal(quote.status, 400, quote.body.toString());
    }
  });
}

test("a tool that has no price is left out of a Responses request, by name, whatever its upstream speaks, and in its quote", async () => {
  for (const upstream of PROTOCOLS) {
    const row = { endpoint: "responses", upstream, ask: RESPONSES_SEARCH } as const;
    const { answer, play } = await ask(row, `plain-${upstream}`);
    assert.equal(answer.status, 200, answer.body.toString());
    assert.equal(answer.headers["x-tollgate-dropped-tools"], "web_search");
    assert.ok(!play.requests[0]?.body.includes("web_search"));
    const { chargedNano, detail } = await scene.receipt(answer.requestId);
    assert.deepEqual([chargedNano, detail["droppedTools"]], [BASE, ["web_search"]]);
    const quote = await postChat(
      scene.gateway.url,
      customer.secret,
      bodyOf("responses", `plain-${upstream}`, "nobody", RESPONSES_SEARCH),
      "/v1/quote/responses",
    ).answer;
    assert.equal(quote.status, 200, quote.body.toString());
    assert.ok(quote.body.includes("web_search"), quote.body.toString());
  }
});

/** Its one price is that of the least of them. */
const LARGER = {
  tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "64g" } }],
};

test("a tool that is asked for as something dearer than its price is refused by the member that says so, and left out of a Responses request", async () => {
  const asked = { upstream: "openai", ask: LARGER } as const;
  const { answer, play } = await ask({ ...asked, endpoint: "chat" });
  assert.deepEqual([answer.status, play.requests.length], [400, 0]);
  assert.ok(answer.body.includes("tools[0].container.memory_limit"), answer.body.toString());
  const left = await ask({ endpoint: "responses", upstream: "responses", ask: LARGER });
  assert.equal(left.answer.status, 200, left.answer.body.toString());
  assert.equal(left.answer.headers["x-tollgate-dropped-tools"], "code_interpreter");
  assert.equal((await scene.receipt(left.answer.requestId)).chargedNano, BASE);
});

test("a longer life of a cache than has a price is refused by name, and the ordinary one passes", async () => {
  const lives = { endpoint: "responses", upstream: "responses" } as const;
  const long = await ask(
    { ...lives, ask: { prompt_cache_options: { ttl: "12h" } } },
    "short-responses",
  );
  assert.deepEqual([long.answer.status, long.play.requests.length], [400, 0]);
  assert.ok(long.answer.body.includes("prompt_cache_options.ttl"), long.answer.body.toString());
  const short = await ask(
    { ...lives, ask: { prompt_cache_options: { ttl: "30m" } } },
    "short-responses",
  );
  assert.equal(short.answer.status, 200, short.answer.body.toString());
});

test("two variants with a price of their own at once, and a batch at this endpoint, are refused", async () => {
  const both = await ask({
    endpoint: "messages",
    upstream: "anthropic",
    ask: { speed: "fast", inference_geo: "eu" },
  });
  assert.equal(both.answer.status, 400);
  assert.match(both.answer.body.toString(), /each has a price list of its own/);
  for (const [endpoint, upstream] of [
    ["chat", "openai"],
    ["responses", "responses"],
  ] as const) {
    const batch = await ask({ endpoint, upstream, ask: { service_tier: "batch" } });
    assert.equal(batch.answer.status, 400);
  }
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

/** One stream for each, of a process that is killed amid them: what is asked, and what is charged of the base. */
const KILLED: readonly (readonly [Endpoint, Upstream, object, string, string])[] = [
  ["chat", "openai", { service_tier: "priority" }, "serviceTier", "priority"],
  ["messages", "anthropic", { speed: "fast" }, "speed", "fast"],
  ["responses", "responses", { service_tier: "priority" }, "serviceTier", "priority"],
];

test(
  "a killed process: what was delivered is charged as asked, by another process, and the receipt says so",
  { timeout: 120_000 },
  async () => {
    const killed = await scene.anotherGateway();
    const mine = await scene.customer();
    const pieces = Array.from({ length: 40 }, (_, index) => ` word${index}`);
    const begun = await Promise.all(
      KILLED.map(async ([endpoint, upstream, asked]) => {
        const play = scene.play(async (exchange) => {
          await exchange.sendAll(pairAnswer(upstream, { pieces }).events.slice(0, 30));
          await exchange.hang();
        });
        const body = {
          ...bodyOf(endpoint, `priced-${upstream}`, play.user, asked),
          stream: true,
        };
        const exchange = postChat(killed.url, mine.secret, body, PATHS[endpoint]);
        exchange.answer.catch(() => undefined);
        return (await exchange.head).requestId;
      }),
    );
    await until("something of each is saved", async () => {
      const holds = await liveHolds(scene.db);
      return holds.filter((hold) => hold.recordedNano > 0n).length === KILLED.length;
    });
    await killed.kill();
    for (const [index, [endpoint, , , field, asked]] of KILLED.entries()) {
      const { chargedNano, detail } = await scene.receipt(begun[index] ?? "", 90_000);
      const usage = detail["usage"] as { inputTokens: number; outputTokens: number };
      assert.ok(usage.outputTokens > 0, endpoint);
      // Twice the base, and fast by its own list.
      const [input, output] = field === "speed" ? [900, 3600] : [300, 1200];
      const expected = BigInt(usage.inputTokens * input + usage.outputTokens * output) * 1000n;
      assert.equal(chargedNano, expected, endpoint);
      assert.deepEqual(
        detail["variants"],
        [{ field, asked, used: asked, unconfirmed: true }],
        endpoint,
      );
    }
    await scene.verifyBooks();
  },
);
