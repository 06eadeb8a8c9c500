/**
 * Guarantee: the official clients of embeddings, moderations and old completions work as they are,
 * and are charged what the price list says, to the nano-rouble.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { parseRequestId } from "../../src/kernel/ids.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import type { Exchange } from "../support/scripted-upstream.ts";
import {
  callsCatalogue,
  COMPLETION_PRICE,
  EMBEDDING_PRICE,
  MODERATION_REQUEST_NANO,
} from "./calls-catalogue.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: callsCatalogue });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

function clientOf({ secret }: ChatCustomer): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${scene.gateway.url}/v1`, maxRetries: 0 });
}

const VECTOR = Float32Array.from([0.5, -0.25, 3]);
const AS_BASE64 = Buffer.from(VECTOR.buffer).toString("base64");

test("embeddings by the openai SDK, which asks for base64 unless it is told", async () => {
  const customer = await scene.customer();
  const play = scene.play((exchange) => {
    const body = exchange.request.json() as { encoding_format?: string; model: string };
    assert.equal(body.encoding_format, "base64");
    assert.equal(body.model, "up-embed");
    exchange.json(200, {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: AS_BASE64 }],
      model: "up-embed",
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });
  const { data, response } = await clientOf(customer)
    .embeddings.create({ model: "embed", input: "Привет!", dimensions: 3, user: play.user })
    .withResponse();
  assert.deepEqual(data.data[0]?.embedding, [...VECTOR]);
  assert.equal(data.model, "embed");
  assert.deepEqual(data.usage, { prompt_tokens: 7, total_tokens: 7 });
  const nano = BigInt(7 * EMBEDDING_PRICE * 1000);
  assert.equal(response.headers.get("x-tollgate-cost"), "0.00014");
  const id = response.headers.get("x-request-id") ?? "";
  assert.ok(parseRequestId(id) !== null);
  const receipt = await scene.receipt(id);
  assert.equal(receipt.endpoint, "embeddings");
  assert.equal(receipt.model, "embed");
  assert.equal(receipt.chargedNano, nano);
  assert.equal(receipt.detail["usageSource"], "upstream");
  assert.equal((await scene.money(customer.accountId)).charged, nano);
});

test("moderations by the openai SDK, without a model the first of the catalogue", async () => {
  const customer = await scene.customer();
  const play = scene.play((exchange: Exchange) => {
    const { model } = exchange.request.json() as { model?: string };
    exchange.json(200, {
      id: "modr-1",
      model,
      results: [{ flagged: false, categories: {}, category_scores: {} }],
    });
  });
  const answer = await clientOf(customer).moderations.create({
    input: "Привет!",
    ...{ user: play.user },
  });
  assert.equal(answer.model, "judge");
  assert.equal(answer.results[0]?.flagged, false);
  assert.equal((await scene.money(customer.accountId)).charged, MODERATION_REQUEST_NANO);
});

const CHUNKS = ["Жили", "-были", " дед да баба"].map((text) => ({
  id: "cmpl-1",
  object: "text_completion",
  created: 1,
  model: "up-complete",
  choices: [{ index: 0, text, logprobs: null, finish_reason: null as string | null }],
}));
const LAST = {
  ...CHUNKS[0],
  choices: [{ index: 0, text: "", logprobs: null, finish_reason: "stop" }],
};
const USAGE = { prompt_tokens: 4, completion_tokens: 9, total_tokens: 13 };
const COMPLETION_NANO = BigInt((4 * COMPLETION_PRICE.input + 9 * COMPLETION_PRICE.output) * 1000);

test("old completions by the openai SDK, whole and streamed, with and without the usage asked for", async () => {
  const customer = await scene.customer();
  const play = scene.play(async (exchange) => {
    const body = exchange.request.json() as Record<string, unknown>;
    assert.equal(body["model"], "up-complete");
    if (body["stream"] !== true)
      return exchange.json(200, {
        ...CHUNKS[0],
        choices: [{ index: 0, text: "Жили-были", logprobs: null, finish_reason: "stop" }],
        usage: USAGE,
      });
    assert.deepEqual(body["stream_options"], { include_usage: true });
    const events = [...CHUNKS, LAST, { ...CHUNKS[0], choices: [], usage: USAGE }];
    await exchange.sendAll(events.map((event) => `data: ${JSON.stringify(event)}\n\n`));
    await exchange.send("data: [DONE]\n\n");
    exchange.end();
  });
  const { completions } = clientOf(customer);
  const request = { model: "complete", prompt: "Сказка:", max_tokens: 32, user: play.user };
  const whole = await completions.create(request);
  assert.equal(whole.choices[0]?.text, "Жили-были");
  assert.equal(whole.model, "complete");
  assert.deepEqual(whole.usage, USAGE);
  for (const asks of [false, true]) {
    const stream = await completions.create({
      ...request,
      stream: true,
      ...(asks ? { stream_options: { include_usage: true } } : {}),
    });
    let text = "";
    const usages: unknown[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? "";
      assert.equal(chunk.model, "complete");
      if (chunk.usage) usages.push(chunk.usage);
    }
    assert.equal(text, "Жили-были дед да баба");
    assert.deepEqual(usages, asks ? [USAGE] : []);
  }
  const receipts = await scene.receipts(customer.accountId, 3);
  assert.deepEqual(
    receipts.map(({ chargedNano, endpoint }) => [endpoint, chargedNano]),
    Array.from({ length: 3 }, () => ["completions", COMPLETION_NANO]),
  );
});
