/**
 * The Messages endpoint beside its hot path: counting over HTTP, and what clients probe there
 * (contract §5; hazards §137 and §138).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { AnthropicErrorBody } from "../../contract/error-bodies.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { MessageTokens } from "../../contract/message.ts";

let endpoint: HttpEndpoint;
let accountId: string;
let secret: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  accountId = await newAccount(endpoint.db);
  ({ secret } = await newKey(endpoint.db, accountId));
});
after(() => endpoint.close());

const COUNT = "/v1/messages/count_tokens";
const anthropicMistakes = createMistakeFinder(AnthropicErrorBody);

test("every listed model of the endpoint is counted, family ids too, whatever stands behind the path", async () => {
  const list = await endpoint.get("/v1/models", { "x-api-key": secret });
  const served = list
    .json<{ data: { id: string; endpoints: string[] }[] }>()
    .data.filter(({ endpoints }) => endpoints.includes("messages"));
  assert.ok(served.length > 0);
  for (const model of [
    ...served.map(({ id }) => id),
    "claude-opus-4-5",
    "claude-3-opus-20240229",
  ]) {
    for (const path of [COUNT, `${COUNT}?beta=true`, `${COUNT}/`]) {
      const body = { model, messages: [{ role: "user", content: "Hello, world" }] };
      const answer = await endpoint.post(path, body, {
        authorization: `Bearer ${secret}`,
        "anthropic-version": "2023-06-01",
      });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(createMistakeFinder(MessageTokens)(answer.json()), []);
      assert.ok(answer.json<{ input_tokens: number }>().input_tokens >= 3);
    }
  }
});

test("the official SDK counts, also through its beta, with tools, images, thinking and a system prompt", async () => {
  const client = new Anthropic({ baseURL: endpoint.url, apiKey: secret, maxRetries: 0 });
  const tools = [
    {
      name: "weather",
      description: "The weather of a city",
      input_schema: { type: "object" as const },
    },
  ];
  const plain = {
    model: "claude-opus-4-5",
    messages: [{ role: "user" as const, content: "Погода?" }],
  };
  const small = await client.messages.countTokens(plain);
  const large = await client.messages.countTokens({
    ...plain,
    system: "Be brief.",
    tools,
    thinking: { type: "enabled", budget_tokens: 1024 },
  });
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: "iVBORw0KGgo=" },
  };
  const seen = await client.messages.countTokens({
    ...plain,
    messages: [{ role: "user", content: [image, { type: "text", text: "Погода?" }] }],
  });
  const beta = await client.beta.messages.countTokens({
    ...plain,
    betas: ["token-counting-2024-11-01"],
  });
  assert.ok(large.input_tokens > small.input_tokens && seen.input_tokens > small.input_tokens);
  assert.equal(beta.input_tokens, small.input_tokens);
});

test("counting costs nothing, needs money neither, and is refused in the protocol's own shape", async () => {
  const penniless = await newKey(endpoint.db, await newAccount(endpoint.db, "0.000000001"));
  const body = { model: "sandbox-large", messages: [{ role: "user", content: "Hello" }] };
  assert.equal((await endpoint.post(COUNT, body, { "x-api-key": penniless.secret })).status, 200);
  assert.equal(
    (await endpoint.get("/v1/balance", { "x-api-key": penniless.secret })).json<{
      held: string;
      balance: string;
    }>().held,
    "0",
  );
  const cases: readonly (readonly [status: number, type: string, body: object, key: string])[] = [
    [401, "authentication_error", body, "tg_live_nonsense"],
    [404, "not_found_error", { ...body, model: "nothing" }, secret],
    [400, "invalid_request_error", { ...body, model: "vendor/model:free" }, secret],
    [400, "invalid_request_error", { ...body, messages: "Hello" }, secret],
  ];
  for (const [status, type, sent, key] of cases) {
    const answer = await endpoint.post(COUNT, sent, { "x-api-key": key });
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(anthropicMistakes(answer.json()), []);
    assert.equal(answer.json<{ error: { type: string } }>().error.type, type);
  }
});

test("a wrong method and a wrong path are told in the protocol's own shape, OPTIONS without CORS headers", async () => {
  for (const [method, path, status] of [
    ["GET", "/v1/messages", 405],
    ["PUT", "/v1/messages/", 405],
    ["DELETE", `${COUNT}?beta=true`, 405],
    ["GET", COUNT, 405],
    ["POST", "/v1/messages/nothing", 404],
    ["GET", "/v1/messages/nothing", 404],
  ] as const) {
    const response = await fetch(`${endpoint.url}${path}`, {
      method,
      headers: { "x-api-key": secret },
    });
    const body: unknown = await response.json();
    assert.deepEqual([response.status, anthropicMistakes(body)], [status, []], `${method} ${path}`);
    assert.equal(response.headers.get("allow"), status === 405 ? "POST, OPTIONS" : null);
    assert.equal(response.headers.get("x-should-retry"), "false");
  }
  for (const path of ["/v1/messages", "/v1/messages?beta=true", COUNT]) {
    const options = await fetch(`${endpoint.url}${path}`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    assert.deepEqual(
      [
        options.status,
        options.headers.get("allow"),
        options.headers.get("access-control-allow-origin"),
      ],
      [204, "POST, OPTIONS", null],
    );
  }
});

test("the hot path is reached with every spelling that clients use", async () => {
  for (const path of [
    "/v1/messages",
    "/v1/messages?beta=true",
    "/v1/messages/",
    "/v1/messages/?beta=true",
  ]) {
    const answer = await endpoint.post(path, {}, { "x-api-key": secret });
    assert.deepEqual([answer.status, answer.text], [200, "the chat route"], path);
  }
});
