/**
 * Protects: with a collector configured it gets every figure and the log's lines of all routes, in
 * the protocol's form and OpenTelemetry's names, and nothing of what was said or by whom; one that
 * is away costs no request anything, and what it missed is counted.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newKey } from "../support/new-customer.ts";
import { openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import {
  startOtlpCollector,
  type CollectedPoint,
  type OtlpCollector,
} from "../support/otlp-collector.ts";
import {
  startScriptedUpstream,
  type Exchange,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";
import { until } from "../support/until.ts";

/** None of these may be in an export. */
const PROMPT = "the-prompt-0452";
const ANSWER = "the-answer-0452";
const ACCOUNT_NAME = "the-account-0452";
const KEY_NAME = "the-key-0452";
const CREDENTIAL = "sk-operators-own-0452";
const COLLECTOR_TOKEN = "the-collectors-token-0452";

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function catalogueOf(upstream: string): string {
  const up = (path: string): string =>
    `{ protocol: openai, baseUrl: "${upstream}/${path}", apiKeyEnv: UPSTREAM_KEY }`;
  return `
upstreams:
  first: ${up("first")}
  second: ${up("second")}
models:
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

let database: TestDatabase;
let upstream: ScriptedUpstream;
let collector: OtlpCollector;
let gateway: Gateway;
let secret: string;

/** The first quotes the prompt in its refusal, the second answers. */
async function answer(exchange: Exchange): Promise<void> {
  if (exchange.request.path.startsWith("/first/"))
    return exchange.json(503, { error: { message: `cannot answer "${PROMPT}" now` } });
  const { stream } = exchange.request.json() as { stream?: boolean };
  if (stream !== true)
    return exchange.json(200, openAiCompletion({ pieces: [ANSWER], usage: USAGE }));
  await exchange.sendAll(
    openAiStream({ model: "model-2026-11", pieces: [ANSWER, " more"], usage: USAGE }),
  );
  exchange.end();
}

function start(env: Record<string, string>): Promise<Gateway> {
  return startGateway({
    databaseUrl: database.url,
    catalogue: catalogueOf(upstream.url),
    env: { UPSTREAM_KEY: CREDENTIAL, LOG_LEVEL: "info", ...env },
  });
}

function chat(
  at: Gateway,
  body: Record<string, unknown> = {},
  key: string = secret,
): Promise<Response> {
  return fetch(`${at.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "standard",
      messages: [{ role: "user", content: PROMPT }],
      ...body,
    }),
  });
}

/** The latest point of each series of a metric. */
function latest(metric: string): CollectedPoint[] {
  const series = new Map(
    collector.points
      .filter((point) => point.metric === metric)
      .map((point) => [JSON.stringify(point.attributes), point]),
  );
  return [...series.values()];
}

function counted(metric: string): (readonly [attributes: unknown, count: number])[] {
  return latest(metric).map(({ attributes, count }) => [attributes, count] as const);
}

before(async () => {
  database = await testDatabase();
  upstream = await startScriptedUpstream((exchange) => answer(exchange));
  collector = await startOtlpCollector();
  gateway = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${COLLECTOR_TOKEN}`,
    OTEL_SERVICE_NAME: "the-gateway",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
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

test("a stream that took two upstreams is measured call by call and as a whole, by the conventions for generative AI", async () => {
  const answered = await chat(gateway, { stream: true });
  assert.ok((await answered.text()).includes(ANSWER));
  // The last of an export.
  await until("the request is measured", () =>
    Promise.resolve(latest("gen_ai.server.time_per_output_token").length === 1),
  );
  const operation = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "server.address": "127.0.0.1",
    "server.port": upstream.port,
  };
  const first = {
    ...operation,
    "gen_ai.request.model": "model-of-first",
    "tollgate.upstream": "first",
    "error.type": "503",
  };
  const second = {
    ...operation,
    "gen_ai.request.model": "model-of-second",
    "gen_ai.response.model": "model-2026-11",
    "tollgate.upstream": "second",
  };
  assert.deepEqual(counted("gen_ai.client.operation.duration"), [
    [first, 1],
    [second, 1],
  ]);
  assert.deepEqual(
    latest("gen_ai.client.token.usage").map(({ attributes, value, unit }) => [
      attributes,
      value,
      unit,
    ]),
    [
      [{ ...second, "gen_ai.token.type": "input" }, 100, "{token}"],
      [{ ...second, "gen_ai.token.type": "output" }, 20, "{token}"],
    ],
  );
  assert.deepEqual(counted("gen_ai.client.operation.time_to_first_chunk"), [[second, 1]]);
  const ours = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "tollgate",
    "gen_ai.request.model": "standard",
  };
  for (const metric of [
    "gen_ai.server.request.duration",
    "gen_ai.server.time_to_first_token",
    "gen_ai.server.time_per_output_token",
  ])
    assert.deepEqual(counted(metric), [[ours, 1]], metric);
});

test("every figure of /metrics is told under its name, with its labels and value", async () => {
  assert.equal((await fetch(`${gateway.url}/v1/models`)).status, 401);
  const attributes = { method: "GET", route: "/v1/models", status: "401" };
  const point = await until("the refusal is told", () =>
    Promise.resolve(
      latest("tollgate_http_requests_total").find(
        (each) => JSON.stringify(each.attributes) === JSON.stringify(attributes),
      ) ?? null,
    ),
  );
  assert.deepEqual([point.kind, point.value], ["sum", 1]);
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  const samples = new Set(
    [...page.matchAll(/^(tollgate_\w+?)(?:_bucket|_sum|_count)?(?:\{.*\})? /gm)].map(
      ([, name]) => name,
    ),
  );
  assert.ok(samples.size > 30);
  await until("all of them are told", () => {
    const names = new Set(collector.points.map(({ metric }) => metric));
    return Promise.resolve([...samples].every((name = "") => names.has(name)));
  });
});

test("the line of a request is told with its model, tokens and money, a refusal with its code, on every route", async () => {
  const answered = await chat(gateway);
  assert.equal(answered.status, 200);
  const requestId = answered.headers.get("x-request-id");
  const refused = await chat(gateway, {}, "tg_live_wrong");
  assert.equal(refused.status, 401);
  const models = await fetch(`${gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(models.status, 200);
  const lineOf = (id: string | null) =>
    until("the line", () =>
      Promise.resolve(
        collector.lines.find(({ attributes }) => attributes["tollgate.request_id"] === id) ?? null,
      ),
    );
  const line = await lineOf(requestId);
  const {
    "tollgate.duration_ms": ms,
    "tollgate.first_content_ms": firstMs,
    "tollgate.attempts": attempts,
    "tollgate.account_id": accountId,
    "tollgate.key": mask,
    ...rest
  } = line.attributes;
  for (const figure of [ms, firstMs, attempts]) assert.equal(typeof figure, "number");
  assert.ok(typeof accountId === "string" && String(mask).includes("…"));
  assert.deepEqual(rest, {
    "tollgate.request_id": requestId,
    "http.request.method": "POST",
    "http.route": "/v1/chat/completions",
    "http.response.status_code": 200,
    "tollgate.model": "standard",
    "tollgate.upstream": "second",
    "tollgate.stream": false,
    "tollgate.state": "completed",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 20,
    "tollgate.usage_source": "upstream",
    "tollgate.charged_roubles": "0.027",
  });
  assert.deepEqual([line.severity, line.text], ["INFO", "request"]);
  const refusal = await lineOf(refused.headers.get("x-request-id"));
  assert.equal(refusal.attributes["error.type"], "invalid_api_key");
  const list = await lineOf(models.headers.get("x-request-id"));
  assert.equal(list.attributes["http.route"], "/v1/models");

  const whose = line.resource;
  assert.equal(whose["service.name"], "the-gateway");
  assert.ok(String(whose["service.instance.id"]).length > 10);
  assert.deepEqual(collector.points[0]?.resource, whose, "one process is one instance");
  for (const { headers } of collector.exports)
    assert.equal(headers.authorization, `Bearer ${COLLECTOR_TOKEN}`);
});

test("what is still to be told when the gateway stops is told", async () => {
  const brief = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: "the-brief-one",
  });
  const requestId = (await chat(brief)).headers.get("x-request-id");
  await brief.stop();
  const ofIt = ({ resource }: { readonly resource: Readonly<Record<string, unknown>> }): boolean =>
    resource["service.name"] === "the-brief-one";
  assert.ok(
    collector.lines
      .filter(ofIt)
      .some(({ attributes }) => attributes["tollgate.request_id"] === requestId),
  );
  const measured = collector.points
    .filter(ofIt)
    .filter(({ metric }) => metric === "gen_ai.server.request.duration");
  assert.deepEqual(
    measured.map(({ count }) => count),
    [1],
  );
});

test("a signal that is to have no exporter is not sent", async () => {
  const lonely = await startOtlpCollector();
  const quiet = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: lonely.url,
    OTEL_TRACES_EXPORTER: "none",
    OTEL_LOGS_EXPORTER: "none",
  });
  assert.equal((await chat(quiet)).status, 200);
  assert.equal(upstream.requests.at(-1)?.headers["traceparent"], undefined);
  await quiet.stop();
  assert.deepEqual([...new Set(lonely.exports.map(({ path }) => path))], ["/v1/metrics"]);
  await lonely.close();
});

test("a collector that is away disturbs no request and no stop; what it missed is counted, and told once for each signal", async () => {
  const lonely = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
  });
  assert.equal((await chat(lonely)).status, 200);
  await until("every signal has lost something", async () => {
    const page = await (await fetch(`${lonely.url}/metrics`)).text();
    return ["traces", "metrics", "logs"].every((signal) =>
      new RegExp(`^tollgate_otlp_lost\\{signal="${signal}"\\} [1-9]`, "m").test(page),
    );
  });
  assert.equal((await chat(lonely)).status, 200);
  await lonely.stop();
  const messages = lonely
    .log()
    .map(({ msg }) => String(msg))
    .filter((msg) => msg.includes("OTEL_EXPORTER_OTLP_ENDPOINT"));
  assert.deepEqual(messages.map((msg) => msg.split(" could ")[0]).toSorted(), [
    "log lines",
    "metrics",
    "spans",
  ]);
});

test("every export was in the protocol's form, and nothing that was said, no secret and no name is in any", () => {
  assert.deepEqual(collector.faults, []);
  assert.ok(collector.lines.length > 5 && collector.points.length > 100);
  const exported = collector.exports.map(({ body }) => body).join("\n");
  for (const forbidden of [
    PROMPT,
    ANSWER,
    ACCOUNT_NAME,
    KEY_NAME,
    CREDENTIAL,
    COLLECTOR_TOKEN,
    secret,
  ])
    assert.ok(!exported.includes(forbidden), `${forbidden} was exported`);
});
