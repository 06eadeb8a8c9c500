/**
 * Guarantee: from the moment an account's block is committed, no process does anything for its
 * keys; what was admitted before finishes and is charged; unblocked, they work again.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { blockAccount, unblockAccount } from "../../src/business/operate/block-account.ts";
import { newUuid } from "../../src/kernel/ids.ts";
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
import { until } from "../support/until.ts";

let scene: ChatScene;
let processes: readonly Gateway[];
before(async () => {
  scene = await openChatScene();
  processes = [scene.gateway, await scene.anotherGateway()];
});
after(() => scene.close());

const OPERATOR = { memberId: newUuid(), email: "op@example.test" };
const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const COST = standardPrice({ input: 17, output: 9 });
const MESSAGES = [{ role: "user", content: "?" }];

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

test("both processes, which remember the keys, refuse each of them on the very next request, and take them again when it is over", async () => {
  const first = await scene.customer();
  const customers = [first, await scene.anotherKey(first)];
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: ["ё"], usage: USAGE }));
    exchange.end();
  });
  let charged = 0n;
  for (let round = 0; round < 5; round++) {
    for (const gateway of processes) {
      for (const customer of customers) {
        await until(
          "its key is taken",
          async () => (await balanceStatus(gateway, customer)) === 200,
        );
        assert.equal((await chat(gateway, customer, play.user).answer).status, 200);
        charged += COST;
      }
    }
    const asked = play.requests.length;
    await blockAccount(scene.db, OPERATOR, first.accountId, "an unpaid bill");
    const answers = await Promise.all(
      processes.flatMap((gateway) =>
        customers.flatMap((customer) =>
          [true, false].map((stream) => chat(gateway, customer, play.user, stream).answer),
        ),
      ),
    );
    for (const answer of answers) {
      const { error } = JSON.parse(answer.body.toString()) as {
        error: { code: string; message: string };
      };
      assert.deepEqual([answer.status, error.code], [403, "permission_denied"]);
      assert.match(error.message, /account is blocked/);
    }
    const balances = await Promise.all(
      processes.flatMap((gateway) => customers.map((customer) => balanceStatus(gateway, customer))),
    );
    assert.deepEqual(balances, [403, 403, 403, 403]);
    assert.equal(play.requests.length, asked, "no upstream was called for it");
    await unblockAccount(scene.db, OPERATOR, first.accountId, null);
  }
  assert.equal((await scene.money(first.accountId)).charged, charged);
});

test("a stream that was admitted before goes on to its end and is charged", async () => {
  const customer = await scene.customer();
  const blocked = createGate();
  const events = openAiStream({ pieces: [" one", " two", " three"], usage: USAGE });
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(events.slice(0, 2));
    await blocked.wait;
    await exchange.sendAll(events.slice(2));
    exchange.end();
  });
  const running = chat(scene.gateway, customer, play.user);
  await running.seen('" one"');
  await blockAccount(scene.db, OPERATOR, customer.accountId, "an unpaid bill");
  assert.equal((await chat(scene.gateway, customer, play.user).answer).status, 403);
  blocked.open();
  const answer = await running.answer;
  assert.equal(answer.broken, false);
  assert.match(answer.body.toString(), /" three"[^]*\[DONE\]/);
  const receipt = await scene.receipt(answer.requestId);
  assert.deepEqual([receipt.state, receipt.chargedNano], ["completed", COST]);
});

test("the books agree after all of this", () => scene.verifyBooks());
