/**
 * Guarantee: a client that goes away ends the work or sees it drained, pays for what was produced
 * for it, and leaves no hold behind (hazards §1 and §2).
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import {
  MAX_OUTPUT_TOKENS,
  openChatScene,
  standardPrice,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { createGate } from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene();
});
after(() => scene.close());

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const PIECES = Array.from({ length: 200 }, (_, index) => ` ${WORDS[index % WORDS.length] ?? ""}`);
const USAGE = { prompt_tokens: 17, completion_tokens: 200, total_tokens: 217 };
/** The role, then one event for each piece, then the end. */
const EVENTS = openAiStream({ pieces: PIECES, usage: USAGE });
const AFTER_THREE = 4;
const MESSAGES = [{ role: "user", content: "Count to two hundred" }];
/** Four words, and nine tokens that a chat format puts around one message. */
const PROMPT_TOKENS = 13;
const THREE_DELIVERED = standardPrice({ input: PROMPT_TOKENS, output: 3 });
const ALL_PRODUCED = standardPrice({ input: 17, output: 200 });

function ask(secret: string, body: object) {
  return postChat(scene.gateway.url, secret, { model: "standard", messages: MESSAGES, ...body });
}

/** Whatever reached the gateway's machine before this has been seen by the gateway after it. */
async function gatewayCaughtUp(): Promise<void> {
  await (await fetch(`${scene.gateway.url}/healthz`)).arrayBuffer();
}

test("200 clients at once leave after the third of 200 pieces: each upstream call is ended, each client pays for three pieces, nothing is left open", async () => {
  const customer = await scene.customer({ roubles: "1000" });
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, AFTER_THREE));
    // Unless the gateway ends it, it never ends: the test would not either.
    await exchange.hang();
  });
  const clients = Array.from({ length: 200 }, () =>
    ask(customer.secret, { user: play.user, stream: true }),
  );
  await Promise.all(
    clients.map(async (client) => {
      await client.seen('" three"');
      client.leave();
    }),
  );
  await Promise.all(play.requests.map((request) => request.aborted));
  const receipts = await scene.receipts(customer.accountId, 200);
  assert.equal(play.requests.length, 200);
  for (const { state, chargedNano, detail } of receipts) {
    assert.deepEqual(
      [state, chargedNano, detail["usageSource"]],
      ["client_gone", THREE_DELIVERED, "counted"],
    );
  }
  const money = await scene.money(customer.accountId);
  assert.deepEqual([money.held, money.charged], [0n, THREE_DELIVERED * 200n]);
  await scene.upstream.idle();
  await scene.verifyBooks();
});

test("an upstream that talks on is charged for no more than it said and no less than was read", async () => {
  const customer = await scene.customer();
  let reported = 0;
  const play = scene.play(async (exchange) => {
    await exchange.send(EVENTS[0] ?? "");
    while (await exchange.sendAll(EVENTS.slice(1, 2))) reported++;
  });
  const client = ask(customer.secret, { user: play.user, stream: true });
  await client.seen('" one"');
  client.leave();
  const [receipt] = await scene.receipts(customer.accountId, 1);
  await scene.upstream.idle();
  assert.equal(receipt?.state, "client_gone");
  const { outputTokens } = receipt.detail["usage"] as { outputTokens: number };
  assert.ok(outputTokens >= 1 && outputTokens <= reported + 1, `${outputTokens} of ${reported}`);
});

for (const [model, whatHappens] of [
  ["standard", "ends it"],
  ["drained", "lets it run to its usage"],
] as const) {
  test(`a client that stops reading holds the upstream back; one that then leaves ${whatHappens}`, async () => {
    const customer = await scene.customer();
    const long = openAiStream({
      pieces: Array.from({ length: 100 }, () => " word".repeat(200)),
      finishReason: null,
      done: false,
    });
    let sent = 0;
    let left = false;
    const play = scene.play(async (exchange) => {
      // Up to 100 MB, more than all buffers on the way can take; only what is to be drained ever
      // comes to its end.
      for (; sent < 1000 && !(left && model === "drained"); sent++)
        if (!(await exchange.sendAll(long))) return;
      assert.ok(left, "nobody held the upstream back");
      await exchange.sendAll(EVENTS.slice(-3));
      exchange.end();
    });
    const body = JSON.stringify({ model, messages: MESSAGES, user: play.user, stream: true });
    const socket = connect(Number(new URL(scene.gateway.url).port), "127.0.0.1");
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${customer.secret}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    let read = "";
    for await (const part of socket.iterator({ destroyOnReturn: false })) {
      read += String(part);
      if (read.includes(" word")) break;
    }
    // More words were read than may be charged: the limit of the model is the limit of the bill.
    const atMost = standardPrice({ input: PROMPT_TOKENS, output: MAX_OUTPUT_TOKENS });
    await until("the upstream stands still, and not for a hold that still grows", async () => {
      if ((await scene.money(customer.accountId)).held < atMost) return false;
      const sentBefore = sent;
      for (let round = 0; round < 20; round++) await gatewayCaughtUp();
      return sent === sentBefore;
    });
    left = true;
    socket.destroy();
    if (model === "standard") await (await play.asked).aborted;
    const [receipt] = await scene.receipts(customer.accountId, 1);
    assert.equal(receipt?.state, "client_gone");
    assert.equal(receipt.chargedNano, model === "standard" ? atMost : ALL_PRODUCED);
  });
}

test("where the upstream is to be drained, clients that leave pay its own usage", async () => {
  const customer = await scene.customer({ roubles: "1000" });
  const allLeft = createGate();
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(EVENTS.slice(0, AFTER_THREE));
    await allLeft.wait;
    assert.ok(await exchange.sendAll(EVENTS.slice(AFTER_THREE)), "the gateway reads to the end");
    exchange.end();
  });
  const clients = Array.from({ length: 50 }, () =>
    ask(customer.secret, { model: "drained", user: play.user, stream: true }),
  );
  await Promise.all(
    clients.map(async (client) => {
      await client.seen('" three"');
      client.leave();
    }),
  );
  await gatewayCaughtUp();
  allLeft.open();
  for (const { state, chargedNano, detail } of await scene.receipts(customer.accountId, 50)) {
    assert.deepEqual(
      [state, chargedNano, detail["usageSource"]],
      ["client_gone", ALL_PRODUCED, "upstream"],
    );
  }
  assert.equal((await scene.money(customer.accountId)).charged, ALL_PRODUCED * 50n);
});

/**
 * With 100 roubles the worst case of a request (5 roubles) is held and its answer passed through;
 * with 10 it is put together from a stream.
 */
const WHOLE = [
  ["passed through", "100", false],
  ["assembled", "10", true],
] as const;

for (const [way, roubles, streamed] of WHOLE) {
  test(`a whole answer (${way}) whose client leaves before it comes: the work is ended and nothing is charged`, async () => {
    const customer = await scene.customer({ roubles });
    const play = scene.play(async (exchange) => {
      if (streamed) await exchange.sendAll(EVENTS.slice(0, AFTER_THREE));
      await exchange.hang();
    });
    const client = ask(customer.secret, { user: play.user });
    const asked = await play.asked;
    assert.equal((asked.json() as { stream?: boolean }).stream === true, streamed);
    client.leave();
    await asked.aborted;
    const [receipt] = await scene.receipts(customer.accountId, 1);
    assert.deepEqual([receipt?.state, receipt?.chargedNano], ["client_gone", 0n]);
  });

  test(`a whole answer (${way}) whose client leaves before it comes, from an upstream to be drained: its usage is charged`, async () => {
    const customer = await scene.customer({ roubles });
    const left = createGate();
    const play = scene.play(async (exchange) => {
      await left.wait;
      if (!streamed) return exchange.json(200, openAiCompletion({ pieces: PIECES, usage: USAGE }));
      assert.ok(await exchange.sendAll(EVENTS), "the gateway reads to the end");
      exchange.end();
    });
    const client = ask(customer.secret, { model: "drained", user: play.user });
    assert.equal(((await play.asked).json() as { stream?: boolean }).stream === true, streamed);
    client.leave();
    await gatewayCaughtUp();
    left.open();
    const [receipt] = await scene.receipts(customer.accountId, 1);
    assert.deepEqual(
      [receipt?.state, receipt?.chargedNano, receipt?.detail["usageSource"]],
      ["client_gone", ALL_PRODUCED, "upstream"],
    );
  });
}

test("a client that leaves before a stream's first piece pays nothing, and the upstream is let go", async () => {
  const customer = await scene.customer();
  const play = scene.play((exchange) => exchange.hang());
  const client = ask(customer.secret, { user: play.user, stream: true });
  const asked = await play.asked;
  client.leave();
  await asked.aborted;
  const [receipt] = await scene.receipts(customer.accountId, 1);
  assert.deepEqual([receipt?.state, receipt?.chargedNano], ["client_gone", 0n]);
});

test("the books agree after all of this", () => scene.verifyBooks());
