/** Guarantee: while nothing of an answer has reached the client the next route takes over; one answer comes, one is charged, every try is on the receipt (failures.md 6, 8, 42). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openChatScene, standardPrice, type ChatScene } from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import type { Exchange, Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene();
});
after(() => scene.close());

const MESSAGES = [{ role: "user", content: "Count to two hundred" }];
const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const COST = standardPrice({ input: 17, output: 9 });
const PIECES = [" one", " two", " three"];

const isStreamed = (exchange: Exchange): boolean => (exchange.request.json() as { stream?: boolean }).stream === true;

const good: Handler = async (exchange) => {
  if (!isStreamed(exchange)) return exchange.json(200, openAiCompletion({ id: "second", pieces: PIECES, usage: USAGE }));
  await exchange.sendAll(openAiStream({ id: "second", pieces: PIECES, usage: USAGE }));
  exchange.end();
};

const refusing =
  (status: number): Handler =>
  (exchange) =>
    exchange.json(status, { error: { message: "no", type: "server_error" } });

/** What a first route may do, and what its try is called on the receipt; the caller's own fault is no reason to go on. */
const FAILURES: readonly (readonly [name: string, first: Handler, status: number | null])[] = [
  ...[401, 402, 403, 404, 408, 429, 500, 502, 503, 529].map((status) => [`answers ${status}`, refusing(status), status] as const),
  ["is silent", (exchange) => exchange.hang(), null],
  ["closes the connection before it answers", (exchange) => exchange.destroy(), null],
  ["resets the connection before it answers", (exchange) => exchange.reset(), null],
  ["answers what is not HTTP", async (exchange) => void (await exchange.raw("HELLO\r\n\r\n")), null],
  [
    "answers with a page under status 200",
    async (exchange) => {
      exchange.head(200, { "content-type": "text/html" });
      await exchange.send("<html>Login</html>");
      exchange.end();
    },
    null,
  ],
  ["answers with an error under status 200", (exchange) => exchange.json(200, { error: { message: "no capacity", code: 503 } }), null],
  [
    "answers nothing under status 200",
    (exchange) => {
      exchange.head(200);
      exchange.end();
    },
    null,
  ],
  [
    "begins its stream with an error",
    async (exchange) => {
      await exchange.sendAll([": wait\n\n", ...openAiStream({ id: "first" }).slice(0, 1), sseEvent({ error: { message: "overloaded" } })]);
      exchange.end();
    },
    null,
  ],
  [
    "breaks off after the role and before the first word",
    async (exchange) => {
      await exchange.sendAll(openAiStream({ id: "first" }).slice(0, 1));
      exchange.destroy();
    },
    null,
  ],
  [
    "streams something that is not JSON",
    async (exchange) => {
      await exchange.send("data: {oops\n\n");
      exchange.end();
    },
    null,
  ],
];

async function served(model: string, handlers: readonly Handler[], stream: boolean, name: string) {
  const customer = await scene.customer();
  const play = scene.play(handlers);
  const answer = await postChat(scene.gateway.url, customer.secret, { model, messages: MESSAGES, user: play.user, stream }).answer;
  assert.deepEqual([answer.status, answer.broken], [200, false], name);
  const text = answer.body.toString();
  assert.ok(text.includes('"id":"second"') && !text.includes('"id":"first"'), `${name}: one answer, of the second route`);
  assert.equal((await scene.money(customer.accountId)).charged, COST, name);
  const models = play.requests.map((request) => (request.json() as { model: string }).model);
  return { models, attempts: (await scene.receipt(answer.requestId)).detail["attempts"] as Record<string, unknown>[] };
}

for (const stream of [true, false]) {
  const form = stream ? "a stream" : "a whole answer";
  for (const [name, first, status] of FAILURES) {
    test(`${form}: a first route that ${name} is followed by the second`, async () => {
      const { models, attempts } = await served("backed", [first, good], stream, name);
      assert.deepEqual(models, ["first-model", "second-model"], "by their order, not by their place in the catalogue");
      assert.deepEqual(
        attempts.map(({ upstream, model, outcome }) => [upstream, model, outcome]),
        [
          ["quick", "first-model", "failed"],
          ["aborting", "second-model", "served"],
        ],
      );
      if (status !== null) assert.equal(attempts[0]?.["status"], status);
      assert.equal(typeof attempts[0]?.["reason"], "string");
    });
  }

  test(`${form}: an upstream that nobody runs is followed by the second route`, async () => {
    const { models, attempts } = await served("orphaned", [good], stream, "refused");
    assert.deepEqual(models, ["second-model"]);
    assert.match(String(attempts[0]?.["reason"]), /^connect: /);
  });

  test(`${form}: the caller's own mistake is not tried again elsewhere`, async () => {
    const customer = await scene.customer();
    const play = scene.play([refusing(400)]);
    const answer = await postChat(scene.gateway.url, customer.secret, { model: "backed", messages: MESSAGES, user: play.user, stream })
      .answer;
    assert.deepEqual([answer.status, play.requests.length], [400, 1]);
  });

  test(`${form}: when every route fails, the last failure is told and nothing is charged`, async () => {
    const customer = await scene.customer();
    const play = scene.play([refusing(500), refusing(429)]);
    const answer = await postChat(scene.gateway.url, customer.secret, { model: "backed", messages: MESSAGES, user: play.user, stream })
      .answer;
    assert.deepEqual([answer.status, play.requests.length], [502, 2]);
    const receipt = await scene.receipt(answer.requestId);
    assert.deepEqual([receipt.state, receipt.chargedNano, (receipt.detail["attempts"] as unknown[]).length], ["failed", 0n, 2]);
    assert.equal((await scene.money(customer.accountId)).held, 0n);
  });
}

test("after the first word of a stream there is no second route: the stream breaks off and its words are charged", async () => {
  const customer = await scene.customer();
  const play = scene.play([
    async (exchange) => {
      await exchange.sendAll(openAiStream({ id: "first", pieces: PIECES }).slice(0, 3));
      exchange.destroy();
    },
  ]);
  const answer = await postChat(scene.gateway.url, customer.secret, { model: "backed", messages: MESSAGES, user: play.user, stream: true })
    .answer;
  assert.deepEqual([answer.status, answer.broken, play.requests.length], [200, true, 1]);
  assert.equal((await scene.receipt(answer.requestId)).chargedNano, standardPrice({ input: 13, output: 2 }));
});

test("the books agree after all of this", () => scene.verifyBooks());
