/**
 * `POST /v1/quote/…` over HTTP: true to its schema, in the family of the endpoint that is quoted,
 * free, and no endpoint to anything else.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { AnthropicErrorBody, OpenAiErrorBody } from "../../contract/error-bodies.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { ChatQuote } from "../../contract/quote.ts";

let endpoint: HttpEndpoint;
let accountId: string;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  accountId = await newAccount(endpoint.db, "100");
  ({ secret } = await newKey(endpoint.db, accountId));
});
after(() => endpoint.close());

const CHAT = "/v1/quote/chat/completions";
const MESSAGES = "/v1/quote/messages";
const TURNS = [{ role: "user", content: "Hello" }];

interface Quote {
  readonly model: string;
  readonly modelRequested: string;
  readonly endpoint: string;
  readonly maxOutputTokens: number;
  readonly hold: { readonly minimum: string; readonly first: string; readonly maximum: string };
  readonly estimate: string;
  readonly droppedTools: readonly string[];
  readonly available: string;
  readonly admitted: boolean;
  readonly refusal: { readonly code: string } | null;
}

async function quote(path: string, body: object, key = secret): Promise<Quote> {
  const answer = await endpoint.post(path, body, { "x-api-key": key });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.deepEqual(createMistakeFinder(ChatQuote)(answer.json()), []);
  return answer.json<Quote>();
}

test("every endpoint is quoted with the body that the request would have, and nothing is taken or held", async () => {
  const chat = await quote(CHAT, { model: "sandbox-large", messages: TURNS, max_tokens: 1000 });
  assert.deepEqual(
    [chat.endpoint, chat.maxOutputTokens, chat.admitted, chat.refusal],
    ["chat.completions", 1000, true, null],
  );
  assert.equal(chat.hold.first, chat.hold.maximum, "a short whole answer is held whole");
  const message = await quote(`${MESSAGES}/?beta=true`, {
    model: "sandbox-large",
    messages: TURNS,
    max_tokens: 32_000,
    stream: true,
  });
  assert.deepEqual(
    [message.endpoint, message.maxOutputTokens, message.available],
    ["messages", 32_000, "100"],
  );
  assert.notEqual(message.hold.first, message.hold.maximum);
  const response = await quote("/v1/quote/responses", {
    model: "sandbox-large",
    input: "Hello",
    max_output_tokens: 1000,
    tools: [{ type: "web_search" }],
  });
  assert.deepEqual(
    [response.endpoint, response.estimate, response.hold.maximum, response.droppedTools],
    ["responses", chat.estimate, response.hold.first, ["web_search"]],
  );
  const balance = await endpoint.get("/v1/balance", { "x-api-key": secret });
  assert.deepEqual(balance.json(), {
    balance: "100",
    held: "0",
    available: "100",
    currency: "RUB",
  });
  assert.deepEqual(
    (await endpoint.get("/v1/requests", { "x-api-key": secret })).json<{ data: unknown[] }>().data,
    [],
  );
});

test("a family id is quoted as the model behind it", async () => {
  const { model, modelRequested } = await quote(MESSAGES, {
    model: "claude-opus-4-5",
    messages: TURNS,
    max_tokens: 10,
  });
  assert.deepEqual([model, modelRequested], ["sandbox-large", "claude-opus-4-5"]);
});

test("where the money is missing the quote is an answer, and says what the refusal would", async () => {
  const poor = await newKey(endpoint.db, await newAccount(endpoint.db, "0.01"));
  const { admitted, refusal, available } = await quote(
    CHAT,
    { model: "sandbox-large", messages: TURNS },
    poor.secret,
  );
  assert.deepEqual([admitted, refusal?.code, available], [false, "insufficient_balance", "0.01"]);
});

test("a body of megabytes is quoted, as the request would be served", async () => {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(3_000_000)}` } },
  ];
  assert.equal(
    (await quote(CHAT, { model: "sandbox-large", messages: [{ role: "user", content }] })).admitted,
    true,
  );
});

test("what the request would be refused for is refused in the family of its endpoint", async () => {
  const openAi = createMistakeFinder(OpenAiErrorBody);
  const anthropic = createMistakeFinder(AnthropicErrorBody);
  const narrow = await newKey(endpoint.db, accountId, { models: ["seedance-2"] });
  const cases: readonly (readonly [status: number, body: unknown, key: string])[] = [
    [401, { model: "sandbox-large", messages: TURNS, max_tokens: 1 }, "tg_live_nonsense"],
    [400, { model: "sandbox-large", messages: [], max_tokens: 1 }, secret],
    [400, "{", secret],
    [404, { model: "nothing", messages: TURNS, max_tokens: 1 }, secret],
    [400, { model: "seedance-2", messages: TURNS, max_tokens: 1 }, secret],
    [403, { model: "sandbox-large", messages: TURNS, max_tokens: 1 }, narrow.secret],
  ];
  for (const [status, body, key] of cases) {
    for (const [path, mistakesOf] of [
      [CHAT, openAi],
      [MESSAGES, anthropic],
    ] as const) {
      const answer = await endpoint.post(path, body, { "x-api-key": key });
      assert.equal(answer.status, status, `${path} ${answer.text}`);
      assert.deepEqual(mistakesOf(answer.json()), []);
    }
  }
});

test("other methods hear that only POST is taken", async () => {
  const wrong = await endpoint.get(MESSAGES, { "x-api-key": secret });
  assert.deepEqual(
    [wrong.status, wrong.headers.get("allow"), wrong.json<{ type: string }>().type],
    [405, "POST, OPTIONS", "error"],
  );
});
