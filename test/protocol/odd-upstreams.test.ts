/**
 * Guarantee: whatever an upstream of any protocol answers, the official SDK of every caller
 * gets a right answer or raises a right error, never hangs and never takes nothing for an answer
 * (hazards §6, §32 to §34, §36, §37).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { askBySdk, FINISH_WORDS, type Heard } from "../support/ask-by-sdk.ts";
import {
  openChatScene,
  standardPrice,
  UPSTREAM_CREDENTIAL,
  type ChatCustomer,
  type ChatScene,
} from "../support/chat-scene.ts";
import { openAiChunk, openAiCompletion } from "../support/openai-stream.ts";
import { telling, pairAnswer, type ReportedAnswer } from "../support/pair-answers.ts";
import {
  pairName,
  PAIRS,
  pairsCatalogue,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

/** So many models stand behind each upstream, that no route is ever given up for its failures. */
const COPIES = 24;

let scene: ChatScene;
let rich: ChatCustomer;
before(async () => {
  scene = await openChatScene({ catalogue: (url) => pairsCatalogue(url, { copies: COPIES }) });
  rich = await scene.customer({ roubles: "1000000" });
});
after(() => scene.close());

/** Asks by the official SDK of the caller's protocol. */
function ask({ caller, upstream }: Pair, user: string, stream: boolean, copy = 0): Promise<Heard> {
  const model = `over-${upstream}-${copy % COPIES}`;
  return askBySdk(caller, { url: scene.gateway.url, secret: rich.secret, model, user, stream });
}

const WORDS = `Your prompt is odd, says the holder of ${UPSTREAM_CREDENTIAL}`;

/** What comes in place of an answer, by the protocol of the upstream. */
const BODIES: Readonly<Record<string, (protocol: Protocol, status: number) => string>> = {
  json: (protocol, status) => JSON.stringify(errorOf(protocol, status)),
  sse: (protocol, status) => String(sseEvent(errorOf(protocol, status), ERROR_NAMES[protocol])),
  html: () => "<!doctype html><html><body><h1>Bad gateway</h1></body></html>",
  empty: () => "",
};

/** Under status 200 the error's type alone says whose fault it is; here it is the upstream's. */
function errorOf(protocol: Protocol, status: number): object {
  const type = status === 400 ? "invalid_request_error" : "api_error";
  const error = { message: WORDS, type, param: null, code: null };
  return protocol === "anthropic" ? { type: "error", error, request_id: "req_1" } : { error };
}

/** The name of an error's event. */
const ERROR_NAMES: Readonly<Record<Protocol, string | undefined>> = {
  openai: undefined,
  anthropic: "error",
  responses: "error",
};

/** By OpenAI's code, its words being any; the Messages protocol has words alone. */
const CODED = {
  error: {
    message: "250000 tokens are many.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  },
};
const TOO_LONG: Readonly<Record<Protocol, object>> = {
  openai: CODED,
  responses: CODED,
  anthropic: {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "prompt is too long: 250000 tokens > 200000 maximum",
    },
    request_id: "req_1",
  },
};

const TYPES: Readonly<Record<string, { readonly right: string; readonly wrong: string }>> = {
  json: { right: "application/json", wrong: "text/event-stream" },
  sse: { right: "text/event-stream", wrong: "application/json" },
  html: { right: "text/html", wrong: "application/json" },
  empty: { right: "application/json", wrong: "text/event-stream" },
};

for (const pair of PAIRS) {
  test(`${pairName(pair)}: no body under any status and content type is an answer, and each is the right error`, async () => {
    const cells = Object.keys(BODIES).flatMap((name) =>
      [200, 400, 500].flatMap((status) =>
        (["right", "wrong"] as const).flatMap((fit) =>
          [true, false].map((stream) => ({ name, status, fit, stream })),
        ),
      ),
    );
    await Promise.all(
      cells.map(async ({ name, status, fit, stream }, at) => {
        const cell = `${name} with the ${fit} content type under status ${status}, stream: ${stream}`;
        const body = BODIES[name]?.(pair.upstream, status) ?? "";
        const { user } = scene.play(async (exchange) => {
          exchange.head(status, { "content-type": TYPES[name]?.[fit] ?? "" });
          if (body !== "") await exchange.send(body);
          exchange.end();
        });
        const error = await raised(ask(pair, user, stream, at), cell);
        assert.equal(error.status, status === 400 ? 400 : 502, cell);
        assert.doesNotMatch(error.message, /<|no body/, `${cell}: ${error.message}`);
        assert.ok(!error.message.includes(UPSTREAM_CREDENTIAL), cell);
        const reported = status === 400 && (name === "json" || name === "sse");
        assert.equal(
          error.message.includes("Your prompt is odd"),
          reported,
          `${cell}: ${error.message}`,
        );
        const receipt = await scene.receipt(error.requestID ?? "");
        assert.deepEqual([receipt.state, receipt.chargedNano], ["failed", 0n], cell);
      }),
    );
  });
}

async function raised(
  call: Promise<unknown>,
  cell: string,
): Promise<InstanceType<typeof OpenAI.APIError | typeof Anthropic.APIError>> {
  try {
    await call;
  } catch (error) {
    assert.ok(
      error instanceof OpenAI.APIError || error instanceof Anthropic.APIError,
      `${cell}: ${String(error)}`,
    );
    return error;
  }
  assert.fail(`${cell}: taken for an answer`);
}

const USAGE = { prompt_tokens: 17, completion_tokens: 9, total_tokens: 26 };
const TOKENS = { input: 17, output: 9 };
const HOLLOW: Readonly<Record<Protocol, object>> = {
  openai: { object: "chat.completion", choices: [], usage: USAGE },
  anthropic: { type: "message", role: "assistant" },
  responses: { object: "response", status: "completed" },
};
const ENDS: Readonly<Record<Protocol, Buffer>> = {
  openai: sseEvent("[DONE]"),
  anthropic: sseEvent({ type: "message_stop" }, "message_stop"),
  responses: sseEvent("[DONE]"),
};
const COST = standardPrice({ input: 17, output: 9 });

const CALLS = [
  { id: "one", name: "get_weather", input: { city: "Москва 🌨️", note: 'a "quoted" \\ one' } },
  { id: "two", name: "get_time", input: {} },
  { id: "three", name: "get_weather", input: { city: "Казань", days: [1, 2, { deep: null }] } },
];
/** The JSON text of the arguments in three pieces, cut in the midst of words. */
function piecesOf(input: unknown): string[] {
  const json = JSON.stringify(input);
  const third = Math.ceil(json.length / 3);
  return [json.slice(0, third), json.slice(third, 2 * third), json.slice(2 * third)].filter(
    (piece) => piece !== "",
  );
}

for (const pair of PAIRS) {
  const toolFinish = FINISH_WORDS.calls[pair.caller];
  const stopFinish = FINISH_WORDS.stop[pair.caller];

  test(`${pairName(pair)}: thinking, then text, then three calls at once, each with its own arguments (hazards §33, §34)`, async () => {
    const script = telling(pair.upstream, {
      thinking: ["Ду", "маю"],
      pieces: ["Смот", "рю 👀"],
      calls: CALLS.map(({ id, name, input }) => ({ id, name, pieces: piecesOf(input) })),
      tokens: TOKENS,
    });
    for (const stream of [true, false]) {
      const heard = await ask(pair, scene.play(script).user, stream);
      assert.deepEqual(
        heard,
        { text: "Смотрю 👀", thinking: "Думаю", calls: CALLS, finish: toolFinish },
        `stream: ${stream}`,
      );
    }
  });

  test(`${pairName(pair)}: a call without any arguments is a call with none`, async () => {
    // Where both speak the same, it comes as it is told, and OpenAI's SDKs want a JSON text.
    const passed = pair.caller === pair.upstream && pair.caller !== "anthropic";
    const pieces = passed ? ["{}"] : [];
    const script = telling(pair.upstream, {
      calls: [{ id: "one", name: "get_time", pieces }],
      tokens: TOKENS,
    });
    for (const stream of [true, false]) {
      const { calls, finish } = await ask(pair, scene.play(script).user, stream);
      assert.deepEqual(
        [calls, finish],
        [[{ id: "one", name: "get_time", input: {} }], toolFinish],
        `stream: ${stream}`,
      );
    }
  });

  if (pair.upstream === "openai") {
    test(`${pairName(pair)}: empty and null fields in deltas change nothing (hazards §32)`, async () => {
      const nothings = [
        { tool_calls: [] },
        { tool_calls: null },
        { content: "" },
        { content: null },
        { reasoning_content: null },
        {},
        { refusal: null },
      ];
      const deltas = [
        { role: "assistant", content: null, tool_calls: null },
        ...["При", "вет ", "👋🏽"].flatMap((content) => [
          ...nothings,
          { content, tool_calls: [] },
          { content: "", tool_calls: null },
        ]),
        ...nothings,
      ];
      const script: Handler = async (exchange) => {
        for (const delta of deltas)
          await exchange.send(openAiChunk({}, [{ index: 0, delta, finish_reason: null }]));
        await exchange.sendAll([
          openAiChunk({}, [{ index: 0, delta: {}, finish_reason: "stop" }]),
          openAiChunk({}, [], USAGE),
          sseEvent("[DONE]"),
        ]);
        exchange.end();
      };
      const heard = await ask(pair, scene.play(script).user, true);
      assert.deepEqual(heard, { text: "Привет 👋🏽", thinking: "", calls: [], finish: stopFinish });
    });

    test(`${pairName(pair)}: arguments that come as an object are the arguments, and they are paid (hazards §36)`, async () => {
      const customer = rich;
      const chargedBefore = (await scene.money(customer.accountId)).charged;
      const input = { city: "Москва" };
      const call = {
        id: "one",
        type: "function",
        function: { name: "get_weather", arguments: input },
      };
      const streamed: Handler = async (exchange) => {
        await exchange.sendAll([
          openAiChunk({}, [
            {
              index: 0,
              delta: { role: "assistant", tool_calls: [{ index: 0, ...call }] },
              finish_reason: null,
            },
          ]),
          openAiChunk({}, [{ index: 0, delta: {}, finish_reason: "tool_calls" }]),
          openAiChunk({}, [], USAGE),
          sseEvent("[DONE]"),
        ]);
        exchange.end();
      };
      const whole: Handler = (exchange) =>
        exchange.json(200, {
          ...openAiCompletion({ usage: USAGE }),
          choices: [
            {
              index: 0,
              message: { role: "assistant", content: null, tool_calls: [call] },
              finish_reason: "tool_calls",
            },
          ],
        });
      if (pair.caller !== pair.upstream) {
        const heard = await ask(pair, scene.play(streamed).user, true);
        assert.deepEqual(
          [heard.calls, heard.finish],
          [[{ id: "one", name: "get_weather", input }], toolFinish],
        );
      } else await ask(pair, scene.play(streamed).user, true).catch(() => undefined); // As it came: what the SDK makes of it is its own affair.
      const heard = await ask(pair, scene.play(whole).user, false);
      assert.deepEqual(
        [heard.calls, heard.finish],
        [[{ id: "one", name: "get_weather", input }], toolFinish],
      );
      const receipts = await scene.receipts(customer.accountId, 2);
      assert.deepEqual(
        receipts.slice(0, 2).map(({ state, chargedNano }) => [state, chargedNano]),
        [
          ["completed", COST],
          ["completed", COST],
        ],
      );
      assert.equal((await scene.money(customer.accountId)).charged - chargedBefore, 2n * COST);
    });
  }

  test(`${pairName(pair)}: an error under status 200 that blames the request is a 400, in a stream and whole`, async () => {
    for (const stream of [true, false]) {
      const blame = errorOf(pair.upstream, 400);
      const { user } = scene.play(async (exchange) => {
        if (!stream) return exchange.json(200, blame);
        await exchange.send(sseEvent(blame, ERROR_NAMES[pair.upstream]));
        exchange.end();
      });
      const error = await raised(ask(pair, user, stream), `stream: ${stream}`);
      assert.equal(error.status, 400);
      assert.match(error.message, /Your prompt is odd/);
    }
  });

  test(`${pairName(pair)}: a conversation that is too long is told by the code that agents shorten it for`, async () => {
    for (const stream of [true, false]) {
      const { user } = scene.play((exchange) => exchange.json(400, TOO_LONG[pair.upstream]));
      const error = await raised(ask(pair, user, stream), `too long, stream: ${stream}`);
      assert.equal(error.status, 400);
      assert.match(error.message, /250000 tokens/, "in the upstream's words");
      if (error instanceof OpenAI.APIError)
        assert.deepEqual(
          [error.type, error.code],
          ["invalid_request_error", "context_length_exceeded"],
        );
      else assert.equal(error.type, "invalid_request_error");
    }
  });

  test(`${pairName(pair)}: a whole answer under a wrong content type is a whole answer`, async () => {
    for (const type of ["text/plain", "application/octet-stream", "text/html"]) {
      const { user } = scene.play(async (exchange) => {
        exchange.head(200, { "content-type": type });
        await exchange.send(JSON.stringify(good(pair.upstream).whole));
        exchange.end();
      });
      const heard = await ask(pair, user, false);
      assert.deepEqual([heard.text, heard.finish], ["Всё хорошо 👍", stopFinish], type);
    }
  });

  test(`${pairName(pair)}: a whole answer with nothing in it is no answer`, async () => {
    const { user } = scene.play((exchange) => exchange.json(200, HOLLOW[pair.upstream]));
    assert.equal((await raised(ask(pair, user, false), "hollow")).status, 502);
  });

  test(`${pairName(pair)}: a stream that only ends is no answer`, async () => {
    const { user } = scene.play(async (exchange) => {
      await exchange.send(ENDS[pair.upstream]);
      exchange.end();
    });
    assert.equal((await raised(ask(pair, user, true), "only an end")).status, 502);
  });
}

function good(protocol: Protocol): ReportedAnswer {
  return pairAnswer(protocol, { pieces: ["Всё ", "хорошо 👍"], tokens: TOKENS });
}

test("the books agree after all of this", () => scene.verifyBooks());
