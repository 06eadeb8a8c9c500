/**
 * Guarantee: from the moment a key's deletion is committed, no process admits a request with it;
 * what was admitted before finishes and is charged (contract §3).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { createGate } from "../support/scripted-upstream.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

let scene: ChatScene;
let other: Gateway;
before(async () => {
  scene = await openChatScene();
  other = await scene.anotherGateway();
});
after(() => scene.close());

const MESSAGES = [{ role: "user", content: "?" }];
const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const COST = standardPrice({ input: 17, output: 9 });

function chat(gateway: Gateway, { secret }: ChatCustomer, user: string, stream = true) {
  return postChat(gateway.url, secret, { model: "standard", messages: MESSAGES, user, stream });
}

async function balanceStatus(gateway: Gateway, { secret }: ChatCustomer): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/balance`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  await response.arrayBuffer();
  return response.status;
}

/**
 * Both processes have seen the key and may remember it; it is deleted; whatever is asked of either
 * right after is refused.
 */
async function deleteAndAsk(
  account: ChatCustomer,
  remove: (hash: string) => Promise<unknown>,
): Promise<void> {
  const customer = await scene.anotherKey(account);
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: ["ё"], usage: USAGE }));
    exchange.end();
  });
  const processes = [scene.gateway, other];
  for (const gateway of processes) {
    assert.equal((await chat(gateway, customer, play.user).answer).status, 200);
    assert.equal(await balanceStatus(gateway, customer), 200);
  }
  await remove(customer.key.hash);
  const [streamed, whole, ...balances] = await Promise.all([
    chat(other, customer, play.user).answer,
    chat(scene.gateway, customer, play.user, false).answer,
    ...processes.map((gateway) => balanceStatus(gateway, customer)),
  ]);
  for (const answer of [streamed, whole]) {
    const { error } = JSON.parse(answer.body.toString()) as {
      error: { code: string; message: string };
    };
    assert.deepEqual([answer.status, error.code], [401, "invalid_api_key"]);
    assert.match(error.message, /deleted/);
  }
  assert.deepEqual(balances, [401, 401]);
  assert.equal(play.requests.length, 2, "the upstream was called before the deletion only");
}

test("a key deleted by the command line is refused by both running processes on the very next request", async () => {
  const account = await scene.customer();
  const tollgate = createTollgateCommand({ DATABASE_URL: scene.databaseUrl });
  for (let round = 0; round < 3; round++)
    await deleteAndAsk(account, (hash) => tollgate.json("keys", "delete", hash));
});

test("30 keys deleted by a third process, one right after the other: each is refused on the very next request", async () => {
  const account = await scene.customer();
  for (let round = 0; round < 30; round++)
    await deleteAndAsk(account, (hash) => deleteKey(scene.db, { hash }));
  assert.equal(
    (await scene.money(account.accountId)).charged,
    COST * 60n,
    "what was admitted was charged, and nothing else",
  );
});

test("a stream that was admitted before the deletion finishes and is charged; the key's other requests are refused meanwhile", async () => {
  const customer = await scene.customer();
  const deleted = createGate();
  const events = openAiStream({ pieces: [" one", " two", " three"], usage: USAGE });
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(events.slice(0, 2));
    await deleted.wait;
    await exchange.sendAll(events.slice(2));
    exchange.end();
  });
  const running = chat(other, customer, play.user);
  await running.seen('" one"');
  await deleteKey(scene.db, { hash: customer.key.hash });
  assert.equal((await chat(other, customer, play.user).answer).status, 401);
  deleted.open();
  const answer = await running.answer;
  assert.equal(answer.broken, false);
  assert.match(answer.body.toString(), /" three"[^]*\[DONE\]/);
  const receipt = await scene.receipt(answer.requestId);
  assert.deepEqual([receipt.state, receipt.chargedNano], ["completed", COST]);
});

test("a long stream whose key is deleted may still grow its hold: it is not cut short", async () => {
  const customer = await scene.customer();
  const deleted = createGate();
  const words = Array.from({ length: 3000 }, () => " word");
  const usage = { prompt_tokens: 17, completion_tokens: 3001, total_tokens: 3018 };
  const play = scene.play(async (exchange) => {
    await exchange.send(
      openAiStream({ pieces: [" first"], finishReason: null, done: false })[1] ?? "",
    );
    await deleted.wait;
    await exchange.send(Buffer.concat(openAiStream({ pieces: words, usage })));
    exchange.end();
  });
  const running = chat(scene.gateway, customer, play.user);
  await running.seen('" first"');
  await deleteKey(scene.db, { hash: customer.key.hash });
  deleted.open();
  const answer = await running.answer;
  const receipt = await scene.receipt(answer.requestId);
  assert.deepEqual(
    [receipt.state, receipt.chargedNano],
    ["completed", standardPrice({ input: 17, output: 3001 })],
  );
});

test("the books agree after all of this", () => scene.verifyBooks());
