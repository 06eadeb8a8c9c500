/**
 * Guarantee: a caller learns why its answer failed, before its first word and after it, in every
 * pair of protocols, and nothing of the operator's: no credential, whatever its form, no upstream's
 * name of the model (contract §4, §5).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anthropicStream } from "../support/anthropic-stream.ts";
import { openChatScene, type ChatCustomer, type ChatScene } from "../support/chat-scene.ts";
import { openAiStream } from "../support/openai-stream.ts";
import {
  askPair,
  pairName,
  pairsCatalogue,
  PAIRS,
  type Caller,
  type Pair,
  type Protocol,
} from "../support/protocol-pairs.ts";
import { responsesStream } from "../support/responses-stream.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

/** No pattern of a make knows it. */
const CREDENTIAL = "correct-horse-battery-staple";

let scene: ChatScene;
/** Whole answers are passed on to the one, and put together from a stream for the other. */
let rich: ChatCustomer;
let poor: ChatCustomer;
before(async () => {
  scene = await openChatScene({
    catalogue: (url) => pairsCatalogue(url),
    env: { UPSTREAM_KEY: CREDENTIAL },
  });
  rich = await scene.customer({ roubles: "1000000" });
  poor = await scene.customer({ roubles: "20" });
});
after(() => scene.close());

interface Reported {
  readonly error: {
    readonly message: string;
    readonly type?: string;
    readonly code?: unknown;
    readonly status?: unknown;
  };
  /**
   * What the caller's error is called: type and code of Chat Completions, type of Messages, code of
   * a response that failed in its stream. An answer that was put together fails by HTTP, at Responses
   * as at Chat Completions.
   */
  readonly class: Readonly<Record<Caller, readonly string[]>>;
  /** The HTTP status of an answer that was put together. */
  readonly status: number;
}

const CAUSES: readonly Reported[] = [
  {
    error: { message: "Token limit reached" },
    class: {
      openai: ["api_error", "upstream_error"],
      anthropic: ["api_error"],
      responses: ["server_error"],
    },
    status: 502,
  },
  {
    error: {
      message: "The output was filtered",
      type: "invalid_request_error",
      code: "content_filter",
    },
    class: {
      openai: ["invalid_request_error", "content_filter"],
      anthropic: ["invalid_request_error"],
      responses: ["invalid_prompt"],
    },
    status: 400,
  },
  {
    error: { message: "Overloaded", type: "overloaded_error" },
    class: {
      openai: ["overloaded_error", "overloaded"],
      anthropic: ["overloaded_error"],
      responses: ["server_error"],
    },
    status: 503,
  },
];

/** A stream of the upstream's protocol: its beginning, then an error in its own form. */
function breaking(protocol: Protocol, error: object): Handler {
  const openai = openAiStream({ pieces: ["Нача", "ло"], finishReason: null, done: false });
  const anthropic = anthropicStream({
    blocks: [{ type: "text", pieces: ["Нача", "ло"] }],
    startUsage: { input_tokens: 3 },
    stopReason: null,
    stop: false,
  });
  const responses = responsesStream({
    items: [{ type: "message", pieces: ["Нача", "ло"] }],
    end: false,
  });
  return async (exchange) => {
    await exchange.sendAll({ openai, anthropic, responses }[protocol]);
    await exchange.send(
      protocol === "openai" ? sseEvent({ error }) : sseEvent({ type: "error", error }, "error"),
    );
    exchange.end();
  };
}

interface ErrorBody {
  readonly error: {
    readonly type: string;
    readonly code?: string;
    readonly message: string;
    readonly failed_generation?: string;
  };
}

function classOf({ error }: ErrorBody, caller: Caller): readonly string[] {
  const { type, code = "" } = error;
  return { openai: [type, code], anthropic: [type], responses: [code] }[caller];
}

/** Of the last event of a stream that broke off. */
function lastError(stream: Buffer): ErrorBody {
  const [, data = "{}"] = /data: (\{[^\n]*\})\n\n$/.exec(stream.toString()) ?? [];
  const { response, ...event } = JSON.parse(data) as ErrorBody & { readonly response?: ErrorBody };
  return response ?? event;
}

/** An error by HTTP is the same at the endpoints of OpenAI. */
function httpFamily(caller: Caller): Exclude<Caller, "responses"> {
  return caller === "responses" ? "openai" : caller;
}

function ask(pair: Pair, handler: Handler, stream: boolean, customer = rich) {
  const { user } = scene.play(handler);
  return askPair(scene, customer.secret, pair, { content: "Ну?", user, stream }).answer;
}

/**
 * The operator finds why an answer broke off on its receipt and in its log line; of attempts the
 * customer sees no words.
 */
async function insistNoted(requestId: string, cause: string): Promise<void> {
  const { detail, state } = await scene.receipt(requestId);
  const [attempt] = detail["attempts"] as { outcome: string; reason: string }[];
  assert.deepEqual([state, attempt?.outcome], ["interrupted", "served"]);
  assert.match(attempt?.reason ?? "", new RegExp(`(?:^|: )${cause}$`));
  const line = await scene.gateway.logged(
    (one) => one["requestId"] === requestId && one["state"] === "interrupted",
  );
  assert.equal(line["brokenOff"], attempt?.reason);
  const shown = await fetch(`${scene.gateway.url}/v1/requests/${requestId}`, {
    headers: { "x-api-key": rich.secret },
  });
  assert.ok(!(await shown.text()).includes(cause));
}

/** Behind a response that failed for good its connection ends in order; any other end is a broken one. */
const breaksBehind = (caller: Caller, codes: readonly string[]): boolean =>
  caller !== "responses" || codes.includes("server_error");

for (const pair of PAIRS) {
  test(`${pairName(pair)}: an error in a stream is told with its cause and its class, streamed and put together`, async () => {
    for (const { error, class: expected, status } of CAUSES) {
      const streamed = await ask(pair, breaking(pair.upstream, error), true);
      assert.deepEqual(
        [streamed.status, streamed.broken],
        [200, breaksBehind(pair.caller, expected[pair.caller])],
      );
      const last = lastError(streamed.body);
      assert.deepEqual(
        [classOf(last, pair.caller), last.error.message],
        [expected[pair.caller], error.message],
      );
      await insistNoted(streamed.requestId, error.message);
      const assembled = await ask(pair, breaking(pair.upstream, error), false, poor);
      const body = JSON.parse(assembled.body.toString()) as ErrorBody;
      const family = httpFamily(pair.caller);
      const shown = family === "anthropic" && status === 503 ? 529 : status;
      assert.deepEqual(
        [assembled.status, classOf(body, family), body.error.message],
        [shown, expected[family], error.message],
      );
    }
  });

  test(`${pairName(pair)}: a refusal keeps its plain code and type, and the call that could not be read`, async () => {
    const error = {
      message: "Failed to call a function. See 'failed_generation'.",
      type: "invalid_request_error",
      code: "tool_use_failed",
      failed_generation: '<function=get_weather{"city": "Мос',
    };
    for (const stream of [true, false]) {
      const answer = await ask(
        pair,
        (exchange) =>
          exchange.json(400, pair.upstream === "anthropic" ? { type: "error", error } : { error }),
        stream,
      );
      const { error: shown } = JSON.parse(answer.body.toString()) as ErrorBody;
      assert.deepEqual(
        [answer.status, shown.type, shown.code, shown.message, shown.failed_generation],
        [400, error.type, error.code, error.message, error.failed_generation],
      );
    }
  });

  test(`${pairName(pair)}: no words carry the credential in any form, or the upstream's name of the model: in answers, streams and receipts`, async () => {
    const message = `echo-large refuses ${CREDENTIAL}, ${encodeURIComponent(CREDENTIAL)}, ${Buffer.from(CREDENTIAL).toString("base64")}`;
    const error = { message, type: "invalid_request_error", code: null };
    const whole: Handler = (exchange) =>
      exchange.json(400, pair.upstream === "anthropic" ? { type: "error", error } : { error });
    const page: Handler = async (exchange) => {
      exchange.head(500, { "content-type": "text/plain" });
      await exchange.send(message);
      exchange.end();
    };
    for (const handler of [whole, page, breaking(pair.upstream, error)]) {
      for (const [stream, customer] of [
        [true, rich],
        [false, rich],
        [false, poor],
      ] as const) {
        const answer = await ask(pair, handler, stream, customer);
        const { detail } = await scene.receipt(answer.requestId);
        const reported = `${answer.body.toString()} ${JSON.stringify(detail["attempts"]).replaceAll('"model":"echo-large"', "")}`;
        for (const word of [CREDENTIAL, "Y29ycmVjd", "echo-large"])
          assert.ok(!reported.includes(word), `${word}: ${reported}`);
        if (answer.status === 400)
          assert.match(
            answer.body.toString(),
            new RegExp(`over-${pair.upstream} refuses \\[removed\\]`),
          );
      }
    }
    assert.ok(!scene.gateway.output().includes(CREDENTIAL));
  });
}
