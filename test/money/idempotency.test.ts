/**
 * Guarantee: the same key and body get the same answer and one charge, whatever process is asked,
 * however often and at what moment; what came to nothing may be tried again (contract §4, §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anthropicMessage, anthropicStream } from "../support/anthropic-stream.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
  type Play,
} from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiChunk, openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer, type ChatExchange } from "../support/post-chat.ts";
import { responsesStream, responsesUsage, responsesWhole } from "../support/responses-stream.ts";
import { createGate, type Exchange, type Handler } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";

let scene: ChatScene;
let second: Gateway;
before(async () => {
  scene = await openChatScene({ catalogue: catalogueOf });
  second = await scene.anotherGateway();
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

/**
 * `standard` at an upstream of the Chat Completions protocol, `native` at one of the Messages
 * protocol; both at both endpoints.
 */
function catalogueOf(upstreamUrl: string): string {
  const model = (name: string): string =>
    `{ type: chat, endpoints: [chat.completions, messages], contextTokens: 20000, maxOutputTokens: 8000,` +
    ` price: { input: "150", cachedInput: "15", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" }, routes: [{ upstream: ${name}, model: there }] }`;
  return `
upstreams:
  chat: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }
  messages: { protocol: anthropic, baseUrl: "${upstreamUrl}", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }
  responses: { protocol: responses, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }
models:
  standard: ${model("chat")}
  native: ${model("messages")}
  stateless: ${model("responses")}
`;
}

const PIECES = ["Раз", " two", " three", " четыре", " five", " six"];
const ANSWER = {
  pieces: PIECES,
  usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
};
const MESSAGE = {
  blocks: [{ type: "text" as const, pieces: PIECES }],
  startUsage: { input_tokens: 20, output_tokens: 1 },
  usage: { input_tokens: 20, output_tokens: 9 },
};
const RESPONSE = {
  items: [{ type: "message" as const, pieces: PIECES }],
  usage: responsesUsage(20, 9),
};
const COST = standardPrice({ input: 20, output: 9 });
const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";

/** By path: what the upstream of each protocol says when it is well. */
const WELL: Readonly<Record<string, { whole(): object; stream(): readonly Buffer[] }>> = {
  [CHAT]: { whole: () => openAiCompletion(ANSWER), stream: () => openAiStream(ANSWER) },
  [MESSAGES]: { whole: () => anthropicMessage(MESSAGE), stream: () => anthropicStream(MESSAGE) },
  [RESPONSES]: { whole: () => responsesWhole(RESPONSE), stream: () => responsesStream(RESPONSE) },
};

async function well(exchange: Exchange): Promise<void> {
  const answer = WELL[exchange.request.path];
  assert.ok(answer !== undefined, exchange.request.path);
  const { stream } = exchange.request.json() as { stream?: boolean };
  if (stream !== true) return exchange.json(200, answer.whole());
  await exchange.sendAll(answer.stream());
  exchange.end();
}

/** The same question at each path, by the user of a play. */
function questionAt(path: string, user: string): Record<string, unknown> {
  const question = [{ role: "user", content: "Count" }];
  if (path === RESPONSES) return { input: question, max_output_tokens: 50, user };
  const chat = { messages: question, max_tokens: 50 };
  return path === MESSAGES ? { ...chat, metadata: { user_id: user } } : { ...chat, user };
}

interface Asked {
  readonly customer: ChatCustomer;
  readonly play: Play;
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Sends it, by the first gateway where none is named. */
  send(by?: Gateway, change?: Readonly<Record<string, unknown>>, secret?: string): ChatExchange;
}

let keys = 0;

/** One request with an idempotency key of its own, to be sent as often as the test likes. */
async function request(
  script: Handler | readonly Handler[],
  options: { path?: string; roubles?: string; body?: object } = {},
): Promise<Asked> {
  const { path = CHAT, roubles = "100", body: more = {} } = options;
  const customer = await scene.customer({ roubles });
  const play = scene.play(script);
  const body = { model: "standard", ...questionAt(path, play.user), ...more };
  const key = `order ${(keys += 1)}`;
  return {
    customer,
    play,
    path,
    body,
    send: (by = scene.gateway, change = {}, secret = customer.secret) =>
      postChat(by.url, secret, { ...body, ...change }, path, { "idempotency-key": key }),
  };
}

const codeOf = (answer: ChatAnswer): unknown =>
  (JSON.parse(answer.body.toString()) as { error: { code?: string } }).error.code;

function assertReplay(replay: ChatAnswer, first: ChatAnswer): void {
  assert.equal(replay.status, first.status);
  assert.equal(replay.headers["content-type"], first.headers["content-type"]);
  assert.equal(replay.headers["x-tollgate-cost"], first.headers["x-tollgate-cost"]);
  assert.equal(replay.body.toString(), first.body.toString());
  assert.equal(replay.broken, first.broken);
  assert.equal(replay.headers["idempotent-replayed"], "true");
  assert.equal(first.headers["idempotent-replayed"], undefined);
  assert.equal(replay.headers["x-tollgate-original-request-id"], first.requestId);
  assert.notEqual(replay.requestId, first.requestId);
}

/** The account paid so much, by one request of these. */
async function assertPaidOnce(
  { customer, play }: Asked,
  first: ChatAnswer,
  cost: bigint,
  calls = 1,
): Promise<void> {
  const receipts = await scene.receipts(customer.accountId, 1);
  const charged = receipts.filter((receipt) => receipt.chargedNano > 0n);
  assert.deepEqual(
    charged.map((receipt) => [`req_${receipt.requestId.replaceAll("-", "")}`, receipt.chargedNano]),
    [[first.requestId, cost]],
  );
  assert.equal((await scene.money(customer.accountId)).charged, cost);
  assert.equal(play.requests.length, calls);
}

const KINDS: readonly (readonly [
  name: string,
  options: { path?: string; roubles?: string; body?: object },
])[] = [
  ["a whole answer", {}],
  ["a stream", { body: { stream: true } }],
  ["a stream with its usage", { body: { stream: true, stream_options: { include_usage: true } } }],
  ["an assembled answer", { roubles: "1", body: { max_tokens: 8000 } }],
  ["a translated answer", { body: { model: "native" } }],
  ["a translated stream", { body: { model: "native", stream: true } }],
  ["a message", { path: MESSAGES, body: { model: "native" } }],
  ["a stream of a message", { path: MESSAGES, body: { model: "native", stream: true } }],
  ["a translated message", { path: MESSAGES }],
  ["a translated stream of a message", { path: MESSAGES, body: { stream: true } }],
  ["a response", { path: RESPONSES, body: { model: "stateless" } }],
  ["a stream of a response", { path: RESPONSES, body: { model: "stateless", stream: true } }],
  ["a translated response", { path: RESPONSES }],
  ["a translated stream of a response", { path: RESPONSES, body: { stream: true } }],
];

for (const [name, options] of KINDS) {
  test(`${name} is given again by every process, byte for byte, for one charge and one call`, async () => {
    const asked = await request(well, options);
    const first = await asked.send().answer;
    assert.equal(first.status, 200, first.body.toString());
    assert.ok(!first.broken && first.body.includes(PIECES[5] ?? ""), first.body.toString());
    for (const by of [second, scene.gateway]) assertReplay(await asked.send(by).answer, first);
    await assertPaidOnce(asked, first, COST);
  });
}

test("a replay is a line in the log that names the request it repeats, and no receipt", async () => {
  const asked = await request(well);
  const first = await asked.send().answer;
  const replay = await asked.send().answer;
  const line = await scene.gateway.logged((entry) => entry["requestId"] === replay.requestId);
  assert.deepEqual(
    [line["status"], line["replayOf"], line["charged"]],
    [200, first.requestId, undefined],
  );
  assert.equal((await scene.receipts(asked.customer.accountId, 1)).length, 1);
});

test(
  "of two processes that are asked at the same instant one calls, the other says when to come again, fifty times over",
  { timeout: 120_000 },
  async () => {
    for (let round = 0; round < 50; round++) {
      const gate = createGate();
      const asked = await request(async (exchange) => {
        await gate.wait;
        await well(exchange);
      });
      const exchanges = [asked.send(), asked.send(second)];
      // The one that runs has no head before its gate is open.
      const reported = await Promise.race(exchanges.map((exchange) => exchange.answer));
      assert.deepEqual(
        [reported.status, reported.headers["retry-after"], codeOf(reported)],
        [409, "1", "idempotency_in_progress"],
      );
      assert.equal(reported.headers["x-should-retry"], undefined);
      gate.open();
      const answers = await Promise.all(exchanges.map((exchange) => exchange.answer));
      const first = answers.find((answer) => answer !== reported);
      assert.ok(first !== undefined && first.status === 200, String(first?.body));
      assertReplay(await asked.send(round % 2 === 0 ? second : scene.gateway).answer, first);
      await assertPaidOnce(asked, first, COST);
    }
  },
);

test("another body or endpoint under the same key is refused, while the first runs and afterwards", async () => {
  const gate = createGate();
  const asked = await request(async (exchange) => {
    await gate.wait;
    await well(exchange);
  });
  const running = asked.send();
  await asked.play.asked;
  const refused = async (): Promise<void> => {
    const other = await asked.send(second, { max_tokens: 51 }).answer;
    assert.deepEqual(
      [other.status, codeOf(other), other.headers["x-should-retry"]],
      [400, "idempotency_mismatch", "false"],
    );
  };
  await refused();
  gate.open();
  const first = await running.answer;
  await refused();
  const elsewhere = await postChat(scene.gateway.url, asked.customer.secret, asked.body, MESSAGES, {
    "idempotency-key": `order ${keys}`,
  }).answer;
  assert.equal(elsewhere.status, 400, elsewhere.body.toString());
  assert.equal(
    (JSON.parse(elsewhere.body.toString()) as { error: { type: string } }).error.type,
    "invalid_request_error",
  );
  await assertPaidOnce(asked, first, COST);
});

for (const stream of [true, false]) {
  test(`${stream ? "a stream" : "a whole answer"} whose caller leaves is read to its end and kept: a retry gets all of it, for one charge`, async () => {
    const gate = createGate();
    const asked = await request(
      async (exchange) => {
        if (stream) await exchange.sendAll(openAiStream(ANSWER).slice(0, 3));
        await gate.wait;
        if (!stream) return well(exchange);
        await exchange.sendAll(openAiStream(ANSWER).slice(3));
        exchange.end();
      },
      { body: { stream } },
    );
    // Leaves after the other, has no key, and is left by its upstream's caller at once: the gateway
    // has noticed both then.
    const sentinel = scene.play((exchange) => exchange.hang());
    const witness = postChat(scene.gateway.url, asked.customer.secret, {
      ...asked.body,
      user: sentinel.user,
    });
    const first = asked.send();
    const [call, witnessed] = await Promise.all([asked.play.asked, sentinel.asked]);
    if (stream) await first.seen(" two");
    first.leave();
    witness.leave();
    await witnessed.aborted;
    const waiting = await asked.send(second).answer;
    assert.deepEqual([waiting.status, codeOf(waiting)], [409, "idempotency_in_progress"]);
    gate.open();
    const again = await until("the answer is there", async () => {
      const answer = await asked.send(second).answer;
      return answer.status === 200 && answer;
    });
    assert.equal(call.abortedAt, null);
    assert.equal(again.headers["idempotent-replayed"], "true");
    for (const piece of PIECES) assert.ok(again.body.includes(piece), again.body.toString());
    assert.ok(!again.broken);
    const [paid, ...others] = (await scene.receipts(asked.customer.accountId, 2)).filter(
      (receipt) => receipt.chargedNano > 0n,
    );
    assert.deepEqual([paid?.chargedNano, paid?.state, others.length], [COST, "completed", 0]);
    assert.equal(asked.play.requests.length, 1);
  });
}

for (const path of [CHAT, RESPONSES]) {
  test(`${path}: a stream that broke off after its beginning is given again as it was, its end included, for one charge`, async () => {
    const asked = await request(
      async (exchange) => {
        await exchange.sendAll(openAiStream(ANSWER).slice(0, 4));
        exchange.destroy();
      },
      { path, body: { stream: true } },
    );
    const first = await asked.send().answer;
    assert.ok(
      first.broken && first.body.includes(" three") && first.body.includes("error"),
      first.body.toString(),
    );
    const { charged } = await scene.money(asked.customer.accountId);
    assert.ok(charged > 0n);
    assertReplay(await asked.send(second).answer, first);
    await assertPaidOnce(asked, first, charged);
  });
}

test("a stream that the balance stopped is given again as it was, though the balance is used up", async () => {
  const words = Array.from({ length: 40 }, () => " word".repeat(50));
  const asked = await request(
    (exchange) => exchange.sendAll(openAiStream({ pieces: words })).then(() => exchange.end()),
    {
      roubles: "0.3",
      body: { stream: true, max_tokens: 8000 },
    },
  );
  const first = await asked.send().answer;
  assert.ok(
    !first.broken && first.body.includes('"finish_reason":"length"'),
    first.body.toString(),
  );
  const { charged } = await scene.money(asked.customer.accountId);
  assert.ok(charged > 0n);
  assertReplay(await asked.send(second).answer, first);
  await assertPaidOnce(asked, first, charged);
});

test("an upstream that fails before its first word is not remembered: the same key is tried again, and pays once", async () => {
  const failing: Handler = (exchange) => exchange.json(500, { error: { message: "oops" } });
  const breaking: Handler = async (exchange) => {
    await exchange.sendAll(openAiStream(ANSWER).slice(0, 1));
    exchange.destroy();
  };
  for (const script of [
    [failing, well],
    [breaking, well],
  ]) {
    const asked = await request(script, { body: { stream: true } });
    assert.notEqual((await asked.send().answer).status, 200);
    const first = await asked.send(second).answer;
    assert.equal(first.status, 200, first.body.toString());
    assert.equal(first.headers["idempotent-replayed"], undefined);
    await assertPaidOnce(asked, first, COST, 2);
  }
});

test("after a day the key is free again: the request runs anew and pays anew", async () => {
  const asked = await request(well);
  const first = await asked.send().answer;
  await scene.db.query(
    "UPDATE idempotency.records SET expires_at = clock_timestamp() WHERE account_id = $1",
    [asked.customer.accountId],
  );
  const later = await asked.send(second).answer;
  assert.equal(later.headers["idempotent-replayed"], undefined);
  assert.equal((await scene.money(asked.customer.accountId)).charged, 2n * COST);
  assertReplay(await asked.send().answer, later);
  assert.notEqual(first.requestId, later.requestId);
});

test("an answer that is too large to be kept is charged once, and told as gone", async () => {
  const filler = "x".repeat(1 << 20);
  const asked = await request(
    async (exchange) => {
      for (let sent = 0; sent < 17; sent++) {
        await exchange.send(
          openAiChunk({}, [{ index: 0, delta: { content: "w" }, finish_reason: null, filler }]),
        );
      }
      await exchange.sendAll(openAiStream(ANSWER));
      exchange.end();
    },
    { body: { stream: true } },
  );
  const first = await asked.send().answer;
  assert.ok(first.body.length > 16 << 20 && !first.broken);
  const again = await asked.send(second).answer;
  assert.deepEqual(
    [again.status, codeOf(again), again.headers["x-should-retry"]],
    [410, "idempotency_answer_gone", "false"],
  );
  await assertPaidOnce(asked, first, COST);
});
