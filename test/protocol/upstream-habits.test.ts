/**
 * Guarantee: what recorded providers do out of order, without being in doubt, costs no caller its
 * answer and no operator its money.
 */
import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import {
  brotliCompressSync,
  constants,
  createZstdCompress,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { anthropicStream } from "../support/anthropic-stream.ts";
import { askBySdk, FINISH_WORDS, type Heard } from "../support/ask-by-sdk.ts";
import {
  openChatScene,
  standardPrice,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiChunk } from "../support/openai-stream.ts";
import { pairAnswer } from "../support/pair-answers.ts";
import {
  askPair,
  CALLERS,
  pairName,
  PAIRS,
  pairsCatalogue,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
/**
 * Whole answers are passed on to the one, and put together from a stream for the other, who has
 * little.
 */
let rich: ChatCustomer;
let poor: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
  rich = await scene.customer({ roubles: "1000000" });
  poor = await scene.customer({ roubles: "2" });
});
after(() => scene.close());

const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const COST = standardPrice({ input: 17, output: 9 });
const DONE = sseEvent("[DONE]");

/**
 * Answers a stream with these events, whether a stream was asked for or not; a whole answer is
 * asked for as a stream where its worst case is dear.
 */
function streaming(...events: readonly (Buffer | string)[]): Handler {
  return async (exchange) => {
    await exchange.sendAll(events);
    exchange.end();
  };
}

type Way = "streamed" | "whole" | "assembled";
const WHOLE: readonly Way[] = ["whole", "assembled"];
const EVERY: readonly Way[] = ["streamed", ...WHOLE];

function payer(way: Way): ChatCustomer {
  return way === "assembled" ? poor : rich;
}

function ask({ caller, upstream }: Pair, handler: Handler, way: Way): Promise<Heard> {
  const { user } = scene.play(handler);
  const { secret } = payer(way);
  return askBySdk(caller, {
    url: scene.gateway.url,
    secret,
    model: `over-${upstream}`,
    user,
    stream: way === "streamed",
  });
}

async function lastReceipt(way: Way) {
  const [receipt] = await scene.receipts(payer(way).accountId, 1);
  assert.ok(receipt !== undefined);
  return receipt;
}

const delta = (reported: object): Buffer =>
  openAiChunk({}, [{ index: 0, delta: reported, finish_reason: null }]);
const CALL = {
  tool_calls: [
    {
      index: 0,
      id: "one",
      type: "function",
      function: { name: "get_weather", arguments: '{"city":"Москва"}' },
    },
  ],
};
const USAGE_CHUNK = openAiChunk({}, [], USAGE);

/** Complete streams that say nowhere why they ended. */
const UNSAID: Readonly<Record<string, readonly Buffer[]>> = {
  "by [DONE]": [delta({ role: "assistant", content: "Готово" }), DONE],
  "by a usage and [DONE]": [delta({ role: "assistant", content: "Готово" }), USAGE_CHUNK, DONE],
  "by a usage alone": [delta({ role: "assistant", content: "Готово" }), USAGE_CHUNK],
};

for (const caller of CALLERS) {
  const pair: Pair = { caller, upstream: "openai" };
  const stop = FINISH_WORDS.stop[caller];
  const call = FINISH_WORDS.calls[caller];

  test(`${pairName(pair)}: a stream that ended without a finish reason is the whole answer that it is`, async () => {
    for (const [how, events] of Object.entries(UNSAID)) {
      for (const way of caller === "openai" ? WHOLE : EVERY) {
        const heard = await ask(pair, streaming(...events), way);
        assert.deepEqual([heard.text, heard.finish], ["Готово", stop], `${how}, ${way}`);
        assert.equal((await lastReceipt(way)).state, "completed");
      }
    }
  });

  test(`${pairName(pair)}: a whole tool call, a usage and [DONE] are a call, and cost what they cost`, async () => {
    for (const way of caller === "openai" ? WHOLE : EVERY) {
      const heard = await ask(
        pair,
        streaming(delta({ role: "assistant", content: null }), delta(CALL), USAGE_CHUNK, DONE),
        way,
      );
      assert.deepEqual(
        heard.calls,
        [{ id: "one", name: "get_weather", input: { city: "Москва" } }],
        way,
      );
      assert.equal(heard.finish, call, way);
      assert.equal((await lastReceipt(way)).chargedNano, COST);
    }
  });

  test(`${pairName(pair)}: a usage that every piece carries is no sign of an end`, async () => {
    const piece = (content: string): Buffer =>
      openAiChunk({}, [{ index: 0, delta: { content }, finish_reason: null }], USAGE);
    await assert.rejects(
      ask(pair, streaming(piece("Пол"), piece("овина"), openAiChunk({}, [], USAGE)), "streamed"),
    );
    assert.equal((await lastReceipt("streamed")).state, "interrupted");
  });
}

for (const caller of CALLERS) {
  const pair: Pair = { caller, upstream: "anthropic" };

  test(`${pairName(pair)}: a message that stops without a message_delta is the whole answer that it is`, async () => {
    const events = (blocks: Parameters<typeof anthropicStream>[0]["blocks"]): Buffer[] =>
      anthropicStream({
        blocks,
        startUsage: { input_tokens: 17, output_tokens: 1 },
        usage: { output_tokens: 9 },
      }).filter((event) => !event.includes("message_delta"));
    const stop = FINISH_WORDS.stop[caller];
    const call = FINISH_WORDS.calls[caller];
    for (const way of caller === "anthropic" ? WHOLE : EVERY) {
      const reported = await ask(
        pair,
        streaming(...events([{ type: "text", pieces: ["Готово"] }])),
        way,
      );
      assert.deepEqual([reported.text, reported.finish], ["Готово", stop], way);
      const tool = { type: "tool_use" as const, id: "one", name: "get_time", pieces: ["{}"] };
      const called = await ask(pair, streaming(...events([tool])), way);
      assert.deepEqual(
        [called.calls, called.finish],
        [[{ id: "one", name: "get_time", input: {} }], call],
        way,
      );
    }
    if (caller !== "openai") return;
    const { user } = scene.play(streaming(...events([{ type: "text", pieces: ["Готово"] }])));
    const { body } = await askPair(scene, rich.secret, pair, { content: "Ну?", user, stream: true })
      .answer;
    assert.match(
      String(body),
      /"finish_reason":"stop"[^]*"choices":\[\],"usage":\{"prompt_tokens":17,[^]*data: \[DONE\]\n\n$/,
    );
  });
}

const TOKENS = { input: 17, output: 9 };
const answerOf = (
  protocol: Protocol,
): { readonly events: readonly Buffer[]; readonly whole: object } => ({
  events: pairAnswer(protocol, { pieces: ["Гото", "во"], tokens: TOKENS }).events,
  whole: pairAnswer(protocol, {
    pieces: ["Готово"],
    calls: [{ id: "one", name: "get_time", pieces: ["{}"] }],
    tokens: TOKENS,
  }).whole,
});

/** Ways to send the same whole stream. */
const HABITS: Readonly<Record<string, (events: readonly Buffer[]) => Handler>> = {
  ...Object.fromEntries(
    [
      "Text/Event-Stream; Charset=UTF-8",
      "text/plain; charset=utf-8",
      "application/x-ndjson",
      "application/json",
      "text/html",
    ].map((type) => [
      `calls it ${type}`,
      (events: readonly Buffer[]): Handler =>
        async (exchange) => {
          exchange.head(200, { "content-type": type });
          await exchange.sendAll(events);
          exchange.end();
        },
    ]),
  ),
  "begins it byte by byte under a wrong type": (events) => async (exchange) => {
    const all = Buffer.concat(events);
    exchange.head(200, { "content-type": "text/plain" });
    await exchange.sendAll([
      ...Array.from(all.subarray(0, 12), (byte) => Buffer.from([byte])),
      all.subarray(12),
    ]);
    exchange.end();
  },
  "ends it without the last blank line": (events) =>
    streaming(Buffer.concat(events).subarray(0, -1)),
  "ends it without the last line end": (events) => streaming(Buffer.concat(events).subarray(0, -2)),
  ...Object.fromEntries(
    (
      [
        ["gzip", gzipSync],
        ["Deflate", deflateSync],
        ["br", brotliCompressSync],
        ["zstd", zstdCompressSync],
      ] as const
    ).map(([encoding, pack]) => [
      `packs it by ${encoding}`,
      (events: readonly Buffer[]): Handler =>
        async (exchange) => {
          const body = pack(Buffer.concat(events));
          exchange.head(200, { "content-type": "text/event-stream", "content-encoding": encoding });
          await exchange.sendAll([body.subarray(0, 20), body.subarray(20)]);
          exchange.end();
        },
    ]),
  ),
};

for (const pair of PAIRS) {
  const stop = FINISH_WORDS.stop[pair.caller];
  const call = FINISH_WORDS.calls[pair.caller];

  for (const [habit, send] of Object.entries(HABITS)) {
    test(`${pairName(pair)}: an upstream that ${habit} has streamed a whole answer, and is paid for it`, async () => {
      for (const way of ["streamed", "assembled"] as const) {
        const heard = await ask(pair, send(answerOf(pair.upstream).events), way);
        assert.deepEqual([heard.text, heard.finish], ["Готово", stop], way);
        assert.equal((await lastReceipt(way)).chargedNano, COST, way);
      }
    });
  }

  test(`${pairName(pair)}: a whole answer where a stream was asked for is streamed as one, and is paid for`, async () => {
    for (const type of ["application/json", "text/event-stream", "text/plain"]) {
      const whole: Handler = async (exchange) => {
        exchange.head(200, { "content-type": type });
        await exchange.send(JSON.stringify(answerOf(pair.upstream).whole));
        exchange.end();
      };
      for (const way of ["streamed", "assembled"] as const) {
        const { text, calls, finish } = await ask(pair, whole, way);
        assert.deepEqual(
          [text, calls, finish],
          ["Готово", [{ id: "one", name: "get_time", input: {} }], call],
          `${type}, ${way}`,
        );
        assert.equal((await lastReceipt(way)).chargedNano, COST, `${type}, ${way}`);
      }
    }
  });

  test(`${pairName(pair)}: a packed whole answer and a packed refusal are read`, async () => {
    const packed =
      (status: number, body: object): Handler =>
      async (exchange) => {
        exchange.head(status, { "content-type": "application/json", "content-encoding": "gzip" });
        await exchange.send(gzipSync(JSON.stringify(body)));
        exchange.end();
      };
    assert.equal(
      (await ask(pair, packed(200, answerOf(pair.upstream).whole), "whole")).text,
      "Готово",
    );
    const error = { message: "Your prompt is odd", type: "invalid_request_error" };
    for (const way of EVERY)
      await assert.rejects(
        ask(pair, packed(400, { type: "error", error }), way),
        /400.*Your prompt is odd/,
        way,
      );
  });

  if (pair.upstream === "anthropic") {
    test(`${pairName(pair)}: a message that is begun twice is one`, async () => {
      const [begin = Buffer.alloc(0), ...rest] = answerOf("anthropic").events;
      for (const way of EVERY) {
        const heard = await ask(pair, streaming(begin, begin, ...rest), way);
        assert.deepEqual([heard.text, heard.finish], ["Готово", stop], way);
        assert.equal((await lastReceipt(way)).chargedNano, COST, way);
      }
    });
  }
}

test("openai caller, openai upstream: a client that waits for [DONE] gets it, whether its upstream sends it or not", async () => {
  const events = answerOf("openai").events.slice(0, -1);
  for (const last of [[], ["data: [DONE]\n"], ["data: [DONE]"]]) {
    const { user } = scene.play(streaming(...events, ...last));
    const { body } = await askPair(
      scene,
      rich.secret,
      { caller: "openai", upstream: "openai" },
      { content: "Ну?", user, stream: true },
    ).answer;
    assert.equal(body.toString().split("data: [DONE]").length, 2);
    assert.match(body.toString(), /\n\ndata: \[DONE\]\n\n$/);
  }
});

test("what is packed so that it takes more memory to unpack than HTTP allows is an error, and costs nothing", async () => {
  const wide = async (windowLog: number): Promise<Buffer> => {
    const packer = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: windowLog } });
    for (const event of answerOf("openai").events) packer.write(event);
    // Before the end: a packer that knows the size of all makes the window no larger than that.
    packer.flush(() => packer.end());
    return buffer(packer);
  };
  const packed =
    (body: Buffer): Handler =>
    async (exchange) => {
      exchange.head(200, { "content-type": "text/event-stream", "content-encoding": "zstd" });
      await exchange.send(body);
      exchange.end();
    };
  const pair = { caller: "openai", upstream: "openai" } as const;
  assert.equal((await ask(pair, packed(await wide(23)), "streamed")).text, "Готово");
  await assert.rejects(ask(pair, packed(await wide(24)), "streamed"), /502/);
  assert.equal((await lastReceipt("streamed")).chargedNano, 0n);
});

test("what says that it is packed and is not is an error, and costs nothing", async () => {
  const lying: Handler = async (exchange) => {
    exchange.head(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    await exchange.sendAll(answerOf("openai").events);
    exchange.end();
  };
  for (const way of EVERY)
    await assert.rejects(ask({ caller: "openai", upstream: "openai" }, lying, way), /502/, way);
  assert.equal((await lastReceipt("streamed")).chargedNano, 0n);
});
