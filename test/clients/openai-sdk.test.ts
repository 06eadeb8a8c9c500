/**
 * Guarantee: the official `openai` SDK works against the gateway as against OpenAI, and every
 * refusal reaches it as the error class it should be.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import type { ClientOptions } from "openai";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import { nano } from "../../src/kernel/money.ts";
import { newKeySecret } from "../../src/kernel/secrets.ts";
import {
  openChatScene,
  standardPrice,
  UPSTREAM_CREDENTIAL,
  type ChatCustomer,
  type ChatScene,
  type Play,
} from "../support/chat-scene.ts";
import { openAiCompletion, openAiStream, type OpenAiAnswer } from "../support/openai-stream.ts";
import type { Handler } from "../support/scripted-upstream.ts";
import { sseEvent } from "../support/sse-event.ts";

let scene: ChatScene;
let rich: ChatCustomer;
before(async () => {
  scene = await openChatScene();
  rich = await scene.customer();
});
after(() => scene.close());

const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 30,
  total_tokens: 50,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 18 },
};
const COST = standardPrice({ input: 15, cached: 5, output: 30 });
const PIECES = ["При", "вет", ", мир ", "👋🏽"];
const MESSAGES = [{ role: "user", content: "Поздоровайся" }] as const;

interface Sdk {
  readonly client: OpenAI;
  /** How many HTTP requests the SDK has sent, its own retries included. */
  sent(): number;
}

/** The SDK with its defaults, retries included, where the test does not say otherwise. */
function sdk(apiKey: string, options: ClientOptions = {}): Sdk {
  let count = 0;
  const client = new OpenAI({
    apiKey,
    baseURL: `${scene.gateway.url}/v1`,
    fetch: (url, init) => {
      count++;
      return fetch(url, init);
    },
    ...options,
  });
  return { client, sent: () => count };
}

const whole =
  (answer: OpenAiAnswer): Handler =>
  (exchange) =>
    exchange.json(200, openAiCompletion(answer));

const streamed =
  (answer: OpenAiAnswer): Handler =>
  async (exchange) => {
    await exchange.sendAll(openAiStream(answer));
    exchange.end();
  };

/** The error that a call ends with; fails when there is none. */
async function errorOf(call: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof OpenAI.APIError, String(error));
    assert.match(error.requestID ?? "", /^req_/, "every refusal carries a request id");
    return error;
  }
  assert.fail("the call succeeded");
}

function ask(client: OpenAI, play: Play, more: object = {}) {
  return client.chat.completions.create({
    model: "standard",
    messages: [...MESSAGES],
    user: play.user,
    ...more,
  });
}

test("create: the upstream's answer, its price in a header, its receipt behind the request id", async () => {
  const customer = await scene.customer();
  const play = scene.play(whole({ pieces: PIECES, usage: USAGE }));
  const {
    data,
    response,
    request_id: requestId,
  } = await ask(sdk(customer.secret).client, play).withResponse();
  assert.equal(data.choices[0]?.message.content, PIECES.join(""));
  assert.deepEqual(data.usage, USAGE);
  assert.equal(response.headers.get("x-tollgate-cost"), "0.020325");
  assert.equal(COST, 20_325_000n);
  const receipt = await scene.receipt(requestId ?? "");
  assert.deepEqual(
    [receipt.state, receipt.chargedNano, receipt.detail["usageSource"]],
    ["completed", COST, "upstream"],
  );
  assert.equal((await scene.money(customer.accountId)).charged, COST);
});

for (const asked of [true, false]) {
  test(`stream, usage chunk ${asked ? "asked for: it comes" : "not asked for: it does not come"}; charged by the upstream's usage, hidden reasoning included`, async () => {
    const customer = await scene.customer();
    const play = scene.play(streamed({ pieces: PIECES, usage: USAGE }));
    const { data: stream, response } = await sdk(customer.secret)
      .client.chat.completions.create({
        model: "standard",
        messages: [...MESSAGES],
        user: play.user,
        stream: true,
        ...(asked ? { stream_options: { include_usage: true } } : {}),
      })
      .withResponse();
    const chunks = await Array.fromAsync(stream);
    assert.equal(
      chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""),
      PIECES.join(""),
    );
    assert.equal(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === "stop").length, 1);
    const usages = chunks.flatMap((chunk) =>
      chunk.usage === undefined || chunk.usage === null ? [] : [chunk.usage],
    );
    assert.deepEqual(usages, asked ? [USAGE] : []);
    const sentUp = (await play.asked).json() as { stream_options: object };
    assert.deepEqual(sentUp.stream_options, { include_usage: true });
    const receipt = await scene.receipt(response.headers.get("x-request-id") ?? "");
    assert.deepEqual([receipt.state, receipt.chargedNano], ["completed", COST]);
  });
}

test("leaving a stream's loop ends the upstream's work, and what was delivered is charged", async () => {
  const customer = await scene.customer();
  const play = scene.play(async (exchange) => {
    await exchange.sendAll(openAiStream({ pieces: PIECES, finishReason: null, done: false }));
    await exchange.hang();
  });
  const { data: stream, response } = await sdk(customer.secret)
    .client.chat.completions.create({
      model: "standard",
      messages: [...MESSAGES],
      user: play.user,
      stream: true,
    })
    .withResponse();
  let text = "";
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    if (text === PIECES.join("")) break;
  }
  await (
    await play.asked
  ).aborted;
  const receipt = await scene.receipt(response.headers.get("x-request-id") ?? "");
  assert.equal(receipt.state, "client_gone");
  assert.ok(receipt.chargedNano > 0n);
});

test("tools: the SDK's own tool runner goes the whole round, streamed", async () => {
  const play = scene.play([
    streamed({
      toolCalls: [
        { id: "call_1", name: "weather", arguments: ['{"city":', '"Москва"}'] },
        { id: "call_2", name: "weather", arguments: ['{"city":', '"Казань"}'] },
      ],
      usage: USAGE,
    }),
    streamed({ pieces: ["В Москве снег, ", "в Казани солнце."], usage: USAGE }),
  ]);
  const cities: string[] = [];
  const runner = sdk(rich.secret).client.chat.completions.runTools({
    model: "standard",
    messages: [{ role: "user", content: "Погода?" }],
    user: play.user,
    stream: true,
    tools: [
      {
        type: "function",
        function: {
          name: "weather",
          description: "The weather",
          parameters: { type: "object", properties: { city: { type: "string" } } },
          parse: JSON.parse,
          function: ({ city }: { city: string }) => {
            cities.push(city);
            return city === "Москва" ? "снег" : "солнце";
          },
        },
      },
    ],
  });
  assert.equal(await runner.finalContent(), "В Москве снег, в Казани солнце.");
  assert.deepEqual(cities, ["Москва", "Казань"]);
  const second = play.requests[1]?.json() as {
    messages: { role: string; content: unknown; tool_call_id?: string }[];
  };
  assert.deepEqual(
    second.messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id, content }) => [id, content]),
    [
      ["call_1", "снег"],
      ["call_2", "солнце"],
    ],
  );
});

test("structured output: the schema reaches the upstream as it is, the answer is parsed by the SDK", async () => {
  const schema = {
    type: "object",
    properties: { ok: { type: "boolean" } },
    required: ["ok"],
    additionalProperties: false,
  };
  const format = {
    type: "json_schema" as const,
    json_schema: { name: "answer", strict: true, schema },
  };
  const play = scene.play(whole({ pieces: ['{"ok":true}'], usage: USAGE }));
  const completion = await sdk(rich.secret).client.chat.completions.parse({
    model: "standard",
    messages: [...MESSAGES],
    user: play.user,
    response_format: format,
  });
  assert.equal(completion.choices[0]?.message.content, '{"ok":true}');
  assert.deepEqual(
    ((await play.asked).json() as { response_format: unknown }).response_format,
    format,
  );
});

const NEVER: Handler = () => assert.fail("the upstream was called");

interface Refusal {
  readonly kind: (typeof OpenAI)[
    | "AuthenticationError"
    | "APIError"
    | "PermissionDeniedError"
    | "NotFoundError"
    | "BadRequestError"];
  readonly status: number;
  readonly type: string;
  readonly code: string;
}

/**
 * A refusal before any upstream: right class, status, type and code, sent once by an SDK that would
 * retry, nothing charged.
 */
async function refused(
  customer: { readonly secret: string },
  more: object,
  expected: Refusal,
): Promise<InstanceType<typeof OpenAI.APIError>> {
  for (const stream of [false, true]) {
    const play = scene.play(NEVER);
    const { client, sent } = sdk(customer.secret);
    const error = await errorOf(ask(client, play, { stream, ...more }));
    assert.ok(error instanceof expected.kind, error.constructor.name);
    assert.deepEqual(
      [error.status, error.type, error.code],
      [expected.status, expected.type, expected.code],
    );
    assert.equal(sent(), 1, "not retried");
    assert.equal(play.requests.length, 0);
    if (stream) return error;
  }
  return assert.fail();
}

const INVALID_KEY: Refusal = {
  kind: OpenAI.AuthenticationError,
  status: 401,
  type: "invalid_request_error",
  code: "invalid_api_key",
};

test("a key of another service, an unknown key and a mistyped one are 401 errors that say what is wrong", async () => {
  assert.match(
    (await refused({ secret: "sk-proj-abcdefghijklmnop" }, {}, INVALID_KEY)).message,
    /another service/,
  );
  const typo = `${rich.secret.slice(0, 20)}${rich.secret[20] === "x" ? "y" : "x"}${rich.secret.slice(21)}`;
  assert.match(
    (await refused({ secret: newKeySecret() }, {}, INVALID_KEY)).message,
    /no such API key/,
  );
  const error = await refused({ secret: typo }, {}, INVALID_KEY);
  assert.match(error.message, /mistyped/);
  assert.ok(!error.message.includes(typo.slice(8)), "a key is never repeated");
});

test("a deleted key is a 401 error, at once", async () => {
  const customer = await scene.customer();
  const play = scene.play(whole({ pieces: PIECES, usage: USAGE }));
  await ask(sdk(customer.secret).client, play);
  await deleteKey(scene.db, { hash: customer.key.hash });
  await refused(customer, {}, INVALID_KEY);
});

test("an empty balance is a 402 error that is not retried, and the upstream never hears of it", async () => {
  const error = await refused(
    await scene.customer({ roubles: "0" }),
    {},
    {
      kind: OpenAI.APIError,
      status: 402,
      type: "insufficient_quota",
      code: "insufficient_balance",
    },
  );
  assert.match(error.message, /needs 0\.\d+ RUB, 0 RUB is available.*Top the balance up/);
});

test("a key whose own limit is used up is a 402 error, whatever the balance is", async () => {
  const customer = await scene.customer({
    key: { limit: { amountNano: nano(1000n), period: "day" } },
  });
  await refused(
    customer,
    {},
    { kind: OpenAI.APIError, status: 402, type: "insufficient_quota", code: "key_limit_exceeded" },
  );
});

test("an unknown model is a 404 error that names it", async () => {
  const expected = {
    kind: OpenAI.NotFoundError,
    status: 404,
    type: "invalid_request_error",
    code: "model_not_found",
  };
  const error = await refused(rich, { model: "gpt-99" }, expected);
  assert.match(error.message, /"gpt-99"/);
  assert.equal(error.param, "model");
});

test("a model that the key may not call is a 403 error", async () => {
  const customer = await scene.customer({ key: { models: ["drained"] } });
  await refused(
    customer,
    {},
    {
      kind: OpenAI.PermissionDeniedError,
      status: 403,
      type: "permission_error",
      code: "permission_denied",
    },
  );
});

test("a body that is not valid is a 400 error that names the field", async () => {
  const expected = {
    kind: OpenAI.BadRequestError,
    status: 400,
    type: "invalid_request_error",
    code: "invalid_request",
  };
  const error = await refused(rich, { messages: [{ role: "user", content: 1 }] }, expected);
  assert.equal(error.param, "messages[0].content");
});

test("a body above 32 MB is a 413 error", async () => {
  const messages = [{ role: "user", content: "x".repeat(32 * 1024 * 1024) }];
  const { client, sent } = sdk(rich.secret);
  const error = await errorOf(ask(client, scene.play(NEVER), { messages }));
  assert.deepEqual(
    [error.status, error.type, error.code],
    [413, "invalid_request_error", "request_too_large"],
  );
  assert.equal(sent(), 1);
});

test("a refusal reaches a client that is still sending its body", async () => {
  const messages = [{ role: "user", content: "x".repeat(8 * 1024 * 1024) }];
  for (let round = 0; round < 5; round++)
    await refused({ secret: "sk-proj-abcdefghijklmnop" }, { messages }, INVALID_KEY);
});

/**
 * What a failing upstream becomes, streamed or not. Nothing is charged, and nothing of the
 * operator's is shown.
 */
async function failed(
  handler: Handler,
  expected: readonly [status: number, type: string, code: string],
  model = "standard",
) {
  const customer = await scene.customer();
  let last: InstanceType<typeof OpenAI.APIError> | null = null;
  for (const stream of [false, true]) {
    last = await errorOf(
      ask(sdk(customer.secret, { maxRetries: 0 }).client, scene.play(handler), { stream, model }),
    );
    assert.deepEqual([last.status, last.type, last.code], expected);
    const shown = JSON.stringify([last.message, last.error, [...(last.headers ?? [])]]);
    assert.ok(!shown.includes(UPSTREAM_CREDENTIAL) && !shown.includes(scene.upstream.url), shown);
    const receipt = await scene.receipt(last.requestID ?? "");
    assert.deepEqual(
      [receipt.state, receipt.chargedNano, receipt.detail["usageSource"]],
      ["failed", 0n, "none"],
    );
  }
  assert.deepEqual(await scene.money(customer.accountId), {
    charged: 0n,
    held: 0n,
    available: 100_000_000_000n,
  });
  assert.ok(last !== null);
  return last;
}

const errorBody = (message: string, more: object = {}): object => ({
  error: { message, type: "some_error", param: null, code: null, ...more },
});

test("an upstream's 400 is the caller's 400, with the upstream's words and field", async () => {
  const message = "Unsupported value: 'temperature' does not support 5 with this model.";
  const error = await failed(
    (exchange) =>
      exchange.json(
        400,
        errorBody(message, { type: "invalid_request_error", param: "temperature" }),
      ),
    [400, "invalid_request_error", "invalid_request"],
  );
  assert.ok(error.message.includes(message));
  assert.equal(error.param, "temperature");
});

for (const status of [401, 402, 403, 404]) {
  test(`an upstream's ${status} is the operator's trouble: a 502 error without the upstream's words`, async () => {
    const words = `Incorrect API key provided: ${UPSTREAM_CREDENTIAL}, organisation org-operator, credit exhausted`;
    const error = await failed(
      (exchange) => exchange.json(status, errorBody(words)),
      [502, "api_error", "upstream_error"],
    );
    assert.doesNotMatch(error.message, /Incorrect|org-operator|credit/);
  });
}

for (const status of [429, 500, 503]) {
  test(`an upstream's ${status} is a 502 error with the upstream's retry-after`, async () => {
    const error = await failed(
      (exchange) =>
        exchange.json(status, errorBody(`overloaded at ${scene.upstream.url}`), {
          "retry-after": "7",
        }),
      [502, "api_error", "upstream_error"],
    );
    assert.equal(error.headers?.get("retry-after"), "7");
    assert.equal(error.headers?.get("x-should-retry"), null);
  });
}

test("an upstream that is silent is a 504 error", async () => {
  await failed((exchange) => exchange.hang(), [504, "api_error", "upstream_timeout"], "impatient");
});

test("the SDK's own second try after a failure of the upstream succeeds, and only it is charged", async () => {
  const customer = await scene.customer();
  const play = scene.play([
    (exchange) => exchange.json(500, errorBody("oops"), { "retry-after": "0" }),
    whole({ pieces: PIECES, usage: USAGE }),
  ]);
  const { client, sent } = sdk(customer.secret);
  await ask(client, play);
  assert.equal(sent(), 2);
  const receipts = await scene.receipts(customer.accountId, 2);
  assert.deepEqual(
    receipts.map(({ state, chargedNano }) => [state, chargedNano]),
    [
      ["completed", COST],
      ["failed", 0n],
    ],
  );
});

test("a stream that begins with an error is an HTTP error; one that fails later throws in the middle of the loop", async () => {
  const play = scene.play([
    async (exchange) => {
      await exchange.send(
        sseEvent(errorBody("The engine is overloaded", { code: "server_overloaded" })),
      );
      exchange.end();
    },
    async (exchange) => {
      await exchange.sendAll(openAiStream({ pieces: PIECES, finishReason: null, done: false }));
      await exchange.send(sseEvent(errorBody("The engine stopped")));
      exchange.end();
    },
  ]);
  const { client } = sdk(rich.secret, { maxRetries: 0 });
  const early = await errorOf(ask(client, play, { stream: true }));
  assert.equal(early.status, 502);
  const stream = await client.chat.completions.create({
    model: "standard",
    messages: [...MESSAGES],
    user: play.user,
    stream: true,
  });
  let text = "";
  await assert.rejects(async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  }, OpenAI.APIError);
  assert.equal(text, PIECES.join(""));
});

test("the books agree after all of this", () => scene.verifyBooks());
