/**
 * Protects: figures reach a collector in the protocol's form, all of them and in small pieces; an
 * export that is lost takes nothing from the next, and no collector holds up a stop.
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
import { createHistogram } from "./otlp-histogram.ts";
import {
  openOtlpMetrics,
  type OtlpMetrics,
  type OtlpMetricsOptions,
  type OtlpNumbers,
} from "./otlp-metrics.ts";

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function collector(answer?: () => Promise<Answered>): Promise<OtlpCollector> {
  const started = await startOtlpCollector(answer);
  closers.push(() => started.close());
  return started;
}

/** Exports at its end alone, unless a test says otherwise. */
function metricsTo(endpoint: string, edit: Partial<OtlpMetricsOptions>): OtlpMetrics {
  return openOtlpMetrics({
    endpoint,
    headers: {},
    serviceName: "tollgate",
    serviceVersion: "1.2.3",
    instanceId: "one",
    onLost: () => undefined,
    intervalMs: 3_600_000,
    read: () => Promise.resolve([]),
    ...edit,
  });
}

function counter(points: number): OtlpNumbers {
  return {
    kind: "sum",
    name: "things_total",
    description: "Things.",
    unit: "",
    points: Array.from({ length: points }, (_, at) => ({ attributes: { at }, value: at + 0.5 })),
  };
}

test("a sum, a gauge and a histogram arrive with their attributes, units and whose they are", async () => {
  const to = await collector();
  const histogram = createHistogram({
    name: "long",
    description: "How long.",
    unit: "s",
    bounds: [1, 2],
  });
  for (const value of [0.5, 1, 1.5, 100]) histogram.record(value, { model: "m" });
  histogram.record(2, { model: "n" });
  for (const bad of [Number.NaN, Infinity, -1]) histogram.record(bad, { model: "m" });
  const gauge: OtlpNumbers = {
    kind: "gauge",
    name: "now",
    description: "Now.",
    unit: "By",
    points: [{ attributes: {}, value: 7 }],
  };
  const metrics = metricsTo(to.url, {
    headers: { "x-team": "a" },
    read: () => Promise.resolve([counter(1), gauge, histogram.read()]),
  });
  await metrics.close();
  assert.deepEqual(to.faults, []);
  assert.deepEqual(
    to.points.map(({ resource: _resource, ...point }) => point),
    [
      {
        metric: "things_total",
        unit: "",
        kind: "sum",
        attributes: { at: 0 },
        value: 0.5,
        count: 0,
        bounds: [],
      },
      { metric: "now", unit: "By", kind: "gauge", attributes: {}, value: 7, count: 0, bounds: [] },
      ...[
        { attributes: { model: "m" }, value: 103, count: 4 },
        { attributes: { model: "n" }, value: 2, count: 1 },
      ].map((point) => ({
        metric: "long",
        unit: "s",
        kind: "histogram",
        bounds: [1, 2],
        ...point,
      })),
    ],
  );
  const body = to.exports[0]?.body ?? "";
  assert.ok(body.includes('"bucketCounts":["2","1","1"]'), body);
  assert.equal(to.points[0]?.resource["service.instance.id"], "one");
  assert.deepEqual([to.exports[0]?.path, to.exports[0]?.headers["x-team"]], ["/v1/metrics", "a"]);
});

test("many points leave in pieces, none twice and none left out", async () => {
  const to = await collector();
  const metrics = metricsTo(to.url, {
    read: () => Promise.resolve([counter(3), { ...counter(1_000), name: "more_total" }]),
  });
  await metrics.close();
  assert.deepEqual(to.faults, []);
  assert.equal(to.exports.length, 5);
  const values = to.points.filter(({ metric }) => metric === "more_total");
  assert.equal(new Set(values.map(({ attributes }) => attributes["at"])).size, 1_000);
  assert.equal(values.length, 1_000);
  assert.equal(to.points.length, 1_003);
});

test("a piece that is refused does not take the others along", async () => {
  const answers: Answered[] = [{ status: 400 }];
  const to = await collector(() => Promise.resolve(answers.shift() ?? { status: 200 }));
  const metrics = metricsTo(to.url, { read: () => Promise.resolve([counter(600)]) });
  await metrics.close();
  assert.equal(to.points.length, 600);
  assert.equal(metrics.lost, 250);
});

test("figures come again and again, and after a refusal with all that they have come to", async () => {
  let things = 0;
  const answers: Answered[] = [{ status: 503 }];
  const to = await collector(() => Promise.resolve(answers.shift() ?? { status: 200 }));
  const metrics = metricsTo(to.url, {
    intervalMs: 20,
    read: () => {
      things += 1;
      const points = [{ attributes: {}, value: things }];
      return Promise.resolve([{ ...counter(0), points }]);
    },
  });
  closers.push(() => metrics.close());
  await until("three exports", () => Promise.resolve(to.points.length >= 3));
  assert.deepEqual(
    to.points.slice(0, 3).map(({ value }) => value),
    [1, 2, 3],
  );
  assert.equal(metrics.lost, 1);
});

test("figures that cannot be read are told, and end nothing", async () => {
  const reports: unknown[] = [];
  const metrics = metricsTo("http://127.0.0.1:1", {
    onLost: (_points, error) => reports.push(error),
    read: () => Promise.reject(new Error("a gauge threw")),
  });
  await metrics.close();
  assert.equal((reports[0] as Error).message, "a gauge threw");
});

test("a collector that says nothing is asked to take one piece, not all, and a stop goes on", async (t) => {
  let connections = 0;
  const deaf = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  t.after(() => deaf.close());
  const metrics = metricsTo(`http://127.0.0.1:${(deaf.address() as AddressInfo).port}`, {
    read: () => Promise.resolve([counter(1_000)]),
  });
  await metrics.close();
  await until("all points are counted", () => Promise.resolve(metrics.lost === 1_000));
  assert.equal(connections, 1);
});

test("attributes without end take no memory without end", () => {
  const histogram = createHistogram({ name: "h", description: "H.", unit: "s", bounds: [1] });
  for (let at = 0; at < 3_000; at++) histogram.record(1, { at });
  const { points } = histogram.read();
  assert.equal(points.length, 2_000);
  const counted = points.flatMap(({ counts }) => counts);
  assert.equal(
    counted.reduce((sum, count) => sum + count, 0),
    3_000,
  );
  assert.deepEqual(points.at(-1)?.attributes, { "otel.metric.overflow": true });
});
