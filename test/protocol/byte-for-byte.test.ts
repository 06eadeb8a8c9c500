/**
 * Guarantee: what an upstream says reaches the client, and what a client says reaches the upstream,
 * byte for byte but for the few values that the gateway owns.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  openChatScene,
  standardPrice,
  UPSTREAM_CREDENTIAL,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { postChat, type ChatAnswer } from "../support/post-chat.ts";

let scene: ChatScene;
let customer: ChatCustomer;
before(async () => {
  scene = await openChatScene();
  customer = await scene.customer({ roubles: "1000000" });
});
after(() => scene.close());

const HEAD = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m"';

/**
 * The events of a stream as an upstream may write them: every field that the standard and the
 * protocol allow, and some that neither knows.
 */
const EVENTS = [
  ": ЖДИТЕ ⏳",
  `data: {${HEAD},"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}`,
  `id: 7\nretry: 10\nevent: message\ndata: {${HEAD},"choices":[{"index":0,"delta":{"content":"Ёж 👩‍👩‍👧 \\ud83d\\udc4b"}}],"неизвестное":[1e400,123456789012345678901,-0.10]}`,
  `data:{ ${HEAD} , "choices":[{"index":0,"delta":{"content":" ✅"},"finish_reason":"stop"}] }`,
  ": почти",
  "",
  `data: {${HEAD},"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}`,
  "data: [DONE]",
];
const USAGE_EVENT = 6;
const MESSAGES = [{ role: "user", content: "?" }];
const COST = standardPrice({ input: 3, output: 9 });

/** The answer as it is sold: under the model's own id, every other byte as it came. */
function sold(bytes: Buffer | string): Buffer {
  return Buffer.from(bytes.toString().replaceAll('"model":"m"', '"model":"standard"'));
}

function bytesOf(events: readonly string[], lineEnd: string): Buffer {
  return Buffer.from(events.map((event) => `${event}\n\n`.replaceAll("\n", lineEnd)).join(""));
}

/** As many at a time as keep two processes busy. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

for (const [name, lineEnd] of [
  ["\\n", "\n"],
  ["\\r\\n", "\r\n"],
] as const) {
  for (const includeUsage of [true, false]) {
    test(`a stream with lines ending in ${name}, cut at every byte, ${includeUsage ? "is unchanged" : "lacks nothing but the usage chunk that the client did not ask for"}`, async () => {
      const sent = bytesOf(EVENTS, lineEnd);
      const expected = sold(
        includeUsage ? sent : bytesOf(EVENTS.toSpliced(USAGE_EVENT, 1), lineEnd),
      );
      // Each write is a chunk of its own in HTTP's transfer encoding, so the gateway gets it as a
      // piece of its own.
      const play = scene.play(async (exchange) => {
        const { seed } = exchange.request.json() as { seed: number };
        await exchange.sendAll([sent.subarray(0, seed), sent.subarray(seed)]);
        exchange.end();
      });
      const chargedBefore = (await scene.money(customer.accountId)).charged;
      const cuts = Array.from({ length: sent.length - 1 }, (_, index) => index + 1);
      await inTurns(cuts, async (cut) => {
        const body = {
          model: "standard",
          messages: MESSAGES,
          user: play.user,
          seed: cut,
          stream: true,
          ...(includeUsage ? { stream_options: { include_usage: true } } : {}),
        };
        const answer = await postChat(scene.gateway.url, customer.secret, body).answer;
        assertUnchanged(answer, expected, `cut before byte ${cut}`);
      });
      assert.equal(
        (await scene.money(customer.accountId)).charged - chargedBefore,
        COST * BigInt(cuts.length),
        "all charged by the upstream's usage",
      );
    });
  }
}

function assertUnchanged(answer: ChatAnswer, expected: Buffer, where: string): void {
  assert.deepEqual([answer.status, answer.broken], [200, false], where);
  assert.match(String(answer.headers["content-type"]), /^text\/event-stream/);
  // The texts first: their difference can be read.
  if (!answer.body.equals(expected))
    assert.equal(
      JSON.stringify(answer.body.toString()),
      JSON.stringify(expected.toString()),
      where,
    );
  assert.ok(answer.body.equals(expected), where);
}

test("a stream that comes byte by byte is unchanged", async () => {
  for (const lineEnd of ["\n", "\r\n"]) {
    const sent = bytesOf(EVENTS, lineEnd);
    const play = scene.play(async (exchange) => {
      await exchange.sendAll(Array.from(sent, (byte) => Buffer.from([byte])));
      exchange.end();
    });
    const body = {
      model: "standard",
      messages: MESSAGES,
      user: play.user,
      stream: true,
      stream_options: { include_usage: true },
    };
    assertUnchanged(
      await postChat(scene.gateway.url, customer.secret, body).answer,
      sold(sent),
      "byte by byte",
    );
  }
});

test("a whole answer is unchanged, unknown fields, spaces and number forms included", async () => {
  const sent =
    '{ "id":"c1","object":"chat.completion" ,"created":1.0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Ёж \\u0451 👋🏽","x":1e400},' +
    '"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12,"цена":0.10},"big":123456789012345678901}\n';
  const play = scene.play(async (exchange) => {
    exchange.head(200, { "content-type": "application/json; charset=utf-8" });
    await exchange.sendAll([sent.slice(0, 100), sent.slice(100)]);
    exchange.end();
  });
  const answer = await postChat(scene.gateway.url, customer.secret, {
    model: "standard",
    messages: MESSAGES,
    user: play.user,
  }).answer;
  assert.equal(answer.body.toString(), sold(sent).toString());
  assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
});

/**
 * Requests as no program of ours would write them, `@` for the model and `#` for what the gateway
 * puts in.
 */
const REQUESTS: readonly (readonly [name: string, body: string, streamed: boolean])[] = [
  [
    "without a stream",
    '{"model":@,"messages":[{"role":"user","content":"ё"}],"user":"USER"}',
    false,
  ],
  [
    "odd spaces, unknown fields, huge numbers, escapes",
    '\n{ "user" : "USER",\t"неизвестное":{"a":[1e400,-0.0,123456789012345678901234567890,"\\u0451\\ud83d\\ude00"]},\r\n "messages":[ {"role":"user","content":"Ёж 👩‍👩‍👧"} ] , "model"  :  @ , "temperature":1.0}  ',
    false,
  ],
  [
    "a stream without options",
    '{"user":"USER","stream":true,"messages":[{"role":"user","content":"ё"}],"model":@#}',
    true,
  ],
  [
    "a stream whose options say other things",
    '{"model":@,"user":"USER","messages":[{"role":"user","content":"ё"}],"stream_options":{"include_obfuscation":false#},"stream": true,"z":[]}',
    true,
  ],
  [
    "a stream that asks for its usage",
    '{"model":@,"user":"USER","messages":[{"role":"user","content":"ё"}],"stream_options":{ "include_usage" : true },"stream":true}',
    true,
  ],
];

for (const [name, template, streamed] of REQUESTS) {
  test(`the upstream gets the caller's bytes but for the model and the wish for usage: ${name}`, async () => {
    const answer = {
      pieces: ["ё"],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    const play = scene.play(async (exchange) => {
      if (!streamed) return exchange.json(200, openAiCompletion(answer));
      await exchange.sendAll(openAiStream(answer));
      exchange.end();
    });
    const body = template.replace("USER", play.user);
    const wish = body.includes("stream_options")
      ? ',"include_usage":true'
      : ',"stream_options":{"include_usage":true}';
    const { status } = await postChat(
      scene.gateway.url,
      customer.secret,
      body.replace("@", '"standard"').replace("#", ""),
    ).answer;
    assert.equal(status, 200);
    const asked = await play.asked;
    assert.equal(asked.body.toString(), body.replace("@", '"upstream-model"').replace("#", wish));
    assert.equal(asked.headers.authorization, `Bearer ${UPSTREAM_CREDENTIAL}`);
    assert.ok(
      !JSON.stringify(asked.headers).includes(customer.secret),
      "the caller's key stays here",
    );
  });
}

test("the books agree after all of this", () => scene.verifyBooks());
