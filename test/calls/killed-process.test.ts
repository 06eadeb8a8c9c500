/**
 * Guarantee: at whatever step of a call its process is killed, its hold is ended once within a
 * minute, for nothing unless its caller has the answer, and a retry by its key is paid once.
 */
// Runs beside the others: it waits half a minute for the lease of the killed process.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { postChat, type ChatExchange } from "../support/post-chat.ts";
import { createGate, type Exchange, type Gate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";
import {
  callsCatalogue,
  COMPLETION_PIECE,
  EMBEDDING_PRICE,
  embeddingAnswer,
} from "./calls-catalogue.ts";

const WITHIN_MS = 60_000;

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: callsCatalogue });
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

interface Point {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  /** All that the upstream says before the kill. */
  say(exchange: Exchange): Promise<unknown>;
  /** Text that the caller has by then; null: nothing. */
  readonly seen: string | null;
}

const EMBED = { path: "/v1/embeddings", body: { model: "embed", input: "One two." } };
const COMPLETE = {
  path: "/v1/completions",
  body: { model: "complete", prompt: "a", max_tokens: 50, stream: true },
};
const ANSWER = JSON.stringify(embeddingAnswer(1, 3));

function headed(text: string): (exchange: Exchange) => Promise<unknown> {
  return (exchange) => {
    exchange.head(200, { "content-type": "application/json" });
    return exchange.send(text);
  };
}

const POINTS: readonly Point[] = [
  { ...EMBED, name: "the upstream has the request", say: async () => undefined, seen: null },
  {
    ...EMBED,
    name: "headers without a byte",
    say: async (exchange) => exchange.head(),
    seen: null,
  },
  { ...EMBED, name: "half of the answer", say: headed(ANSWER.slice(0, 40)), seen: null },
  { ...EMBED, name: "all but its last byte", say: headed(ANSWER.slice(0, -1)), seen: null },
  { ...COMPLETE, name: "a stream's request", say: async () => undefined, seen: null },
  {
    ...COMPLETE,
    name: "a stream's words",
    say: (exchange) => exchange.send(COMPLETION_PIECE),
    seen: " one",
  },
];

interface Visit {
  readonly point: Point;
  readonly customer: ChatCustomer;
  readonly exchange: ChatExchange;
  readonly reached: Gate;
}

async function visit(url: string, point: Point, headers = {}): Promise<Visit> {
  const customer = await scene.customer();
  const reached = createGate();
  const { user } = scene.play(async (exchange) => {
    await point.say(exchange);
    reached.open();
    await exchange.hang();
  });
  const exchange = postChat(url, customer.secret, { ...point.body, user }, point.path, headers);
  exchange.answer.catch(() => undefined);
  await reached.wait;
  if (point.seen !== null) await exchange.seen(point.seen);
  await until(`"${point.name}" is noted`, async () => {
    const rows = await scene.db.query("SELECT FROM ledger.unfinished WHERE account_id = $1", [
      customer.accountId,
    ]);
    return rows.length > 0;
  });
  return { point, customer, exchange, reached };
}

test("every step of a call, and a retry after the kill", async () => {
  const mortal = await scene.anotherGateway();
  const visits = await Promise.all(POINTS.map((point) => visit(mortal.url, point)));
  const answered = await scene.customer();
  const { user } = scene.play((exchange) => exchange.json(200, embeddingAnswer(1, 3)));
  const path = "/v1/embeddings";
  const whole = await postChat(mortal.url, answered.secret, { ...EMBED.body, user }, path).answer;
  assert.equal(whole.status, 200);

  const retrying = await scene.customer();
  const gate = createGate();
  const retried = scene.play([
    async (exchange) => {
      gate.open();
      await exchange.hang();
    },
    (exchange) => exchange.json(200, embeddingAnswer(1, 3)),
  ]);
  const headers = { "idempotency-key": "again" };
  const body = { ...EMBED.body, user: retried.user };
  const lost = postChat(mortal.url, retrying.secret, body, path, headers);
  lost.answer.catch(() => undefined);
  await gate.wait;

  await mortal.kill();

  const nano = BigInt(3 * EMBEDDING_PRICE * 1000);
  assert.equal((await scene.money(answered.accountId)).charged, nano);
  for (const { point, customer } of visits) {
    const [receipt] = await scene.receipts(customer.accountId, 1, WITHIN_MS);
    assert.ok(receipt !== undefined);
    assert.equal(receipt.endpoint, point.path.slice("/v1/".length), point.name);
    assert.equal(receipt.state, "failed", point.name);
    assert.equal(receipt.chargedNano, 0n, point.name);
    assert.equal(receipt.detail["recovered"], true);
    const { held, charged } = await scene.money(customer.accountId);
    assert.deepEqual([held, charged], [0n, 0n], point.name);
  }
  const second = await until(
    "the key of a dead process is free",
    async () => {
      const { answer } = postChat(scene.gateway.url, retrying.secret, body, path, headers);
      const got = await answer;
      return got.status !== 409 && got;
    },
    WITHIN_MS,
  );
  assert.equal(second.status, 200);
  assert.equal((await scene.money(retrying.accountId)).charged, nano);
  assert.equal(retried.requests.length, 2);
});
