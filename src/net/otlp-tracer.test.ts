/**
 * Protects: spans reach a collector whole and in time, and a collector that fails, hangs or is gone
 * holds no request up.
 */
// Runs beside the others: it waits for collectors that never answer.
// Runs in a process of its own: connections to its collectors stay open for a while.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { TraceCollector } from "../../test/support/trace-collector.ts";
import { startTraceCollector } from "../../test/support/trace-collector.ts";
import { until } from "../../test/support/until.ts";
import { openOtlpTracer } from "./otlp-tracer.ts";
import type { OtlpOptions } from "./otlp-collector.ts";
import type { OtlpTracer } from "./otlp-tracer.ts";
import { formatTraceparent, readTraceparent } from "./traceparent.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const START_MS = Date.UTC(2026, 10, 21);

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function collector(answer?: () => Promise<number>): Promise<TraceCollector> {
  const started = await startTraceCollector(answer);
  closers.push(() => started.close());
  return started;
}

async function tracerTo(endpoint: string, edit: Partial<OtlpOptions> = {}): Promise<OtlpTracer> {
  return openOtlpTracer({
    endpoint,
    headers: {},
    serviceName: "tollgate",
    serviceVersion: "1.2.3",
    instanceId: "one",
    onLost: () => undefined,
    ...edit,
  });
}

function oneSpan(tracer: OtlpTracer, traceparent: string | null = null): string {
  const span = tracer.start(
    { name: "POST /x", kind: "server", startMs: START_MS, attributes: {} },
    traceparent,
  );
  span.end(START_MS + 1, "ok");
  return readTraceparent(span.traceparent)?.traceId ?? "";
}

test("a request and its attempt arrive as one trace: times, attributes, events, outcome, whose process it was", async () => {
  const to = await collector();
  const tracer = await tracerTo(`${to.url}/base/`, {
    headers: { authorization: "Bearer for-the-collector" },
  });
  const server = tracer.start(
    { name: "POST /x", kind: "server", startMs: START_MS + 0.25, attributes: { text: "a" } },
    null,
  );
  const client = server.child({
    name: "chat m",
    kind: "client",
    startMs: START_MS + 1,
    attributes: { port: 443 },
  });
  client.set({ reasons: ["stop"], streamed: true });
  client.event("first", START_MS + 2);
  client.end(START_MS + 3, "error");
  server.end(START_MS + 4.5, "ok");
  await tracer.close();

  const traceId = readTraceparent(server.traceparent)?.traceId ?? "";
  const [outer, inner] = await to.trace(traceId, 2);
  assert.ok(outer && inner);
  const nanos = (ms: number): bigint => BigInt(START_MS) * 1_000_000n + BigInt(ms * 1_000_000);
  assert.deepEqual(
    [
      outer.name,
      outer.kind,
      outer.parentSpanId,
      outer.start,
      outer.end,
      outer.failed,
      outer.attributes,
    ],
    ["POST /x", "server", "", nanos(0.25), nanos(4.5), false, { text: "a" }],
  );
  assert.deepEqual(
    [
      inner.name,
      inner.kind,
      inner.parentSpanId,
      inner.start,
      inner.end,
      inner.failed,
      inner.attributes,
    ],
    [
      "chat m",
      "client",
      outer.spanId,
      nanos(1),
      nanos(3),
      true,
      { port: 443, reasons: ["stop"], streamed: true },
    ],
  );
  assert.deepEqual(inner.events, [{ name: "first", at: nanos(2) }]);
  assert.equal(client.traceparent, `00-${traceId}-${inner.spanId}-01`);
  assert.equal(outer.resource["service.name"], "tollgate");
  assert.equal(outer.resource["service.version"], "1.2.3");
  assert.equal(outer.resource["service.instance.id"], "one");
  assert.equal(to.exports[0]?.path, "/base/v1/traces");
  assert.equal(to.exports[0]?.headers.authorization, "Bearer for-the-collector");
});

test("a span continues the caller's trace, also one that the caller does not record", async () => {
  const to = await collector();
  const tracer = await tracerTo(to.url);
  oneSpan(tracer, formatTraceparent({ traceId: TRACE_ID, spanId: SPAN_ID, flags: 0 }));
  await tracer.close();
  const [span] = await to.trace(TRACE_ID, 1);
  assert.equal(span?.parentSpanId, SPAN_ID);
});

test("a malformed traceparent begins a new trace", async () => {
  const to = await collector();
  const tracer = await tracerTo(to.url);
  const traceId = oneSpan(tracer, `00-${TRACE_ID}-${"0".repeat(16)}-01`);
  await tracer.close();
  assert.notEqual(traceId, TRACE_ID);
  assert.equal((await to.trace(traceId, 1))[0]?.parentSpanId, "");
});

test("traceparent is read as the standard says", () => {
  const good = `00-${TRACE_ID}-${SPAN_ID}-01`;
  assert.deepEqual(readTraceparent(good), { traceId: TRACE_ID, spanId: SPAN_ID, flags: 1 });
  assert.deepEqual(readTraceparent(`cc-${TRACE_ID}-${SPAN_ID}-03-what-a-later-version-says`), {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    flags: 3,
  });
  const bad = [
    "",
    `${good}, ${good}`,
    `${good}-more`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${"0".repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${SPAN_ID}-1`,
    `00-${TRACE_ID}-${SPAN_ID}-0g`,
    `${good}\n`,
  ];
  for (const header of bad) assert.equal(readTraceparent(header), null, header);
});

test("a long value is cut", async () => {
  const to = await collector();
  const tracer = await tracerTo(to.url);
  const span = tracer.start({ name: "x", kind: "server", startMs: START_MS, attributes: {} }, null);
  span.set({ long: "a".repeat(100_000) });
  span.end(START_MS, "ok");
  await tracer.close();
  assert.equal(String(to.spans[0]?.attributes["long"]).length, 256);
});

test("spans arrive without a stop", async () => {
  const to = await collector();
  const tracer = await tracerTo(to.url);
  closers.push(() => tracer.close());
  const traceId = oneSpan(tracer);
  await to.trace(traceId, 1);
});

test("a collector that refuses is told once for all its losses, and a stop goes on", async () => {
  const to = await collector(() => Promise.resolve(400));
  const reports: { spans: number; error: unknown }[] = [];
  const tracer = await tracerTo(to.url, {
    onLost: (spans, error) => reports.push({ spans, error }),
  });
  for (let i = 0; i < 600; i++) oneSpan(tracer);
  await until("three exports", () => Promise.resolve(to.exports.length >= 3));
  oneSpan(tracer);
  await tracer.close();
  assert.equal(reports.length, 1);
  assert.equal(reports[0]?.spans, 256);
});

test("a batch that is refused at the stop does not take the others along", async () => {
  let answers = 0;
  let answered = 0;
  const to = await collector(async () => {
    answers += 1;
    if (answers === 2) return 400;
    await sleep(300);
    answered += 1;
    return 200;
  });
  const tracer = await tracerTo(to.url);
  for (let i = 0; i < 600; i++) oneSpan(tracer);
  await tracer.close();
  assert.equal(answered, 2);
  assert.equal(to.spans.length, 600);
});

test("a collector that is not there is told, and a stop goes on", async () => {
  const reports: number[] = [];
  const tracer = await tracerTo("http://127.0.0.1:1", { onLost: (spans) => reports.push(spans) });
  oneSpan(tracer);
  await tracer.close();
  assert.deepEqual(reports, [1]);
});

test("a collector that takes the connection and says nothing holds a stop up no longer than its bound", async () => {
  const deaf = createServer(() => undefined);
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  const tracer = await tracerTo(`http://127.0.0.1:${(deaf.address() as AddressInfo).port}`);
  oneSpan(tracer);
  const begun = performance.now();
  await tracer.close();
  assert.ok(performance.now() - begun < 10_000);
  deaf.close();
});

test("a collector that never finishes its answer is left at the bound, connection and all", async () => {
  const closed = Promise.withResolvers<void>();
  const endless = createServer((socket) => {
    let drip: NodeJS.Timeout | undefined;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(drip);
      closed.resolve();
    });
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n");
      drip = setInterval(() => socket.write("x"), 50);
    });
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  const tracer = await tracerTo(`http://127.0.0.1:${(endless.address() as AddressInfo).port}`);
  oneSpan(tracer);
  const begun = performance.now();
  await tracer.close();
  assert.ok(performance.now() - begun < 10_000);
  await closed.promise;
  endless.close();
});

/**
 * Listens, then stands still with a full queue: from then on a connection neither comes about nor
 * fails, as behind a silent firewall.
 */
const STANDING_STILL = `
  const { parentPort } = require("node:worker_threads");
  const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

test("a collector to which no connection comes about is given up after the same bound, and told", async () => {
  const worker = new Worker(STANDING_STILL, { eval: true });
  const [port] = (await once(worker, "message")) as [number];
  const queue = Array.from({ length: 8 }, () =>
    connect(port, "127.0.0.1").on("error", () => undefined),
  );
  const reports: number[] = [];
  const tracer = await tracerTo(`http://127.0.0.1:${port}`, {
    onLost: (spans) => reports.push(spans),
  });
  oneSpan(tracer);
  await until("the loss is told", () => Promise.resolve(reports.length > 0));
  assert.deepEqual(reports, [1]);
  await tracer.close();
  for (const socket of queue) socket.destroy();
  await worker.terminate();
});

test("with a collector that never answers the queue is bounded: what does not fit is dropped, and all that is lost is counted", async () => {
  const { promise: never } = Promise.withResolvers<number>();
  const to = await collector(() => never);
  const tracer = await tracerTo(to.url);
  for (let i = 0; i < 20_000; i++) oneSpan(tracer);
  // One batch is on its way.
  assert.equal(tracer.lost, 20_000 - 4_096 - 256);
  await tracer.close();
  await until("every span is counted", () => Promise.resolve(tracer.lost === 20_000));
  assert.ok(to.spans.length <= 4_096 + 256, `${to.spans.length} spans were kept`);
});
