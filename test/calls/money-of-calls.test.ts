/**
 * Guarantee: by calls too two processes never spend more than a balance or a key's limit pays for,
 * and no less; a retry is paid once; who leaves pays for nothing that he did not get (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { formatRoubles, type Nano } from "../../src/kernel/money.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { postChat, type ChatAnswer, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Exchange } from "../support/scripted-upstream.ts";
import { watchBalances, type BalanceWatch } from "../money/watch-balances.ts";
import {
  callsCatalogue,
  COMPLETION_PRICE,
  EMBEDDING_PRICE,
  embeddingAnswer,
} from "./calls-catalogue.ts";

let scene: ChatScene;
let gateways: readonly Gateway[];
let watch: BalanceWatch;
before(async () => {
  scene = await openChatScene({ catalogue: callsCatalogue });
  gateways = [scene.gateway, await scene.anotherGateway()];
  watch = await watchBalances(scene.databaseUrl);
});
after(async () => {
  assert.deepEqual((await watch.stop()).overspent, []);
  await scene.verifyBooks();
  await scene.close();
});

/** Half a rouble a request, whatever is said. */
const FIXED = { model: "complete-each", prompt: "a" };
const N = 6;
const COMPLETION = {
  id: "c",
  object: "text_completion",
  created: 1,
  model: "up-complete",
  choices: [{ index: 0, text: "b", finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

function post(
  { secret }: ChatCustomer,
  body: object,
  { turn = 0, path = "/v1/completions", headers = {} } = {},
): ChatExchange {
  const gateway = gateways[turn % gateways.length];
  assert.ok(gateway !== undefined);
  return postChat(gateway.url, secret, body, path, headers);
}

async function slowly(exchange: Exchange): Promise<void> {
  await sleep(5);
  exchange.json(200, COMPLETION);
}

for (const [what, options] of [
  ["a balance", { roubles: "3" }],
  [
    "a key's limit",
    { roubles: "100", key: { limit: { amountNano: 3_000_000_000n, period: "total" } } },
  ],
] as const)
  test(`ten times as many calls over two processes as ${what} pays for: exactly so many are served`, async () => {
    const customer = await scene.customer(options as Parameters<ChatScene["customer"]>[0]);
    const { user } = scene.play(slowly);
    const answers: ChatAnswer[] = [];
    // Those that meet the holds of others are told to come again, and do.
    for (let round = 0; round < 40 && served(answers) < N; round++) {
      const got = await Promise.all(
        Array.from(
          { length: 10 * N },
          (_, turn) => post(customer, { ...FIXED, user }, { turn }).answer,
        ),
      );
      answers.push(...got);
    }
    assert.equal(served(answers), N);
    assert.ok(answers.every(({ status }) => status === 200 || status === 402));
    const { charged, held } = await scene.money(customer.accountId);
    assert.deepEqual([charged, held], [BigInt(N) * 500_000_000n, 0n]);
  });

function served(answers: readonly ChatAnswer[]): number {
  return answers.filter(({ status }) => status === 200).length;
}

test("the last kopeck can be spent: where the estimate is too much, the count decides", async () => {
  // Odd letters: the estimate is far above the count.
  const input = "Zkqx ".repeat(400);
  const tokens = 1201;
  const nano = BigInt(tokens * EMBEDDING_PRICE * 1000);
  const roubles = formatRoubles(((nano * 110n) / 100n) as Nano);
  const customer = await scene.customer({ roubles });
  const { user } = scene.play((exchange) => exchange.json(200, embeddingAnswer(1, tokens)));
  const path = "/v1/embeddings";
  const { answer } = post(customer, { model: "embed", input, user }, { path });
  const got = await answer;
  assert.equal(got.status, 200, got.body.toString());
  assert.equal((await scene.money(customer.accountId)).charged, nano);
});

test("one idempotency key over two processes: one call upstream, one charge, the same bytes, streamed too", async () => {
  for (const stream of [false, true]) {
    const customer = await scene.customer();
    const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
    const play = scene.play(async (exchange) => {
      if (!stream) return slowly(exchange);
      await exchange.sendAll([event({ ...COMPLETION }), "data: [DONE]\n\n"]);
      exchange.end();
    });
    const body = { model: "complete", prompt: "a", stream, user: play.user };
    const headers = { "idempotency-key": `key-${stream}` };
    const first = await post(customer, body, { headers }).answer;
    const second = await post(customer, body, { headers, turn: 1 }).answer;
    assert.equal(first.status, 200);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers["idempotent-replayed"], "true");
    assert.equal(second.headers["content-type"], first.headers["content-type"]);
    assert.equal(second.headers["x-tollgate-original-request-id"], first.requestId);
    assert.equal(play.requests.length, 1);
    const nano = BigInt((COMPLETION_PRICE.input + COMPLETION_PRICE.output) * 1000);
    assert.equal((await scene.money(customer.accountId)).charged, nano);
    const other = await post(customer, { ...body, prompt: "b" }, { headers }).answer;
    assert.equal(other.status, 400);
  }
});

test("who leaves before the answer pays nothing, and its upstream is let go", async () => {
  const customer = await scene.customer();
  const play = scene.play((exchange) => exchange.hang());
  const exchange = post(
    customer,
    { model: "embed", input: "a", user: play.user },
    { path: "/v1/embeddings" },
  );
  exchange.answer.catch(() => undefined);
  const asked = await play.asked;
  exchange.leave();
  await asked.aborted;
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.equal(receipt?.state, "client_gone");
  assert.equal(receipt.chargedNano, 0n);
});

test("at an upstream that is read to its end the answer is charged though nobody waits for it", async () => {
  const customer = await scene.customer();
  const gate = createGate();
  const play = scene.play(async (exchange) => {
    await gate.wait;
    exchange.json(200, embeddingAnswer(1, 9));
  });
  const exchange = post(
    customer,
    { model: "embed-patient", input: "some words that are nine", user: play.user },
    { path: "/v1/embeddings" },
  );
  exchange.answer.catch(() => undefined);
  await play.asked;
  exchange.leave();
  // The gateway has heard of it when the socket is closed there.
  await sleep(200);
  gate.open();
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.equal(receipt?.state, "client_gone");
  assert.equal(receipt.chargedNano, BigInt(9 * EMBEDDING_PRICE * 1000));
});

test("who leaves a stream pays for what came", async () => {
  const customer = await scene.customer();
  const piece = `data: ${JSON.stringify({ ...COMPLETION, usage: undefined, choices: [{ index: 0, text: " one", finish_reason: null }] })}\n\n`;
  const play = scene.play(async (exchange) => {
    await exchange.sendAll([piece, piece]);
    await exchange.hang();
  });
  const exchange = post(customer, {
    model: "complete",
    prompt: "One two three four five.",
    max_tokens: 100,
    stream: true,
    user: play.user,
  });
  await exchange.seen(" one", 2);
  exchange.leave();
  exchange.answer.catch(() => undefined);
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.equal(receipt?.state, "client_gone");
  const nano = BigInt((6 * COMPLETION_PRICE.input + 2 * COMPLETION_PRICE.output) * 1000);
  assert.equal(receipt.chargedNano, nano);
});

test("rate limits of the key count calls and their tokens", async () => {
  const customer = await scene.customer({ key: { requestsPerMinute: 2 } });
  const { user } = scene.play((exchange) => exchange.json(200, embeddingAnswer(1, 3)));
  const body = { model: "embed", input: "a", user };
  const path = "/v1/embeddings";
  const first = await post(customer, body, { path }).answer;
  assert.equal(first.headers["x-ratelimit-limit-requests"], "2");
  await post(customer, body, { path, turn: 1 }).answer;
  const third = await post(customer, body, { path }).answer;
  assert.equal(third.status, 429);
  assert.ok(third.headers["retry-after"] !== undefined);
});
