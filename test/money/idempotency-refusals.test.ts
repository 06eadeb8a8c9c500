/**
 * Guarantee: what was refused is never remembered, a stored answer is only for whom its key allows
 * it, and a request without the header leaves no trace (contract §4, §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { nano } from "../../src/kernel/money.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene();
});
after(async () => {
  await scene.verifyBooks();
  await scene.close();
});

const USAGE = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
const COST = standardPrice({ input: 20, output: 9 });

interface Sent {
  readonly secret: string;
  /** The idempotency key. */
  readonly name?: string;
  readonly change?: object;
}

/** A request at an upstream that is well, to be sent as anybody, under any key. */
function request() {
  const play = scene.play((exchange) =>
    exchange.json(200, openAiCompletion({ pieces: ["Said"], usage: USAGE })),
  );
  const body = {
    model: "standard",
    max_tokens: 50,
    messages: [{ role: "user", content: "Say it" }],
    user: play.user,
  };
  return {
    play,
    send({ secret, name = "k", change = {} }: Sent): Promise<ChatAnswer> {
      const headers = { "idempotency-key": name };
      return postChat(
        scene.gateway.url,
        secret,
        { ...body, ...change },
        "/v1/chat/completions",
        headers,
      ).answer;
    },
    plain: (secret: string) => postChat(scene.gateway.url, secret, body).answer,
  };
}

async function recordsOf({ accountId }: ChatCustomer): Promise<number> {
  return (
    await scene.db.query("SELECT FROM idempotency.records WHERE account_id = $1", [accountId])
  ).length;
}

const errorOf = (answer: ChatAnswer): { code: unknown; param: unknown } =>
  (JSON.parse(answer.body.toString()) as { error: { code: unknown; param: unknown } }).error;

test("a request without the header leaves no record, and is no duplicate of anything", async () => {
  const customer = await scene.customer();
  const { play, plain } = request();
  for (let time = 0; time < 2; time++)
    assert.equal((await plain(customer.secret)).headers["idempotent-replayed"], undefined);
  assert.equal(await recordsOf(customer), 0);
  assert.equal((await scene.money(customer.accountId)).charged, 2n * COST);
  assert.equal(play.requests.length, 2);
});

test("who had no money may pay in and send the same again", async () => {
  const customer = await scene.customer({ roubles: "0" });
  const { play, send } = request();
  assert.equal((await send(customer)).status, 402);
  assert.equal(await recordsOf(customer), 0);
  await topUp(scene.db, {
    accountId: customer.accountId,
    amountNano: nano(10n ** 9n),
    reference: null,
  });
  const first = await send(customer);
  assert.deepEqual([first.status, first.headers["idempotent-replayed"]], [200, undefined]);
  assert.equal((await send(customer)).headers["idempotent-replayed"], "true");
  assert.equal((await scene.money(customer.accountId)).charged, COST);
  assert.equal(play.requests.length, 1);
});

test("what a rate limit refuses is not remembered, and a replay is no request to it", async () => {
  const customer = await scene.customer({ key: { requestsPerMinute: 1 } });
  const { play, send } = request();
  assert.equal((await send(customer)).status, 200);
  assert.equal((await send({ ...customer, name: "another" })).status, 429);
  assert.equal(await recordsOf(customer), 1);
  assert.equal((await send(customer)).headers["idempotent-replayed"], "true");
  assert.equal(play.requests.length, 1);
});

test("a body that was not valid is not remembered: the key may be used for the mended one", async () => {
  const customer = await scene.customer();
  const { send } = request();
  for (const change of [{ messages: "no list" }, { model: "no such model" }, { n: 0 }]) {
    assert.ok([400, 404].includes((await send({ ...customer, change })).status));
    assert.equal(await recordsOf(customer), 0);
  }
  assert.equal((await send(customer)).status, 200);
});

test("a key that cannot be one is refused by its header's name, before any money is held", async () => {
  const customer = await scene.customer();
  const { play, send } = request();
  for (const name of ["", "k".repeat(256), "caf\u00e9"]) {
    const answer = await send({ ...customer, name });
    assert.deepEqual(
      [answer.status, errorOf(answer).code, errorOf(answer).param],
      [400, "invalid_request", "Idempotency-Key"],
    );
  }
  assert.equal((await send({ ...customer, name: "k".repeat(255) })).status, 200);
  assert.equal(
    (await send({ secret: "tg_live_nobody", name: "" })).status,
    401,
    "who asks comes first",
  );
  assert.equal(play.requests.length, 1);
});

test("the same key of another account is another", async () => {
  const [one, other] = [await scene.customer(), await scene.customer()];
  const { play, send } = request();
  const answers = [await send(one), await send(other)];
  assert.deepEqual(
    answers.map((answer) => answer.headers["idempotent-replayed"]),
    [undefined, undefined],
  );
  assert.equal(play.requests.length, 2);
});

test("a new API key of the account gets the answer; one that may not call the model, and one that was deleted, do not", async () => {
  const customer = await scene.customer();
  const { send } = request();
  const first = await send(customer);
  const rolled = await scene.anotherKey(customer);
  const replay = await send(rolled);
  assert.deepEqual([replay.headers["idempotent-replayed"], replay.body], ["true", first.body]);
  const narrow = await newKey(scene.db, customer.accountId, { models: ["drained"] });
  assert.equal((await send({ secret: narrow.secret })).status, 403);
  const far = await newKey(scene.db, customer.accountId, { ips: ["192.0.2.0/24"] });
  assert.equal((await send({ secret: far.secret })).status, 403);
  // Not even where word of the deletion has not come yet: a replay holds no money that the deletion
  // would refuse.
  await scene.db.query("UPDATE keys.keys SET deleted_at = clock_timestamp() WHERE hash = $1", [
    rolled.key.hash,
  ]);
  assert.equal((await send(rolled)).status, 401);
  assert.equal((await scene.money(customer.accountId)).charged, COST);
});
