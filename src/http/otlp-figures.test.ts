/** Protects: a collector is told the same figures as `/metrics`, under the same names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nano, ZERO_NANO } from "../kernel/money.ts";
import { NO_USAGE } from "../kernel/token-usage.ts";
import { createMetrics } from "./metrics.ts";
import { otlpFigures } from "./otlp-figures.ts";

test("counters, gauges and histograms say what /metrics says, and nothing of it is left out", async (t) => {
  const metrics = createMetrics();
  t.after(() => metrics.close());
  metrics.watch({
    name: "waiting",
    help: "Waiting.",
    label: "gate",
    read: () => new Map([["a", 3]]),
  });
  for (const seconds of [0.00390625, 0.25, 0.25, 1_000])
    metrics.chatDone({
      endpoint: "chat.completions",
      model: "m",
      state: "completed",
      stream: true,
      usage: { ...NO_USAGE, inputTokens: 12 },
      chargedNano: nano(1_500_000_000n),
      lossNano: ZERO_NANO,
      upstreamCostNano: null,
      seconds,
      firstContentSeconds: null,
    });
  const exported = otlpFigures(await metrics.figures());
  const named = (name: string) => exported.find((metric) => metric.name === name);

  const gauge = named("tollgate_waiting");
  assert.deepEqual(gauge, {
    kind: "gauge",
    name: "tollgate_waiting",
    description: "Waiting.",
    unit: "",
    points: [{ attributes: { gate: "a" }, value: 3 }],
  });
  const charged = named("tollgate_charged_roubles_total");
  assert.ok(charged?.kind === "sum");
  assert.deepEqual(charged.points, [{ attributes: { model: "m" }, value: 6 }]);
  const durations = named("tollgate_chat_duration_seconds");
  assert.ok(durations?.kind === "histogram");
  assert.equal(durations.unit, "s");
  const [point] = durations.points;
  assert.deepEqual(point?.attributes, { endpoint: "chat.completions", model: "m" });
  assert.equal(point.sum, 1_000.50390625);
  const counted = durations.bounds.map((bound, at) => [bound, point.counts[at]]);
  assert.deepEqual(
    counted.filter(([, count]) => count !== 0),
    [
      [0.005, 1],
      [0.25, 2],
    ],
  );
  assert.equal(point.counts.at(-1), 1, "above all bounds");
  assert.equal(point.counts.length, durations.bounds.length + 1);

  const shown = [...(await metrics.render()).matchAll(/^# TYPE (\w+) (\w+)$/gm)]
    .filter(([, , type]) => type !== "summary")
    .map(([, name]) => name);
  assert.deepEqual(exported.map(({ name }) => name).toSorted(), shown.toSorted());
});
