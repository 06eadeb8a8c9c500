/**
 * Guarantee: an SDK's own retries under one Idempotency-Key get one answer, charged once, whatever
 * the network does (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { anthropicMessage, anthropicStream } from "../support/anthropic-stream.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: catalogueOf });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

function catalogueOf(upstreamUrl: string): string {
  const model = (upstream: string, endpoint: string): string =>
    `{ type: chat, endpoints: [${endpoint}], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "150", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" },` +
    ` routes: [{ upstream: ${upstream}, model: there }] }`;
  return `
upstreams:
  chat: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY }
  messages: { protocol: anthropic, baseUrl: "${upstreamUrl}", apiKeyEnv: UPSTREAM_KEY }
models:
  talk: ${model("chat", "chat.completions")}
  write: ${model("messages", "messages")}
`;
}

const PIECES = ["При", "вет", ", мир"];
const COMPLETION = {
  pieces: PIECES,
  usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 },
};
const MESSAGE = {
  blocks: [{ type: "text" as const, pieces: PIECES }],
  startUsage: { input_tokens: 20, output_tokens: 1 },
  usage: { input_tokens: 20, output_tokens: 9 },
};
const COST = standardPrice({ input: 20, output: 9 });
const ASKED = [{ role: "user" as const, content: "Поздоровайся" }];

async function answer(exchange: Exchange): Promise<void> {
  const anthropic = exchange.request.path.startsWith("/v1/messages");
  const { stream } = exchange.request.json() as { stream?: boolean };
  if (stream !== true)
    return exchange.json(200, anthropic ? anthropicMessage(MESSAGE) : openAiCompletion(COMPLETION));
  await exchange.sendAll(anthropic ? anthropicStream(MESSAGE) : openAiStream(COMPLETION));
  exchange.end();
}

/** Loses the answer to its first request, after the gateway has given it. */
function losingFetch(): { readonly fetch: typeof fetch; readonly statuses: number[] } {
  const statuses: number[] = [];
  return {
    statuses,
    async fetch(url, init) {
      const response = await fetch(url, init);
      statuses.push(response.status);
      if (statuses.length > 1) return response;
      await response.arrayBuffer();
      throw new TypeError("the connection was lost");
    },
  };
}

/**
 * The SDK knows keys of idempotency but no header for them: a caller that wants it to send one
 * names the header.
 */
class KeyedOpenAI extends OpenAI {
  protected override idempotencyHeader = "Idempotency-Key";
}

function openAi(
  customer: ChatCustomer,
  sdk: typeof OpenAI = OpenAI,
  via: typeof fetch = fetch,
): OpenAI {
  return new sdk({ apiKey: customer.secret, baseURL: `${scene.gateway.url}/v1`, fetch: via });
}

function anthropic(customer: ChatCustomer, via: typeof fetch = fetch): Anthropic {
  return new Anthropic({ apiKey: customer.secret, baseURL: scene.gateway.url, fetch: via });
}

async function assertPaidOnce(customer: ChatCustomer, calls: number): Promise<void> {
  const receipts = await scene.receipts(customer.accountId, 1);
  assert.deepEqual(
    receipts.map((receipt) => receipt.chargedNano),
    [COST],
  );
  assert.equal(calls, 1);
}

async function gathered<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test("openai: a call whose answer was lost on its way is tried again by the SDK, and is the same call", async () => {
  const customer = await scene.customer();
  const play = scene.play(answer);
  const network = losingFetch();
  const completion = await openAi(customer, KeyedOpenAI, network.fetch).chat.completions.create({
    model: "talk",
    messages: ASKED,
    user: play.user,
  });
  assert.equal(completion.choices[0]?.message.content, PIECES.join(""));
  assert.deepEqual(network.statuses, [200, 200]);
  await assertPaidOnce(customer, play.requests.length);
});

test("openai: the caller's own key, as an option or as a header, whole and streamed", async () => {
  for (const [sdk, options] of [
    [KeyedOpenAI, { idempotencyKey: "mine" }],
    [OpenAI, { headers: { "Idempotency-Key": "mine" } }],
  ] as const) {
    for (const stream of [false, true]) {
      const customer = await scene.customer();
      const play = scene.play(answer);
      const client = openAi(customer, sdk);
      const ask = async (): Promise<unknown> => {
        const body = { model: "talk", messages: ASKED, user: play.user };
        if (!stream) return client.chat.completions.create(body, options);
        return gathered(await client.chat.completions.create({ ...body, stream: true }, options));
      };
      assert.deepEqual(await ask(), await ask());
      await assertPaidOnce(customer, play.requests.length);
    }
  }
});

test("openai: a second call while the first still runs is told to wait by a 409, and gets the first one's answer", async () => {
  const customer = await scene.customer();
  const gate = createGate();
  const play = scene.play(async (exchange) => {
    await gate.wait;
    await answer(exchange);
  });
  const body = { model: "talk", messages: ASKED, user: play.user };
  const options = { headers: { "Idempotency-Key": "shared" } };
  const first = openAi(customer).chat.completions.create(body, options);
  await play.asked;
  const statuses: number[] = [];
  const watching: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    statuses.push(response.status);
    // The SDK comes again after the second that it is told to wait.
    gate.open();
    return response;
  };
  const second = await openAi(customer, OpenAI, watching).chat.completions.create(body, options);
  assert.deepEqual(second, await first);
  assert.deepEqual(statuses, [409, 200]);
  await assertPaidOnce(customer, play.requests.length);
});

test("openai: another body under the same key is the SDK's BadRequestError, and is not tried again", async () => {
  const customer = await scene.customer();
  const play = scene.play(answer);
  const client = openAi(customer);
  const options = { headers: { "Idempotency-Key": "mine" } };
  await client.chat.completions.create(
    { model: "talk", messages: ASKED, user: play.user },
    options,
  );
  await assert.rejects(
    client.chat.completions.create(
      { model: "talk", messages: ASKED, user: play.user, max_tokens: 7 },
      options,
    ),
    (error) =>
      error instanceof OpenAI.BadRequestError &&
      error.code === "idempotency_mismatch" &&
      error.type === "idempotency_error",
  );
  await assertPaidOnce(customer, play.requests.length);
});

test("anthropic: a call whose answer was lost on its way is tried again by the SDK, and is the same call, whole and streamed", async () => {
  for (const stream of [false, true]) {
    const customer = await scene.customer();
    const play = scene.play(answer);
    const network = losingFetch();
    const client = anthropic(customer, network.fetch);
    const options = { headers: { "Idempotency-Key": "mine" } };
    const body = {
      model: "write",
      max_tokens: 50,
      messages: ASKED,
      metadata: { user_id: play.user },
    };
    const ask = (): Promise<Anthropic.Message> =>
      stream
        ? client.messages.stream(body, options).finalMessage()
        : client.messages.create(body, options);
    const message = await ask();
    assert.deepEqual(
      message.content.map((block) => (block.type === "text" ? block.text : block.type)),
      [PIECES.join("")],
    );
    assert.deepEqual(network.statuses, [200, 200]);
    assert.deepEqual((await ask()).content, message.content);
    await assertPaidOnce(customer, play.requests.length);
  }
});
