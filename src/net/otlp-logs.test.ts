/**
 * Protects: log lines reach a collector in the protocol's form, in batches and within bounds; what
 * one does not take is counted, and no collector holds up a stop.
 */
// Runs in a process of its own: connections to its collectors stay open for a while.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import {
  startOtlpCollector,
  type Answered,
  type OtlpCollector,
} from "../../test/support/otlp-collector.ts";
import { until } from "../../test/support/until.ts";
import type { OtlpOptions } from "./otlp-collector.ts";
import { openOtlpLogs, type OtlpLine, type OtlpLogs } from "./otlp-logs.ts";

const AT_MS = Date.UTC(2026, 10, 27);

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function collector(answer?: () => Promise<Answered>): Promise<OtlpCollector> {
  const started = await startOtlpCollector(answer);
  closers.push(() => started.close());
  return started;
}

function logsTo(endpoint: string, edit: Partial<OtlpOptions> = {}): OtlpLogs {
  return openOtlpLogs({
    endpoint,
    headers: {},
    serviceName: "tollgate",
    serviceVersion: "1.2.3",
    instanceId: "one",
    onLost: () => undefined,
    ...edit,
  });
}

function line(edit: Partial<OtlpLine> = {}): OtlpLine {
  return { atMs: AT_MS, level: "info", text: "request", attributes: {}, ...edit };
}

test("a line arrives as it was: time, level, words, fields of each kind, whose it is, with the headers that were asked for", async () => {
  const to = await collector();
  const logs = logsTo(`${to.url}/base/`, { headers: { authorization: "Bearer for-it" } });
  logs.record(
    line({ level: "warn", attributes: { status: 502, ms: 1.5, aborted: true, code: "x" } }),
  );
  await logs.close();
  assert.deepEqual(to.faults, []);
  assert.deepEqual(to.lines, [
    {
      severity: "WARN",
      text: "request",
      atMs: AT_MS,
      attributes: { status: 502, ms: 1.5, aborted: true, code: "x" },
      resource: {
        "service.name": "tollgate",
        "service.version": "1.2.3",
        "service.instance.id": "one",
        "telemetry.sdk.language": "nodejs",
      },
    },
  ]);
  assert.equal(to.exports[0]?.path, "/base/v1/logs");
  assert.equal(to.exports[0]?.headers.authorization, "Bearer for-it");
  assert.equal(logs.lost, 0);
});

test("lines arrive without a stop", async () => {
  const to = await collector();
  const logs = logsTo(to.url);
  closers.push(() => logs.close());
  logs.record(line());
  await until("the line", () => Promise.resolve(to.lines.length === 1));
});

test("what is too long is cut, and half a letter costs no export", async () => {
  const to = await collector();
  const logs = logsTo(to.url);
  logs.record(line({ text: "a".repeat(100_000), attributes: { cut: `${"b".repeat(255)}😀` } }));
  await logs.close();
  assert.deepEqual(to.faults, []);
  assert.equal(to.lines[0]?.text.length, 256);
  assert.equal(String(to.lines[0]?.attributes["cut"]).length, 256);
});

test("all that waits leaves in batches; what is more than may wait is dropped and counted", async () => {
  const to = await collector();
  const reports: number[] = [];
  const logs = logsTo(to.url, { onLost: (lines) => reports.push(lines) });
  for (let i = 0; i < 5_000; i++) logs.record(line());
  // One batch was on its way.
  assert.equal(logs.lost, 5_000 - 4_096 - 256);
  await logs.close();
  assert.equal(to.lines.length, 4_096 + 256);
  assert.equal(to.exports.length, 17);
  assert.deepEqual(reports, [1], "once a minute");
});

test("what a collector refuses, or says that it rejected of a batch, is counted", async () => {
  const answers: Answered[] = [
    { status: 503 },
    { status: 200, body: '{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"no"}}' },
    { status: 200, body: "" },
  ];
  const to = await collector(() => Promise.resolve(answers.shift() ?? { status: 200 }));
  const logs = logsTo(to.url);
  for (let i = 0; i < 3 * 256; i++) logs.record(line());
  await logs.close();
  assert.equal(to.exports.length, 3);
  assert.equal(logs.lost, 256 + 3);
});

test("a redirect is followed nowhere: what the collector asks for is for it alone", async () => {
  const elsewhere = await collector();
  const to = await collector(() =>
    Promise.resolve({ status: 307, headers: { location: `${elsewhere.url}/v1/logs` } }),
  );
  const logs = logsTo(to.url, { headers: { authorization: "Bearer for-it" } });
  logs.record(line());
  await logs.close();
  assert.equal(elsewhere.exports.length, 0);
  assert.equal(logs.lost, 1);
});

test("a collector that is not there is told once, and a stop goes on", async () => {
  const reports: number[] = [];
  const logs = logsTo("http://127.0.0.1:1", { onLost: (lines) => reports.push(lines) });
  for (let i = 0; i < 600; i++) logs.record(line());
  await logs.close();
  assert.equal(logs.lost, 600);
  assert.equal(reports.length, 1);
});

test("a collector that takes the connection and says nothing holds a stop up no longer than its bound, and all is counted", async (t) => {
  const deaf = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  t.after(() => deaf.close());
  const logs = logsTo(`http://127.0.0.1:${(deaf.address() as AddressInfo).port}`);
  for (let i = 0; i < 1_000; i++) logs.record(line());
  await logs.close();
  await until("every line is counted", () => Promise.resolve(logs.lost === 1_000));
});

test("a collector that never finishes its answer is left at the bound", async (t) => {
  const endless = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nx"));
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  t.after(() => endless.close());
  const logs = logsTo(`http://127.0.0.1:${(endless.address() as AddressInfo).port}`);
  logs.record(line());
  await logs.close();
  await until("the line is counted", () => Promise.resolve(logs.lost === 1));
});
