/**
 * Protects: with a collector configured every chat request is one trace that tells its calls and
 * its money, and nothing of what was said or by whom.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import type { TestDatabase } from "../support/database.ts";
import { testDatabase } from "../support/database.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { startGateway } from "../support/gateway-process.ts";
import { anthropicMessage } from "../support/anthropic-stream.ts";
import { newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { CALLER_PATHS } from "../support/protocol-pairs.ts";
import { responsesUsage, responsesWhole } from "../support/responses-stream.ts";
import type { Exchange, Handler, ScriptedUpstream } from "../support/scripted-upstream.ts";
import { startScriptedUpstream } from "../support/scripted-upstream.ts";
import type { CollectedSpan, TraceCollector } from "../support/trace-collector.ts";
import { startTraceCollector } from "../support/trace-collector.ts";
import { until } from "../support/until.ts";

/** None of these may be in an export. */
const PROMPT = "the-prompt-0451";
const ANSWER = "the-answer-0451";
const ACCOUNT_NAME = "the-account-0451";
const KEY_NAME = "the-key-0451";
const CREDENTIAL = "sk-operators-own-0451";
const COLLECTOR_TOKEN = "the-collectors-token-0451";

const CALLERS_SPAN = "00f067aa0ba902b7";
let traces = 0;

function callersTrace(): { traceId: string; traceparent: string } {
  traces += 1;
  const traceId = `4bf92f3577b34da6a3ce929d${String(traces).padStart(8, "0")}`;
  return { traceId, traceparent: `00-${traceId}-${CALLERS_SPAN}-01` };
}

function catalogueOf(upstream: string): string {
  const up = (path: string): string =>
    `{ protocol: openai, baseUrl: "${upstream}/${path}", apiKeyEnv: UPSTREAM_KEY }`;
  return `
families: { prefix: claude, large: { match: opus, model: other } }
upstreams:
  first: ${up("first")}
  second: ${up("second")}
  third: { protocol: anthropic, baseUrl: "${upstream}/third", apiKeyEnv: UPSTREAM_KEY }
  fourth: { protocol: responses, baseUrl: "${upstream}/fourth", apiKeyEnv: UPSTREAM_KEY }
models:
  another:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 20000
    maxOutputTokens: 1000
    price: { input: "150", cachedInput: "15", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" }
    routes: [ { upstream: fourth, model: model-of-fourth } ]
  other:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 20000
    maxOutputTokens: 1000
    price: { input: "150", cachedInput: "15", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" }
    routes: [ { upstream: third, model: model-of-third } ]
  standard:
    type: chat
    endpoints: [chat.completions, messages]
    contextTokens: 20000
    maxOutputTokens: 1000
    price: { input: "150", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" }
    routes:
      - { upstream: first, model: model-of-first, order: 1 }
      - { upstream: second, model: model-of-second, order: 2 }
`;
}

const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 40 },
};

let database: TestDatabase;
let upstream: ScriptedUpstream;
let collector: TraceCollector;
let gateway: Gateway;
let secret: string;
let script: (exchange: Exchange) => void | Promise<void>;

function play(first: Handler, second: Handler): void {
  script = (exchange) =>
    exchange.request.path.startsWith("/first/") ? first(exchange) : second(exchange);
}

const overloaded: Handler = (exchange) =>
  exchange.json(503, { error: { message: `cannot answer "${PROMPT}" now` } });

function start(env: Record<string, string>): Promise<Gateway> {
  return startGateway({
    databaseUrl: database.url,
    catalogue: catalogueOf(upstream.url),
    env: { UPSTREAM_KEY: CREDENTIAL, LOG_LEVEL: "info", ...env },
  });
}

function chat(
  body: Record<string, unknown>,
  headers: Record<string, string>,
  at: Gateway = gateway,
  path = "/v1/chat/completions",
): Promise<Response> {
  return fetch(`${at.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({
      model: "standard",
      messages: [{ role: "user", content: PROMPT }],
      ...body,
    }),
  });
}

function lastTraceparent(path: string): string | undefined {
  const found = upstream.requests.findLast((request) => request.path.startsWith(path));
  return found?.headers["traceparent"] as string | undefined;
}

function spanOf(traceparent: string | undefined): string {
  return traceparent?.split("-")[2] ?? "no traceparent";
}

before(async () => {
  database = await testDatabase();
  upstream = await startScriptedUpstream((exchange) => script(exchange));
  collector = await startTraceCollector();
  gateway = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_TOKEN}`,
    OTEL_SERVICE_NAME: "the-gateway",
  });
  const account = await createAccount(database.db, {
    name: ACCOUNT_NAME,
    email: null,
    operator: false,
  });
  assert.equal(account.kind, "created");
  const amountNano = parseRoubles("100");
  assert.ok(amountNano !== null);
  await topUp(database.db, { accountId: account.accountId, amountNano, reference: "test" });
  ({ secret } = await newKey(database.db, account.accountId, { name: KEY_NAME }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
  await collector.close();
  await database.drop();
});

test("a stream that took two upstreams is the caller's trace: a span of ours, one per call, and their headers lead to the upstreams", async () => {
  play(overloaded, async (exchange) => {
    await exchange.sendAll(
      openAiStream({ model: "model-2026-11", pieces: [ANSWER, " more"], usage: USAGE }),
    );
    exchange.end();
  });
  const { traceId, traceparent } = callersTrace();
  const answer = await chat({ stream: true }, { traceparent });
  assert.ok((await answer.text()).includes(ANSWER));

  const [server, first, second] = await collector.trace(traceId, 3);
  assert.ok(server && first && second);
  assert.deepEqual(
    [server.name, server.kind, server.parentSpanId, server.failed],
    ["POST /v1/chat/completions", "server", CALLERS_SPAN, false],
  );
  assert.deepEqual(
    [first.name, first.kind, first.parentSpanId, first.failed],
    ["chat model-of-first", "client", server.spanId, true],
  );
  assert.deepEqual(
    [second.name, second.kind, second.parentSpanId, second.failed],
    ["chat model-of-second", "client", server.spanId, false],
  );
  assert.equal(lastTraceparent("/first/"), `00-${traceId}-${first.spanId}-01`);
  assert.equal(lastTraceparent("/second/"), `00-${traceId}-${second.spanId}-01`);
  for (const span of [first, second])
    assert.ok(server.start <= span.start && span.start <= span.end && span.end <= server.end);
  assert.ok(first.end <= second.start);

  const requestId = answer.headers.get("x-request-id");
  assert.deepEqual(first.attributes, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "model-of-first",
    "tollgate.upstream": "first",
    "tollgate.request_id": requestId,
    "server.address": "127.0.0.1",
    "server.port": upstream.port,
    "http.response.status_code": 503,
    "error.type": "503",
  });
  assert.deepEqual(second.attributes, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "model-of-second",
    "tollgate.upstream": "second",
    "tollgate.request_id": requestId,
    "server.address": "127.0.0.1",
    "server.port": upstream.port,
    "http.response.status_code": 200,
    "gen_ai.response.model": "model-2026-11",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.cache_read.input_tokens": 40,
    "gen_ai.usage.cache_creation.input_tokens": 0,
    "gen_ai.usage.output_tokens": 20,
    "gen_ai.usage.reasoning.output_tokens": 0,
    "tollgate.state": "completed",
    // 100 × 150 + 20 × 600 roubles for a million tokens.
    "tollgate.charged_roubles": "0.027",
  });
  const [content] = second.events;
  assert.equal(content?.name, "tollgate.first_content");
  assert.ok(second.start <= content.at && content.at <= second.end);
  const { "tollgate.account_id": accountId, "tollgate.key": mask, ...rest } = server.attributes;
  assert.ok(typeof accountId === "string" && typeof mask === "string" && mask.length < 20);
  assert.deepEqual(rest, {
    "http.request.method": "POST",
    "http.route": "/v1/chat/completions",
    "url.path": "/v1/chat/completions",
    "http.response.status_code": 200,
    "tollgate.request_id": requestId,
    "tollgate.model": "standard",
    "tollgate.stream": true,
    "tollgate.state": "completed",
    "tollgate.charged_roubles": "0.027",
  });
  assert.equal(server.resource["service.name"], "the-gateway");
  assert.equal(collector.exports[0]?.headers.authorization, `Bearer ${COLLECTOR_TOKEN}`);
});

test("a whole answer is traced alike", async () => {
  play(
    (exchange) =>
      exchange.json(
        200,
        openAiCompletion({ model: "model-2026-11", pieces: [ANSWER], usage: USAGE }),
      ),
    overloaded,
  );
  const { traceId, traceparent } = callersTrace();
  const answer = await chat({ max_tokens: 50 }, { traceparent });
  assert.equal(answer.status, 200);
  const [, client] = await collector.trace(traceId, 2);
  assert.equal(client?.attributes["gen_ai.response.model"], "model-2026-11");
  assert.deepEqual(client.attributes["gen_ai.response.finish_reasons"], ["stop"]);
  assert.equal(client.attributes["gen_ai.usage.output_tokens"], 20);
  assert.equal(
    client.attributes["tollgate.charged_roubles"],
    answer.headers.get("x-tollgate-cost"),
  );
  assert.equal(client.events.length, 1);
});

test("all chat endpoints are traced alike over upstreams of every protocol: the route is the caller's, the provider is the upstream's protocol", async () => {
  const spent = {
    input_tokens: 50,
    cache_read_input_tokens: 40,
    cache_creation_input_tokens: 10,
    output_tokens: 20,
  };
  script = (exchange) => {
    const { path } = exchange.request;
    if (path.startsWith("/first/"))
      return exchange.json(
        200,
        openAiCompletion({ model: "model-2026-11", pieces: [ANSWER], usage: USAGE }),
      );
    if (path.startsWith("/fourth/")) {
      const items = [{ type: "message" as const, pieces: [ANSWER] }];
      const details = { input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 } };
      const usage = responsesUsage(100, 20, details);
      return exchange.json(200, responsesWhole({ model: "model-2027-01", items, usage }));
    }
    assert.equal(path, "/third/v1/messages");
    const answer = {
      model: "model-2026-12",
      blocks: [{ type: "text", pieces: [ANSWER] }],
      usage: spent,
    } as const;
    exchange.json(200, anthropicMessage(answer));
  };
  for (const route of Object.values(CALLER_PATHS)) {
    for (const [model, provider, requested, served, cacheWritten] of [
      ["standard", "openai", "model-of-first", "model-2026-11", 0],
      ["other", "anthropic", "model-of-third", "model-2026-12", 10],
      ["claude-opus-4-5", "anthropic", "model-of-third", "model-2026-12", 10],
      ["another", "openai", "model-of-fourth", "model-2027-01", 10],
    ] as const) {
      const { traceId, traceparent } = callersTrace();
      const body =
        route === CALLER_PATHS.responses
          ? { input: PROMPT, messages: undefined }
          : { max_tokens: 50 };
      const answer = await chat({ model, ...body }, { traceparent }, gateway, route);
      assert.equal(answer.status, 200, await answer.text());
      const [server, client] = await collector.trace(traceId, 2);
      assert.deepEqual([server?.name, server?.attributes["http.route"]], [`POST ${route}`, route]);
      assert.deepEqual(
        [server?.attributes["tollgate.model"], server?.attributes["tollgate.model_requested"]],
        model === "claude-opus-4-5" ? ["other", model] : [model, undefined],
      );
      const named = (name: string): unknown => client?.attributes[`gen_ai.${name}`];
      assert.deepEqual(
        [
          client?.name,
          named("operation.name"),
          named("provider.name"),
          named("request.model"),
          named("response.model"),
        ],
        [`chat ${requested}`, "chat", provider, requested, served],
      );
      assert.deepEqual(
        [
          named("usage.input_tokens"),
          named("usage.cache_read.input_tokens"),
          named("usage.cache_creation.input_tokens"),
        ],
        [100, 40, cacheWritten],
      );
      assert.equal(named("usage.output_tokens"), 20);
    }
  }
});

test("a stream that breaks off is a failed call in a failed request, and says what was charged for it", async () => {
  play(async (exchange) => {
    await exchange.send(
      openAiStream({ pieces: [ANSWER], finishReason: null, done: false }).join(""),
    );
    exchange.destroy();
  }, overloaded);
  const { traceId, traceparent } = callersTrace();
  await chat({ stream: true }, { traceparent })
    .then((answer) => answer.text())
    .catch(() => "broken off, as it should be");
  const [server, client] = await collector.trace(traceId, 2);
  for (const span of [server, client]) {
    assert.equal(span?.failed, true);
    assert.equal(span.attributes["error.type"], "interrupted");
    assert.equal(span.attributes["tollgate.state"], "interrupted");
    assert.match(String(span.attributes["tollgate.charged_roubles"]), /^0\.0/);
  }
});

test("when no upstream can answer, the request's span has failed with the fault that the caller was told", async () => {
  play(overloaded, overloaded);
  const { traceId, traceparent } = callersTrace();
  assert.equal((await chat({}, { traceparent })).status, 502);
  const [server, ...clients] = await collector.trace(traceId, 3);
  assert.deepEqual(
    [
      server?.failed,
      server?.attributes["error.type"],
      server?.attributes["http.response.status_code"],
    ],
    [true, "upstream_error", 502],
  );
  assert.deepEqual(
    clients.map((span) => span.attributes["http.response.status_code"]),
    [503, 503],
  );
});

test("a refusal is a span too, without a call and without failure: it is the caller's mistake", async () => {
  const wrongKey = callersTrace();
  const wrongModel = callersTrace();
  assert.equal(
    (await chat({}, { traceparent: wrongKey.traceparent, authorization: "Bearer sk-wrong" }))
      .status,
    401,
  );
  assert.equal(
    (await chat({ model: PROMPT }, { traceparent: wrongModel.traceparent })).status,
    404,
  );
  const stranger = (await collector.trace(wrongKey.traceId, 1))[0];
  assert.deepEqual(
    [
      stranger?.failed,
      stranger?.attributes["error.type"],
      stranger?.attributes["tollgate.account_id"],
    ],
    [false, "invalid_api_key", undefined],
  );
  const known = (await collector.trace(wrongModel.traceId, 1))[0];
  assert.deepEqual(
    [
      known?.failed,
      known?.attributes["error.type"],
      known?.attributes["http.response.status_code"],
    ],
    [false, "model_not_found", 404],
  );
  assert.ok(typeof known?.attributes["tollgate.account_id"] === "string");
});

test("a malformed traceparent, or none, begins a new trace", async () => {
  play(
    (exchange) => exchange.json(200, openAiCompletion({ pieces: [ANSWER], usage: USAGE })),
    overloaded,
  );
  for (const headers of [{ traceparent: `00-${"0".repeat(32)}-${CALLERS_SPAN}-01` }, {}]) {
    const answer = await chat({}, headers);
    assert.equal(answer.status, 200);
    const requestId = answer.headers.get("x-request-id");
    const mine = (): CollectedSpan[] =>
      collector.spans.filter((span) => span.attributes["tollgate.request_id"] === requestId);
    await until("the trace", () => Promise.resolve(mine().length === 2));
    const server = mine().find((span) => span.kind === "server");
    assert.equal(server?.parentSpanId, "");
    assert.match(server.traceId, /[1-9a-f]/);
    assert.equal(
      spanOf(lastTraceparent("/first/")),
      mine().find((span) => span.kind === "client")?.spanId,
    );
  }
});

test("a collector that is not there disturbs no request and no stop, and is told once", async () => {
  play(
    (exchange) => exchange.json(200, openAiCompletion({ pieces: [ANSWER], usage: USAGE })),
    overloaded,
  );
  const lonely = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  assert.equal((await chat({}, {}, lonely)).status, 200);
  const about = (line: { readonly msg?: unknown }): boolean =>
    String(line.msg).startsWith("spans could not be delivered to OTEL_EXPORTER_OTLP_ENDPOINT");
  await lonely.logged(about);
  assert.equal((await chat({}, {}, lonely)).status, 200);
  await lonely.stop();
  assert.equal(lonely.log().filter(about).length, 1);
});

test("what is still to be exported when the gateway stops is exported", async () => {
  play(
    (exchange) => exchange.json(200, openAiCompletion({ pieces: [ANSWER], usage: USAGE })),
    overloaded,
  );
  const brief = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const { traceId, traceparent } = callersTrace();
  assert.equal((await chat({}, { traceparent }, brief)).status, 200);
  await brief.stop();
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  assert.equal(spans.length, 2);
  assert.equal(spans[0]?.resource["service.name"], "tollgate");
});

test("without a collector no trace header reaches an upstream, not even the caller's", async () => {
  play(
    (exchange) => exchange.json(200, openAiCompletion({ pieces: [ANSWER], usage: USAGE })),
    overloaded,
  );
  await using quiet = await start({});
  assert.equal((await chat({}, { traceparent: callersTrace().traceparent }, quiet)).status, 200);
  assert.equal(lastTraceparent("/first/"), undefined);
});

test("nothing that was said, no secret and no name is in any export", () => {
  const exported = collector.exports.map(({ body }) => body).join("\n");
  assert.ok(collector.spans.length > 10);
  for (const forbidden of [
    PROMPT,
    ANSWER,
    ACCOUNT_NAME,
    KEY_NAME,
    CREDENTIAL,
    COLLECTOR_TOKEN,
    secret,
  ]) {
    assert.ok(!exported.includes(forbidden), `${forbidden} was exported`);
  }
});
