/**
 * Guarantee: the official SDKs see a rate limit as their own vendor's: the error class, the
 * headers, and a retry that waits as long as it was told (hazards §101, §102; contract §4).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import {
  MESSAGES,
  openLimitsScene,
  useUp,
  type LimitedCustomer,
  type LimitsScene,
} from "./limits-scene.ts";

const ANSWER = {
  pieces: ["Hello."],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
};
/** One request flows back each second. */
const RPM = 60;

let scene: LimitsScene;
before(async () => {
  scene = await openLimitsScene(async (exchange) => {
    if ((exchange.request.json() as { stream?: boolean }).stream !== true)
      return exchange.json(200, openAiCompletion(ANSWER));
    await exchange.sendAll(openAiStream(ANSWER));
    exchange.end();
  });
});
after(() => scene[Symbol.asyncDispose]());

/** A customer who has just used up his limit. */
async function exhausted(): Promise<LimitedCustomer> {
  const customer = await scene.customer({
    key: { requestsPerMinute: RPM, tokensPerMinute: 90_000, maxConcurrent: 5 },
  });
  await useUp(scene.db, customer.key.keyId, RPM);
  return customer;
}

/** Counts what an SDK sends, its own retries included. */
function counting() {
  const statuses: number[] = [];
  const counted: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    return response;
  };
  return { statuses, counted };
}

async function thrown(call: PromiseLike<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail("the call succeeded"),
    (error: unknown) => error,
  );
}

test("openai: RateLimitError with its headers, then the retry that was told when to come", async () => {
  const customer = await exhausted();
  const { statuses, counted } = counting();
  const baseURL = `${scene.gateways[0].url}/v1`;
  const ask = { model: "talk", messages: [...MESSAGES] };
  const error = await thrown(
    new OpenAI({ apiKey: customer.secret, baseURL, maxRetries: 0 }).chat.completions.create(ask),
  );
  assert.ok(error instanceof OpenAI.RateLimitError);
  assert.deepEqual(
    [error.status, error.code, error.type],
    [429, "rate_limit_exceeded", "rate_limit_error"],
  );
  assert.match(error.message, /This API key may make 60 requests per minute/);
  assert.match(error.requestID ?? "", /^req_/);
  const names = [
    "retry-after",
    "x-ratelimit-limit-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-limit-tokens",
  ];
  assert.deepEqual(
    names.map((name) => error.headers.get(name)),
    ["1", "60", "0", "90000"],
  );
  assert.equal(error.headers.get("x-should-retry"), null);
  assert.equal(error.headers.get("x-ratelimit-remaining-concurrent"), "5");

  await useUp(scene.db, customer.key.keyId, RPM);
  const { data, response } = await new OpenAI({
    apiKey: customer.secret,
    baseURL,
    fetch: counted,
  }).chat.completions
    .create(ask)
    .withResponse();
  assert.equal(data.choices[0]?.message.content, "Hello.");
  assert.deepEqual(statuses, [429, 200]);
  assert.equal(response.headers.get("x-ratelimit-remaining-requests"), "0");
});

test("anthropic: RateLimitError with its headers, then the retry, and a stream carries them as well", async () => {
  const customer = await exhausted();
  const { statuses, counted } = counting();
  const baseURL = scene.gateways[1].url;
  const ask = { model: "talk", max_tokens: 100, messages: [...MESSAGES] };
  const error = await thrown(
    new Anthropic({ apiKey: customer.secret, baseURL, maxRetries: 0 }).messages.create(ask),
  );
  assert.ok(error instanceof Anthropic.RateLimitError);
  assert.deepEqual([error.status, error.type], [429, "rate_limit_error"]);
  assert.equal(error.headers.get("retry-after"), "1");
  for (const name of ["anthropic-ratelimit-requests-limit", "x-ratelimit-limit-requests"])
    assert.equal(error.headers.get(name), "60", name);
  assert.equal(error.headers.get("anthropic-ratelimit-requests-remaining"), "0");
  assert.match(
    error.headers.get("anthropic-ratelimit-requests-reset") ?? "",
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  );

  await useUp(scene.db, customer.key.keyId, RPM);
  const client = new Anthropic({ apiKey: customer.secret, baseURL, fetch: counted });
  const stream = client.messages.stream(ask);
  const { response } = await stream.withResponse();
  const message = await stream.finalMessage();
  assert.deepEqual(
    message.content.map((block) => (block.type === "text" ? block.text : block.type)),
    ["Hello."],
  );
  assert.deepEqual(statuses, [429, 200]);
  assert.equal(response.headers.get("anthropic-ratelimit-requests-remaining"), "0");
  assert.equal(response.headers.get("anthropic-ratelimit-tokens-limit"), "90000");
  assert.equal(response.headers.get("x-ratelimit-remaining-concurrent"), "4");
  assert.equal(response.headers.get("x-ratelimit-limit-requests"), null);
});
