/**
 * Guarantee: our figures are shown as the library shows its own, alone and added up with those of
 * other processes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AggregatorRegistry, Counter, Histogram, Registry } from "prom-client";
import fc from "fast-check";
import { createCounts, createDurations } from "./series.ts";

const BOUNDS = [0.005, 0.1, 1, 2.5, 10];

const event = fc.record({
  route: fc.constantFrom("/v1/a", 'odd"\\\n', "/b"),
  status: fc.constantFrom("200", "404"),
  seconds: fc.oneof(
    fc.constantFrom(0, ...BOUNDS, 11, 1000),
    fc.double({ min: 0, max: 20, noNaN: true }),
  ),
});

test("what happened is told in the library's own words", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const ours = new Registry();
      const theirs = new Registry();
      const counts = createCounts(ours, { name: "requests_total", help: "Requests." });
      const durations = createDurations(ours, {
        name: "seconds",
        help: "How long.",
        bounds: BOUNDS,
      });
      const counter = new Counter({
        name: "requests_total",
        help: "Requests.",
        labelNames: ["route", "status"],
        registers: [theirs],
      });
      const histogram = new Histogram({
        name: "seconds",
        help: "How long.",
        labelNames: ["route"],
        buckets: BOUNDS,
        registers: [theirs],
      });
      const countOf = new Map<string, ReturnType<typeof counts>>();
      const durationsOf = new Map<string, ReturnType<typeof durations>>();
      for (const { route, status, seconds } of events) {
        const shape = `${route} ${status}`;
        const count = countOf.get(shape) ?? counts({ route, status });
        countOf.set(shape, count);
        count.add(seconds);
        counter.inc({ route, status }, seconds);
        const spent = durationsOf.get(route) ?? durations({ route });
        durationsOf.set(route, spent);
        spent.observe(seconds);
        histogram.observe({ route }, seconds);
      }
      assert.equal(await ours.metrics(), await theirs.metrics());
      const together = async (registry: Registry): Promise<string> => {
        const figures = JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as object[];
        return AggregatorRegistry.aggregate([figures, figures]).metrics();
      };
      assert.equal(await together(ours), await together(theirs));
    }),
    { numRuns: 60 },
  );
});

test("a series is there from its beginning, and nothing that would spoil it gets in", async () => {
  const registry = new Registry();
  const count = createCounts(registry, { name: "x_total", help: "x" })({ kind: "a" });
  const spent = createDurations(registry, { name: "y", help: "y", bounds: BOUNDS })({});
  const text = await registry.metrics();
  assert.match(text, /^x_total\{kind="a"\} 0$/m);
  assert.match(text, /^y_count 0$/m);
  for (const wrong of [-1, NaN, Infinity]) {
    assert.throws(() => count.add(wrong), RangeError);
    assert.throws(() => spent.observe(wrong), RangeError);
  }
  assert.equal(await registry.metrics(), text);
});
