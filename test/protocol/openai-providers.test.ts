/**
 * Guarantee: what the providers of the OpenAI protocol really send reaches callers of both
 * protocols whole, streamed, whole and assembled, and is charged as they count it
 * (hazards §4, §7, §21, §32, §33).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { askBySdk } from "../support/ask-by-sdk.ts";
import { openChatScene, type ChatScene } from "../support/chat-scene.ts";
import { CALLERS, pairsCatalogue } from "../support/protocol-pairs.ts";
import { checkRecording, type Recording } from "../support/provider-recording.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url) });
});
after(() => scene.close());

const HEAD = { id: "chatcmpl-1", created: 1_790_000_000, model: "recorded" };
const CHUNK = { ...HEAD, object: "chat.completion.chunk" };
const DONE = "data: [DONE]\n\n";
const TOKENS = { input: 17, output: 9 };

const usage = (more: object = {}) => ({
  prompt_tokens: 17,
  completion_tokens: 9,
  total_tokens: 26,
  ...more,
});
/**
 * One chunk of the only choice: `choice` and `more` are further members of the choice and of the
 * chunk.
 */
const piece = (
  delta: object,
  finish: string | null = null,
  more: object = {},
  choice: object = {},
) => ({
  ...CHUNK,
  choices: [{ index: 0, delta, finish_reason: finish, ...choice }],
  ...more,
});
const usageChunk = (more: object = {}) => ({ ...CHUNK, choices: [], usage: usage(more) });
const completion = (
  message: object,
  finish: string,
  reported: object = usage(),
  more: object = {},
) => ({
  ...HEAD,
  object: "chat.completion",
  choices: [
    { index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish },
  ],
  usage: reported,
  ...more,
});

const WEATHER = {
  id: "call_a",
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Москва"}' },
};
const TIME = { id: "call_b", type: "function", function: { name: "get_time", arguments: "{}" } };
const CALLS = [
  { id: "call_a", name: "get_weather", input: { city: "Москва" } },
  { id: "call_b", name: "get_time", input: {} },
];
const SIGNED = { extra_content: { google: { thought_signature: "c2lnbmF0dXJl" } } };
/**
 * A Messages caller keeps the first call's seal in its id: `c2lnbmF0dXJl`, in base64url once more.
 */
const SIGNED_IDS = ["call_a__seal_YzJsbmJtRjBkWEps", "call_b"];

/** MiniMax's usage until the end, where it is told. */
const NOT_YET = { usage: { total_tokens: 0, total_characters: 0 }, input_sensitive: false };

const RECORDINGS: readonly Recording[] = [
  {
    name: "Azure: filter results before, beside and after the text, and a filter that ends it",
    stream: [
      {
        id: "",
        object: "",
        created: 0,
        model: "",
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
      },
      piece(
        { role: "assistant", content: "", refusal: null },
        null,
        { usage: null, obfuscation: "x" },
        { content_filter_results: {} },
      ),
      piece({ content: "При" }, null, { usage: null }),
      piece({ content: "вет" }, null, { usage: null }),
      piece({}, "content_filter", { usage: null }),
      {
        ...CHUNK,
        choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 1 } }],
        usage: null,
      },
      usageChunk({ prompt_tokens_details: { cached_tokens: 0 } }),
      DONE,
    ],
    says: { text: "Привет", finish: "refusal" },
    tokens: TOKENS,
  },
  {
    name: "Kimi: usage inside the choice, cached tokens at its top",
    stream: [
      piece({ role: "assistant", content: "" }),
      piece({ reasoning_content: "думаю" }),
      piece({ content: "Привет" }),
      piece({}, "stop", {}, { usage: usage({ cached_tokens: 12 }) }),
      DONE,
    ],
    whole: completion(
      { content: "Привет", reasoning_content: "думаю" },
      "stop",
      usage({ cached_tokens: 12 }),
    ),
    says: { text: "Привет", thinking: "думаю", finish: "stop" },
    tokens: { input: 5, cached: 12, output: 9 },
  },
  {
    name: "Groq: usage in its own field, times among the counts",
    stream: [
      piece({ role: "assistant", content: "" }, null, { x_groq: { id: "req_1" } }),
      piece({ reasoning: "думаю", channel: "analysis" }),
      piece({ content: "Привет" }),
      piece({}, "stop", {
        x_groq: {
          id: "req_1",
          usage: usage({ queue_time: 0.061, prompt_time: 0.0002, total_time: 0.79 }),
        },
      }),
      DONE,
    ],
    says: { text: "Привет", thinking: "думаю", finish: "stop" },
    tokens: TOKENS,
  },
  {
    name: "Qwen: tokens written to a cache",
    stream: [
      piece({ role: "assistant", content: null, reasoning_content: "" }, null, { usage: null }),
      piece({ content: null, reasoning_content: "думаю" }, null, { usage: null }),
      piece({ content: "Привет", reasoning_content: null }, null, { usage: null }),
      piece({ content: "", reasoning_content: null }, "stop", { usage: null }),
      usageChunk({
        prompt_tokens_details: {
          cached_tokens: 4,
          cache_creation_input_tokens: 10,
          cache_type: "ephemeral",
        },
        completion_tokens_details: { reasoning_tokens: 4, text_tokens: 5 },
      }),
      DONE,
    ],
    says: { text: "Привет", thinking: "думаю", finish: "stop" },
    tokens: { input: 3, cached: 4, written: 10, output: 9 },
  },
  {
    name: "MiniMax: a usage of zero with every piece, the whole message once more at the end",
    stream: [
      piece(
        { role: "assistant", content: "", name: "MiniMax AI", audio_content: "" },
        null,
        NOT_YET,
      ),
      piece({ role: "", reasoning_content: "думаю" }, null, NOT_YET),
      piece({ content: "При" }, null, NOT_YET),
      piece({ content: "вет" }, "stop", NOT_YET),
      completion(
        { content: "Привет", reasoning_content: "думаю", name: "MiniMax AI" },
        "stop",
        usage({ total_characters: 0 }),
        {
          base_resp: { status_code: 0, status_msg: "" },
        },
      ),
      DONE,
    ],
    says: { text: "Привет", thinking: "думаю", finish: "stop" },
    tokens: TOKENS,
  },
  {
    name: "Mistral: thinking among the parts of the content, and a context that is full",
    stream: [
      piece({ role: "assistant", content: "" }, null, { p: "abc" }),
      piece({ content: [{ type: "thinking", thinking: [{ type: "text", text: "думаю" }] }] }),
      piece({ content: "Привет" }, "model_length", { usage: usage() }),
      DONE,
    ],
    says: { text: "Привет", thinking: "думаю", finish: "full" },
    tokens: TOKENS,
    unreadable: true,
  },
  ...[
    ["Zhipu: a filter in its own word", "sensitive", "refusal"] as const,
    ["GigaChat: a filter in its own word", "blacklist", "refusal"] as const,
    ["Gemini: a filter in its own word", "SAFETY", "refusal"] as const,
    ["Zhipu: a context that is full", "model_context_window_exceeded", "full"] as const,
  ].map(([name, ownFinish, finish]): Recording => ({
    name,
    stream: [piece({ role: "assistant", content: "Привет" }, ownFinish, { usage: usage() }), DONE],
    whole: completion({ content: "Привет" }, ownFinish),
    says: { text: "Привет", finish },
    ownFinish,
    tokens: TOKENS,
  })),
  {
    name: "xAI: reasoning beside the completion",
    whole: completion(
      { content: "Привет", reasoning_content: "думаю", refusal: null },
      "stop",
      usage({
        total_tokens: 126,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 100 },
      }),
    ),
    says: { text: "Привет", thinking: "думаю", finish: "stop" },
    tokens: { input: 13, cached: 4, output: 109 },
  },
  {
    name: "Gemini: reasoning in the total alone, and usage with every piece",
    stream: [
      piece({ role: "assistant", content: "При" }, null, {
        usage: { prompt_tokens: 17, completion_tokens: 4, total_tokens: 121 },
      }),
      piece({ content: "вет" }, "stop", { usage: usage({ total_tokens: 126 }) }),
      DONE,
    ],
    whole: completion({ content: "Привет" }, "stop", usage({ total_tokens: 126 })),
    says: { text: "Привет", finish: "stop" },
    tokens: { input: 17, output: 109 },
  },
  {
    name: "Gemini: two calls in one piece, neither with an index",
    stream: [
      piece({ role: "assistant", tool_calls: [{ ...WEATHER, ...SIGNED }, TIME] }, "tool_calls", {
        usage: usage(),
      }),
      DONE,
    ],
    whole: completion({ tool_calls: [{ ...WEATHER, ...SIGNED }, TIME] }, "tool_calls"),
    carriedIds: SIGNED_IDS,
    says: { calls: CALLS, finish: "calls" },
    tokens: TOKENS,
  },
  {
    name: "Gemini: two calls one after the other, both with the index 0, under the reason stop",
    stream: [
      piece({ role: "assistant", tool_calls: [{ index: 0, ...WEATHER, ...SIGNED }] }),
      piece({ role: "assistant", tool_calls: [{ index: 0, ...TIME }] }, "stop", { usage: usage() }),
      DONE,
    ],
    carriedIds: SIGNED_IDS,
    says: { calls: CALLS, finish: "calls" },
    ownFinish: "stop",
    tokens: TOKENS,
  },
  {
    name: "OpenRouter: comments, reasoning under two names, usage and cost in a piece of the choice",
    stream: [
      ": OPENROUTER PROCESSING\n\n",
      piece({
        role: "assistant",
        content: "",
        reasoning: "думаю",
        reasoning_details: [{ type: "reasoning.text", text: "думаю", index: 0 }],
      }),
      ": OPENROUTER PROCESSING\n\n",
      piece({ role: "assistant", content: "Привет", reasoning: null, reasoning_details: [] }),
      piece({ role: "assistant", content: "" }, "stop", {}, { native_finish_reason: "STOP" }),
      piece({ role: "assistant", content: "" }, null, {
        usage: usage({
          cost: 0.0012,
          is_byok: false,
          prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
        }),
      }),
      DONE,
    ],
    says: { text: "Привет", thinking: "думаю", finish: "stop" },
    tokens: { input: 13, cached: 4, output: 9 },
  },
  {
    name: "Perplexity: all of the message so far beside every piece, and usage so far",
    stream: [
      ...(["При", "вет", ""] as const).map((content, at) => ({
        ...CHUNK,
        citations: ["https://example.com"],
        usage: {
          prompt_tokens: 17,
          completion_tokens: 3 * (at + 1),
          total_tokens: 20 + 3 * at,
          cost: { total_cost: 0.005 },
        },
        choices: [
          {
            index: 0,
            finish_reason: content === "" ? "stop" : null,
            message: { role: "assistant", content: at === 0 ? "При" : "Привет" },
            delta: { role: "assistant", content },
          },
        ],
      })),
      DONE,
    ],
    says: { text: "Привет", finish: "stop" },
    tokens: TOKENS,
  },
  {
    name: "SenseNova: text and a call after the finish reason",
    stream: [
      piece({ role: "assistant", content: "При" }, "stop"),
      piece({ content: "вет" }, "stop"),
      piece({ tool_calls: [{ index: 0, ...WEATHER }] }, "tool_calls"),
      usageChunk(),
      DONE,
    ],
    says: { text: "Привет", calls: CALLS.slice(0, 1), finish: "calls" },
    tokens: TOKENS,
  },
  {
    name: "GigaChat: the older form of a call, its arguments an object, and no id anywhere",
    whole: {
      ...completion(
        {
          content: "",
          function_call: { name: "get_time", arguments: {} },
          functions_state_id: "77d3",
        },
        "function_call",
      ),
      id: undefined,
    },
    says: { calls: [{ id: "call_0", name: "get_time", input: {} }], finish: "calls" },
    tokens: TOKENS,
    unreadable: true,
  },
  {
    name: "a stream behind a byte order mark, with CRLF, no blank after the colon, no [DONE]",
    stream: [
      `\u{FEFF}data:${JSON.stringify(piece({ role: "assistant", content: "При" }, null, { created: 1_790_000_000.25 }))}\r\n\r\n`,
      `data:${JSON.stringify(piece({ content: "вет" }, "stop", { usage: usage() }))}\r\n\r\n`,
    ],
    says: { text: "Привет", finish: "stop" },
    tokens: TOKENS,
  },
  {
    name: "a provider that keeps connections alive by events without data, and by those of the other protocol",
    stream: [
      "data:\n\n",
      piece({ role: "assistant", content: "При" }),
      "event: ping\n\n",
      'event: ping\ndata: {"type":"ping"}\n\n',
      piece({ content: "вет" }, "stop", { usage: usage() }),
      "data: \n\n",
      DONE,
    ],
    says: { text: "Привет", finish: "stop" },
    tokens: TOKENS,
  },
  {
    name: "a provider that streams whatever it is asked",
    stream: [
      ": connected\n\n",
      piece({ role: "assistant", content: "" }),
      piece({ content: "Привет" }),
      piece({ tool_calls: [{ index: 0, ...WEATHER }] }),
      piece({}, "tool_calls", { usage: usage() }),
      DONE,
    ],
    alwaysStreams: true,
    says: { text: "Привет", calls: CALLS.slice(0, 1), finish: "calls" },
    tokens: TOKENS,
  },
  {
    name: "a stream with something after its [DONE]",
    stream: [
      piece({ role: "assistant", content: "Привет" }, "stop", { usage: usage() }),
      DONE,
      'data: {"id":"x"}\n\n',
      "<html>",
    ],
    says: { text: "Привет", finish: "stop" },
    tokens: TOKENS,
  },
];

for (const recording of RECORDINGS)
  test(recording.name, () => checkRecording(scene, "openai", recording));

const WELL: Recording = {
  name: "an answer that is well",
  whole: completion({ content: "Привет" }, "stop"),
  says: { text: "Привет", finish: "stop" },
  tokens: TOKENS,
};

/** What comes after a first piece of text, and is no end of an answer. */
const FAILURES = {
  "Zhipu's finish reason for a failure, and [DONE]": [
    piece({}, "network_error"),
    usageChunk(),
    DONE,
  ],
  "DeepSeek's finish reason for a failure, and [DONE]": [
    piece({}, "insufficient_system_resource", { usage: usage() }),
    DONE,
  ],
  "OpenRouter's error beside a choice": [
    { ...piece({ content: "" }, "error"), error: { code: 502, message: "gone" } },
  ],
  "words in place of a chunk, and [DONE]": [{ code: 500, msg: "gone", success: false }, DONE],
  "FastAPI's words in place of a chunk, and [DONE]": [{ detail: "gone" }, DONE],
  "llama.cpp's field of its own": ['error: {"code":500,"message":"gone"}\n\n'],
  "a proxy's words in place of an event": ["upstream error: read ECONNRESET\n"],
};

for (const [name, rest] of Object.entries(FAILURES)) {
  test(`${name}: an error in the caller's protocol, never a whole answer`, async () => {
    for (const caller of CALLERS) {
      const customer = await scene.customer();
      const { user } = scene.play(async (exchange) => {
        await exchange.sendAll(
          [piece({ role: "assistant", content: "При" }), ...rest].map((event) =>
            typeof event === "string" ? event : sseEvent(event),
          ),
        );
        exchange.end();
      });
      const question = {
        url: scene.gateway.url,
        secret: customer.secret,
        model: "over-openai",
        user,
        stream: true,
      };
      await assert.rejects(
        askBySdk(caller, question),
        caller === "anthropic" ? Anthropic.APIError : OpenAI.APIError,
        caller,
      );
      const [receipt] = await scene.receipts(customer.accountId, 1);
      // Whether the first piece was sent on before the rest came is the network's affair.
      assert.ok(
        receipt?.state === "interrupted" || receipt?.state === "failed",
        `${caller}: ${receipt?.state}`,
      );
      // An answer that is well, so that the route is not given up for its failures.
      await checkRecording(scene, "openai", WELL);
    }
  });
}

test("a refusal that came compressed though we did not ask for that reaches the caller in its words", async () => {
  const { user } = scene.play(async (exchange) => {
    exchange.head(400, { "content-type": "application/json", "content-encoding": "gzip" });
    await exchange.send(gzipSync(JSON.stringify({ error: { message: "bad" } })));
    exchange.end();
  });
  const { secret } = await scene.customer();
  const question = { url: scene.gateway.url, secret, model: "over-openai", user, stream: false };
  await assert.rejects(askBySdk("openai", question), { status: 400, message: "400 bad" });
});

test("Mistral: a provider that refuses to be asked for the usage of a stream is not asked again, and tells it all the same", async () => {
  for (const caller of CALLERS) {
    const customer = await scene.customer();
    const play = scene.play(async (exchange) => {
      const { stream_options: options } = exchange.request.json() as { stream_options?: unknown };
      if (options === undefined || options === null) {
        await exchange.sendAll([
          sseEvent(piece({ role: "assistant", content: "Привет" }, "stop", { usage: usage() })),
          DONE,
        ]);
        return exchange.end();
      }
      const detail = [
        {
          type: "extra_forbidden",
          loc: ["body", "stream_options", "include_usage"],
          msg: "Extra inputs are not permitted",
        },
      ];
      return exchange.json(422, {
        object: "error",
        message: { detail },
        type: "invalid_request_error",
        param: null,
        code: null,
      });
    });
    const question = {
      url: scene.gateway.url,
      secret: customer.secret,
      model: "drained-openai",
      user: play.user,
      stream: true,
    };
    const heard = await askBySdk(caller, question);
    assert.deepEqual(
      [heard.text, play.requests.length],
      ["Привет", caller === CALLERS[0] ? 2 : 1],
      `${caller}: asked twice by the first`,
    );
    const [receipt] = await scene.receipts(customer.accountId, 1);
    assert.deepEqual(
      [receipt?.state, receipt?.detail["usageSource"]],
      ["completed", "upstream"],
      caller,
    );
  }
});

test("a refusal that only repeats a caller's words does not keep the usage from anybody", async () => {
  const { secret, accountId } = await scene.customer();
  const play = scene.play((exchange) =>
    exchange.json(400, { error: { message: "Invalid schema for function 'include_usage'" } }),
  );
  const question = { url: scene.gateway.url, secret, model: "over-openai", stream: true };
  await assert.rejects(askBySdk("openai", { ...question, user: play.user }), { status: 400 });
  assert.equal(play.requests.length, 2, "asked once without it, to no avail");
  const next = scene.play(async (exchange) => {
    const { stream_options: options } = exchange.request.json() as { stream_options?: unknown };
    assert.deepEqual(options, { include_usage: true });
    await exchange.sendAll([
      sseEvent(piece({ role: "assistant", content: "Привет" }, "stop", { usage: usage() })),
      DONE,
    ]);
    exchange.end();
  });
  await askBySdk("openai", { ...question, user: next.user });
  assert.equal((await scene.receipts(accountId, 2))[0]?.detail["usageSource"], "upstream");
});

test("the books agree after all of this", () => scene.verifyBooks());
