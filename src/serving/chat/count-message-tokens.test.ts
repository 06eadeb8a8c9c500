/**
 * Guards `count_tokens` (hazards §138): every listed model is counted, by its upstream's own word
 * or by ours, whatever the upstream does.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { keyRecord } from "../../../test/support/key-record.ts";
import {
  startScriptedUpstream,
  type Handler,
  type ScriptedUpstream,
} from "../../../test/support/scripted-upstream.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import type { FaultCode } from "../../kernel/faults.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { createOutgoing } from "../../net/outgoing.ts";
import { readCountTokensRequestInSlices } from "../../protocol/anthropic/read-messages-request.ts";
import { countTexts, countTokens } from "../../protocol/count-tokens.ts";
import { anthropicCountTokensRequest } from "../../upstreams/anthropic-messages.ts";
import { createMessageCounter } from "./count-message-tokens.ts";
import type { MessageCount } from "./count-message-tokens.ts";

const KEY = keyRecord();

const route = (upstream: string, order = 1): string =>
  `{ upstream: ${upstream}, model: name-there, order: ${order} }`;
const model = (routes: string, endpoints = "messages"): string =>
  `{ type: chat, endpoints: [${endpoints}], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "1", cacheWrite5m: "1", cacheWrite1h: "1", output: "2" }, routes: [ ${routes} ] }`;

interface Stage {
  readonly upstream: ScriptedUpstream;
  /** Lets so much time pass. */
  pass(ms: number): void;
  ask(
    body: object,
    more?: { key?: Partial<KeyRecord>; forward?: Record<string, string>; query?: string },
  ): Promise<MessageCount>;
}

async function stage(t: TestContext, script: Handler | readonly Handler[]): Promise<Stage> {
  const upstream = await startScriptedUpstream(script);
  const reading = parseCatalogue(
    `
families: { prefix: claude, large: { match: opus, model: native }, small: { match: haiku, model: foreign } }
upstreams:
  there: { protocol: anthropic, baseUrl: "${upstream.url}/base", apiKeyEnv: [UNSET, SET] }
  keyless: { protocol: anthropic, baseUrl: "${upstream.url}/keyless", apiKeyEnv: UNSET }
  other: { protocol: openai, baseUrl: "${upstream.url}", apiKeyEnv: SET }
models:
  native: ${model(`${route("other", 2)}, ${route("there")}`)}
  foreign: ${model(`${route("there", 2)}, ${route("other")}`)}
  spare: ${model(`${route("keyless")}, ${route("there", 2)}`)}
  plain: ${model(route("other"), "chat.completions")}
`,
    { SET: "upstream-secret" },
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  const { catalogue } = reading;
  const outgoing = createOutgoing();
  let nowMs = 0;
  const counter = createMessageCounter({
    catalogue: { current: () => ({ catalogue }) },
    outgoing,
    clock: { now: () => new Date(0), monotonicMs: () => nowMs },
    credential: (name) => (name === "SET" ? "upstream-secret" : undefined),
    readRequest: readCountTokensRequestInSlices,
    buildRequest: anthropicCountTokensRequest,
    countTexts,
  });
  t.after(async () => {
    await outgoing.close();
    await upstream.close();
  });
  return {
    upstream,
    pass: (ms) => void (nowMs += ms),
    ask: (body, { key = {}, forward = {}, query = "" } = {}) =>
      counter.count({
        key: { ...KEY, ...key },
        ip: "127.0.0.1",
        body: Buffer.from(JSON.stringify({ messages: [{ role: "user", content: TEXT }], ...body })),
        forward,
        query,
      }),
  };
}

const TEXT = "Сколько токенов в этом предложении?";
/** The text's own tokens; the format's few come to them. */
const TEXT_TOKENS = await countTokens(TEXT);

async function refused(asked: Promise<unknown>, code: FaultCode): Promise<void> {
  await assert.rejects(asked, (error) => error instanceof Fault && error.code === code, code);
}

function isOurs(count: MessageCount): void {
  assert.deepEqual(Object.keys(count), ["input_tokens"]);
  assert.ok(
    count.input_tokens >= TEXT_TOKENS && count.input_tokens <= TEXT_TOKENS + 20,
    String(count.input_tokens),
  );
}

test("an upstream of the protocol is asked with its own name of the model, and its whole answer passes", async (t) => {
  const { upstream, ask } = await stage(t, (exchange) =>
    exchange.json(200, { input_tokens: 77, context_management: { original_input_tokens: 99 } }),
  );
  const forward = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "context-management-2025-06-27,x",
  };
  const counted = await ask(
    { model: "native", unknown_field: [1.0] },
    { forward, query: "?beta=true" },
  );
  assert.deepEqual(counted, {
    input_tokens: 77,
    context_management: { original_input_tokens: 99 },
  });
  const [sent] = upstream.requests;
  assert.equal(sent?.path, "/base/v1/messages/count_tokens?beta=true");
  assert.deepEqual(sent.json(), {
    messages: [{ role: "user", content: TEXT }],
    model: "name-there",
    unknown_field: [1],
  });
  assert.equal(sent.headers["anthropic-beta"], forward["anthropic-beta"]);
  assert.equal(sent.headers["anthropic-version"], "2023-06-01");
  assert.equal(sent.headers["x-api-key"], "upstream-secret");
});

test("the route is the one that a message would take first: by order, past what has no credential", async (t) => {
  const { upstream, ask } = await stage(t, (exchange) => exchange.json(200, { input_tokens: 5 }));
  assert.equal((await ask({ model: "native" })).input_tokens, 5);
  assert.equal((await ask({ model: "spare" })).input_tokens, 5);
  assert.equal((await ask({ model: "claude-opus-4-5" })).input_tokens, 5);
  assert.deepEqual(
    upstream.requests.map(({ path }) => path.split("/")[1]),
    ["base", "base", "base"],
  );
  isOurs(await ask({ model: "foreign" }));
  isOurs(await ask({ model: "claude-haiku-4-5" }));
  assert.equal(upstream.requests.length, 3, "an upstream of another protocol is not asked");
});

const BROKEN: readonly (readonly [what: string, handler: Handler])[] = [
  [
    "has no such endpoint",
    (exchange) =>
      exchange.json(404, { type: "error", error: { type: "not_found_error", message: "no" } }),
  ],
  [
    "is overloaded",
    (exchange) =>
      exchange.json(529, { type: "error", error: { type: "overloaded_error", message: "no" } }),
  ],
  [
    "refuses our credential",
    (exchange) =>
      exchange.json(401, { type: "error", error: { type: "authentication_error", message: "no" } }),
  ],
  ["breaks off", (exchange) => exchange.reset()],
  [
    "answers no JSON",
    async (exchange) => {
      await exchange.send("<html>");
      exchange.end();
    },
  ],
  ["answers no number", (exchange) => exchange.json(200, { input_tokens: "12" })],
  ["answers no possible number", (exchange) => exchange.json(200, { input_tokens: -1 })],
  [
    "answers too much",
    (exchange) => exchange.json(200, { input_tokens: 12, padding: "x".repeat(70_000) }),
  ],
];

for (const [what, handler] of BROKEN) {
  test(`an upstream that ${what} is counted for, and not asked again for half a minute`, async (t) => {
    const { upstream, ask, pass } = await stage(t, [
      handler,
      (exchange) => exchange.json(200, { input_tokens: 7 }),
    ]);
    isOurs(await ask({ model: "native" }));
    pass(29_999);
    isOurs(await ask({ model: "native" }));
    assert.equal(upstream.requests.length, 1);
    pass(1);
    assert.equal((await ask({ model: "native" })).input_tokens, 7);
  });
}

test("an upstream that finds fault with a request is asked for the next one", async (t) => {
  const { ask } = await stage(t, [
    (exchange) =>
      exchange.json(400, {
        type: "error",
        error: { type: "invalid_request_error", message: "no" },
      }),
    (exchange) => exchange.json(200, { input_tokens: 7 }),
  ]);
  isOurs(await ask({ model: "native" }));
  assert.equal((await ask({ model: "native" })).input_tokens, 7);
});

test("an upstream that says nothing is given up after seconds", { timeout: 60_000 }, async (t) => {
  const { upstream, ask } = await stage(t, (exchange) => exchange.hang());
  isOurs(await ask({ model: "native" }));
  await upstream.idle();
});

test(
  "counts are free, so only so many of them are at an upstream at once",
  { timeout: 60_000 },
  async (t) => {
    const gate = Promise.withResolvers<void>();
    const { upstream, ask } = await stage(t, async (exchange) => {
      await gate.promise;
      exchange.json(200, { input_tokens: 7 });
    });
    const many = Array.from({ length: 32 }, () => ask({ model: "native" }));
    await upstream.request(31);
    isOurs(await ask({ model: "native" }));
    gate.resolve();
    assert.deepEqual(
      new Set((await Promise.all(many)).map(({ input_tokens: tokens }) => tokens)),
      new Set([7]),
    );
    assert.equal((await ask({ model: "native" })).input_tokens, 7);
  },
);

test("a message that would be refused is refused here: body, model, endpoint, key", async (t) => {
  const { upstream, ask } = await stage(t, []);
  await refused(ask({ model: "native", messages: "text" }), "invalid_request");
  await refused(ask({ model: "nothing" }), "model_not_found");
  await refused(ask({ model: "claude-sonnet-4-5" }), "model_not_found");
  await refused(ask({ model: "plain" }), "wrong_endpoint");
  await refused(ask({ model: "native" }, { key: { models: ["foreign"] } }), "permission_denied");
  isOurs(await ask({ model: "claude-haiku-4-5" }, { key: { models: ["foreign"] } }));
  isOurs(await ask({ model: "claude-haiku-4-5" }, { key: { models: ["claude-haiku-4-5"] } }));
  assert.equal(upstream.requests.length, 0);
});
