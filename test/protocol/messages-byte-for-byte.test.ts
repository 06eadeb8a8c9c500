/**
 * Guarantee: a Messages caller before a Messages upstream gets that upstream's bytes, sends its
 * own, and pays for every class of token as reported.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openChatScene,
  UPSTREAM_CREDENTIAL,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { GOLDEN_MESSAGES } from "../support/golden-messages.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";
import { sseEvent } from "../support/sse-event.ts";

type Json = Record<string, unknown>;

/** Roubles per 1M tokens. */
const PRICE = { input: 150, cachedInput: 15, cacheWrite5m: 187.5, cacheWrite1h: 300, output: 600 };

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  const price = Object.entries(PRICE).map(([name, roubles]) => `${name}: "${roubles}"`);
  const model = (id: string): string =>
    `  ${id}: { type: chat, endpoints: [messages], contextTokens: 200000, maxOutputTokens: 64000, price: { ${price.join(", ")} },` +
    ` routes: [ { upstream: there, model: upstream-model } ] }`;
  scene = await openChatScene({
    catalogue: (url) => `
families: { prefix: claude, large: { match: opus, model: biggest } }
upstreams:
  there: { protocol: anthropic, baseUrl: "${url}", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }
models:
${model("native")}
${model("biggest")}
`,
  });
  customer = await scene.customer({ roubles: "100000" });
});
after(() => scene.close());

const named = (event: Json): Buffer => sseEvent(event, String(event["type"]));
const bodyOf = (user: string, rest: Json = {}): Json => ({
  model: "native",
  max_tokens: 4000,
  messages: [{ role: "user", content: "?" }],
  metadata: { user_id: user },
  ...rest,
});
const ask = (
  body: unknown,
  path = "/v1/messages",
  headers: Record<string, string> = {},
  secret = customer.secret,
): Promise<ChatAnswer> => postChat(scene.gateway.url, secret, body, path, headers).answer;

/**
 * What the usage of a golden answer costs, in nano-roubles: each class by its own price, none of it
 * twice.
 */
function costOf(usage: Json): bigint {
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  const split = (usage["cache_creation"] ?? {}) as Json;
  const long = count(split["ephemeral_1h_input_tokens"]);
  const roubles =
    count(usage["input_tokens"]) * PRICE.input +
    count(usage["cache_read_input_tokens"]) * PRICE.cachedInput +
    (count(usage["cache_creation_input_tokens"]) - long) * PRICE.cacheWrite5m +
    long * PRICE.cacheWrite1h +
    count(usage["output_tokens"]) * PRICE.output;
  return BigInt(roubles * 1000);
}

/** The answer as it is sold: under the model's own id, every other byte as it came. */
function sold(text: string, id = "native"): string {
  return text.replace(/("model": ?)"claude-sonnet"/, `$1"${id}"`);
}

async function charged(work: () => Promise<void>): Promise<bigint> {
  const { charged: soFar } = await scene.money(customer.accountId);
  await work();
  return (await scene.money(customer.accountId)).charged - soFar;
}

for (const { name, events, whole } of GOLDEN_MESSAGES) {
  const stream = Buffer.concat(events.map(named));

  test(`a stream passes byte for byte and costs its usage: ${name}`, async () => {
    const play = scene.play(async (exchange) => {
      await exchange.sendAll(
        Array.from({ length: Math.ceil(stream.length / 7) }, (_, at) =>
          stream.subarray(7 * at, 7 * at + 7),
        ),
      );
      exchange.end();
    });
    const cost = await charged(async () => {
      const answer = await ask(bodyOf(play.user, { stream: true }));
      assert.deepEqual(
        [answer.status, answer.broken, answer.body.toString()],
        [200, false, sold(stream.toString())],
      );
    });
    assert.equal(cost, costOf(whole["usage"] as Json));
  });

  test(`a whole answer passes byte for byte and costs its usage: ${name}`, async () => {
    const sent = `${JSON.stringify(whole, null, 1)}\n`;
    const play = scene.play(async (exchange) => {
      exchange.head(200, { "content-type": "application/json" });
      await exchange.sendAll([sent]);
      exchange.end();
    });
    const cost = await charged(async () =>
      assert.equal((await ask(bodyOf(play.user))).body.toString(), sold(sent)),
    );
    assert.equal(cost, costOf(whole["usage"] as Json));
  });

  test(`a stream that ends before message_stop is never a whole answer: ${name}`, async () => {
    for (let count = 1; count < events.length; count += 1) {
      const play = scene.play(async (exchange) => {
        await exchange.sendAll([Buffer.concat(events.slice(0, count).map(named))]);
        exchange.end();
      });
      const answer = await ask(bodyOf(play.user, { stream: true }));
      // Before anything meaningful it is a real status; after it an error event, and the connection
      // breaks.
      if (answer.status === 200) {
        assert.match(
          answer.body.toString(),
          /event: error\ndata: \{"type":"error".*\}\n\n$/,
          `after ${count}`,
        );
        assert.ok(answer.broken, `after ${count}`);
        assert.doesNotMatch(answer.body.toString(), /message_stop/);
      } else {
        assert.equal(answer.status, 502, `after ${count}`);
      }
    }
  });
}

test("an answer assembled from a stream, because its worst case is more than a quarter of the balance, is the whole one", async () => {
  const poor = await scene.customer({ roubles: "50" });
  for (const { name, events, whole } of GOLDEN_MESSAGES) {
    const play = scene.play(async (exchange) => {
      assert.equal((exchange.request.json() as Json)["stream"], true, name);
      await exchange.sendAll(events.map(named));
      exchange.end();
    });
    const answer = await ask(
      bodyOf(play.user, { max_tokens: 64_000 }),
      "/v1/messages",
      {},
      poor.secret,
    );
    assert.deepEqual(JSON.parse(answer.body.toString()), { ...whole, model: "native" }, name);
  }
});

test("the upstream gets the caller's bytes, betas and version, and the operator's credential", async () => {
  const [golden] = GOLDEN_MESSAGES;
  const play = scene.play(async (exchange) => {
    await exchange.sendAll((golden?.events ?? []).map(named));
    exchange.end();
  });
  const template = `{ "metadata":{"user_id":"${play.user}"},\t"неизвестное":[1e400,-0.0,12345678901234567890,"\\u0451"], "max_tokens" : 128000,
 "thinking":{"type":"adaptive"},"context_management":{"edits":[]}, "model"  : @ ,"stream": true,"messages":[{"role":"user","content":"Ёж 👩‍👩‍👧"}]}  `;
  const betas = "claude-code-20250219, context-1m-2025-08-07,interleaved-thinking-2025-05-14";
  const headers = {
    "anthropic-version": "2024-01-01",
    "anthropic-beta": betas,
    "x-stainless-lang": "js",
    "x-api-key": customer.secret,
  };
  const answer = await ask(
    template.replace("@", '"native"'),
    "/v1/messages?beta=true&key=stray",
    headers,
  );
  assert.equal(answer.status, 200, answer.body.toString());
  const asked = await play.asked;
  assert.equal(asked.body.toString(), template.replace("@", '"upstream-model"'));
  assert.equal(asked.path, "/v1/messages?beta=true");
  assert.deepEqual(
    [
      asked.headers["x-api-key"],
      asked.headers["anthropic-version"],
      asked.headers["anthropic-beta"],
      asked.headers["x-stainless-lang"],
    ],
    [UPSTREAM_CREDENTIAL, "2024-01-01", betas, undefined],
  );
  assert.ok(
    !JSON.stringify(asked.headers).includes(customer.secret),
    "the caller's key stays here",
  );
});

test("behind a family's id only the model's name changes, in streams and in whole answers", async () => {
  const [golden] = GOLDEN_MESSAGES;
  const stream = Buffer.concat((golden?.events ?? []).map(named));
  const streamed = scene.play(async (exchange) => {
    await exchange.sendAll([stream]);
    exchange.end();
  });
  const answer = await ask(bodyOf(streamed.user, { model: "claude-opus-5", stream: true }));
  assert.equal(answer.body.toString(), sold(stream.toString(), "biggest"));
  const play = scene.play((exchange) => exchange.json(200, golden?.whole));
  const whole = await ask(bodyOf(play.user, { model: "claude-opus-5" }));
  assert.deepEqual(JSON.parse(whole.body.toString()), { ...golden?.whole, model: "biggest" });
});

test("the books agree after all of this", () => scene.verifyBooks());
