/** Figures say what happened, in a bounded number of series, whatever names come in. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { AggregatorRegistry } from "prom-client";
import { nano, ZERO_NANO } from "../kernel/money.ts";
import { NO_USAGE } from "../kernel/token-usage.ts";
import { createMetrics, type ChatDone, type Metrics } from "./metrics.ts";

const CHAT: ChatDone = {
  endpoint: "chat.completions",
  model: "m",
  state: "completed",
  stream: true,
  usage: {
    ...NO_USAGE,
    inputTokens: 12,
    cachedInputTokens: 3,
    outputTokens: 30,
    reasoningTokens: 4,
  },
  chargedNano: nano(1_500_000_000n),
  lossNano: ZERO_NANO,
  upstreamCostNano: nano(500_000_000n),
  seconds: 0.8,
  firstContentSeconds: 0.2,
};

function made(t: TestContext): Metrics {
  const metrics = createMetrics();
  t.after(() => metrics.close());
  return metrics;
}

async function value(metrics: Metrics, series: string): Promise<number | null> {
  const line = (await metrics.render())
    .split("\n")
    .find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

test("a chat request counts its tokens, roubles, margin and times", async (t) => {
  const metrics = made(t);
  metrics.chatDone(CHAT);
  metrics.chatDone({ ...CHAT, firstContentSeconds: null, upstreamCostNano: null });
  assert.equal(
    await value(
      metrics,
      'tollgate_chat_requests_total{endpoint="chat.completions",model="m",state="completed",stream="true"}',
    ),
    2,
  );
  assert.equal(await value(metrics, 'tollgate_tokens_total{model="m",kind="output"}'), 60);
  assert.equal(await value(metrics, 'tollgate_tokens_total{model="m",kind="cached_input"}'), 6);
  assert.equal(await value(metrics, 'tollgate_charged_roubles_total{model="m"}'), 3);
  assert.equal(await value(metrics, 'tollgate_upstream_cost_roubles_total{model="m"}'), 0.5);
  assert.equal(
    await value(
      metrics,
      'tollgate_chat_first_content_seconds_count{endpoint="chat.completions",model="m"}',
    ),
    1,
  );
});

test("a task that has ended counts once, with the roubles of its hold by model and outcome", async (t) => {
  const metrics = made(t);
  const ended = {
    model: "clip",
    outcome: "completed",
    chargedNano: nano(9_000_000_000n),
    releasedNano: nano(3_000_000_000n),
  };
  metrics.taskEnded(ended);
  metrics.taskEnded(ended);
  metrics.taskEnded({
    model: "clip",
    outcome: "provider_error",
    chargedNano: ZERO_NANO,
    releasedNano: nano(12_500_000_000n),
  });
  const read = (name: string, outcome: string) =>
    value(metrics, `tollgate_${name}{model="clip",outcome="${outcome}"}`);
  assert.deepEqual(
    [
      await read("tasks_ended_total", "completed"),
      await read("tasks_ended_total", "provider_error"),
    ],
    [2, 1],
  );
  assert.equal(await read("task_charged_roubles_total", "completed"), 18);
  assert.equal(await read("task_released_roubles_total", "completed"), 6);
  assert.equal(await read("task_released_roubles_total", "provider_error"), 12.5);
  assert.equal(
    await read("task_charged_roubles_total", "provider_error"),
    null,
    "nothing was ever charged so",
  );
});

test("faults, attempts, refusals and suspicions are counted by name", async (t) => {
  const metrics = made(t);
  metrics.faulted("insufficient_balance");
  metrics.attemptDone({ upstream: "one", outcome: "failed", seconds: 1 });
  metrics.suspicious("unbelievable_usage");
  metrics.rateLimited({ of: "key", kind: "tokens" });
  assert.equal(await value(metrics, 'tollgate_rate_limited_total{of="key",kind="tokens"}'), 1);
  assert.equal(await value(metrics, 'tollgate_faults_total{code="insufficient_balance"}'), 1);
  assert.equal(
    await value(metrics, 'tollgate_upstream_attempts_total{upstream="one",outcome="failed"}'),
    1,
  );
  assert.equal(await value(metrics, 'tollgate_suspicions_total{kind="unbelievable_usage"}'), 1);
});

test("ten thousand model names do not become ten thousand series", async (t) => {
  const metrics = made(t);
  for (let i = 0; i < 10_000; i++) metrics.chatDone({ ...CHAT, model: `model-${i}` });
  const series = (await metrics.render())
    .split("\n")
    .filter((line) => line.startsWith("tollgate_charged_roubles_total{"));
  assert.equal(series.length, 201);
  assert.equal(await value(metrics, 'tollgate_charged_roubles_total{model="other"}'), 9_800 * 1.5);
});

test("a watched figure is read when it is asked for; values that are gone do not linger", async (t) => {
  const metrics = made(t);
  let active = 1;
  let breakers = new Map([["one", 1]]);
  metrics.watch({ name: "chat_active", help: "x", read: () => active });
  metrics.watch({ name: "breaker_open", help: "x", label: "route", read: () => breakers });
  assert.deepEqual(
    [
      await value(metrics, "tollgate_chat_active"),
      await value(metrics, 'tollgate_breaker_open{route="one"}'),
    ],
    [1, 1],
  );
  active = 5;
  breakers = new Map([["two", 0]]);
  assert.deepEqual(
    [
      await value(metrics, "tollgate_chat_active"),
      await value(metrics, 'tollgate_breaker_open{route="one"}'),
      await value(metrics, 'tollgate_breaker_open{route="two"}'),
    ],
    [5, null, 0],
  );
});

test("of several processes a watched figure is added up, or where that says nothing the greatest counts", async (t) => {
  const processes = [made(t), made(t)];
  for (const metrics of processes) {
    metrics.watch({ name: "chat_active", help: "x", read: () => 2 });
    metrics.watch({
      name: "circuit",
      help: "x",
      label: "route",
      together: "max",
      read: () => new Map([["one", 1]]),
    });
  }
  const together = await AggregatorRegistry.aggregate(
    await Promise.all(processes.map((metrics) => metrics.figures())),
  ).metrics();
  assert.match(together, /^tollgate_chat_active 4$/m);
  assert.match(together, /^tollgate_circuit\{route="one"\} 1$/m);
});

test("a route that was passed over is counted, and its time is no time of an attempt", async (t) => {
  const metrics = made(t);
  metrics.attemptDone({ upstream: "one", outcome: "skipped", seconds: null });
  assert.equal(
    await value(metrics, 'tollgate_upstream_attempts_total{upstream="one",outcome="skipped"}'),
    1,
  );
  assert.equal(
    await value(metrics, 'tollgate_upstream_attempt_duration_seconds_count{upstream="one"}'),
    null,
  );
});

test("two registries do not mix", async (t) => {
  const one = made(t);
  const two = made(t);
  one.faulted("x");
  assert.equal(await value(two, 'tollgate_faults_total{code="x"}'), null);
});
