/** Protects: before a route is taken out, an operator is told which models have no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  UpstreamHealth,
  UpstreamRoute,
} from "../../../../src/contract/panel/operator-upstreams.ts";
import { modelsWithout } from "./routes-without.ts";

const FIGURES: UpstreamHealth["figures"] = {
  calls: 0,
  served: 0,
  failed: 0,
  skipped: 0,
  errorRate: null,
  errors: [],
  latency: { p50Ms: null, p95Ms: null },
  firstContent: { p50Ms: null, p95Ms: null },
};
const OUT: UpstreamHealth["out"] = {
  until: "2026-11-28T00:00:00.000Z",
  reason: null,
  takenBy: "a@example.test",
  takenAt: "2026-11-27T00:00:00.000Z",
};

function route(
  upstream: string,
  models: string[],
  rest: Partial<UpstreamRoute> = {},
): UpstreamRoute {
  return {
    upstream,
    upstreamModel: "m",
    kind: "chat",
    models,
    inForce: true,
    out: null,
    figures: FIGURES,
    breakers: [],
    ...rest,
  };
}

function upstream(name: string, out: UpstreamHealth["out"] = null): UpstreamHealth {
  return {
    name,
    protocol: "openai",
    baseUrl: "https://x.example",
    credentials: [],
    worst: null,
    out,
    balance: null,
    figures: FIGURES,
    parts: [],
  };
}

test("a model keeps its place where another route in force is not out", () => {
  const routes = [route("a", ["one", "both"]), route("b", ["both"])];
  const upstreams = [upstream("a"), upstream("b")];
  const taken = { upstream: "a", upstreamModel: "m" };
  assert.deepEqual(modelsWithout({ routes, upstreams }, taken), ["one"]);
  const whole = { ...taken, upstreamModel: null };
  assert.deepEqual(modelsWithout({ routes, upstreams }, whole), ["one"]);
  const others = [upstream("a"), upstream("b", OUT)];
  assert.deepEqual(modelsWithout({ routes, upstreams: others }, taken), ["both", "one"]);
  const gone = [route("a", ["both"]), route("b", ["both"], { out: OUT })];
  assert.deepEqual(modelsWithout({ routes: gone, upstreams }, taken), ["both"]);
  const old = [route("a", ["both"]), route("b", ["both"], { inForce: false })];
  assert.deepEqual(modelsWithout({ routes: old, upstreams }, taken), ["both"]);
});
