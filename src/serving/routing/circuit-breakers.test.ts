/**
 * Protects: what an upstream answers decides what rests or opens, the route or the credential, and
 * nothing is remembered of what the catalogue no longer has.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { CircuitEvent, CircuitBreakers, RouteName } from "./circuit-breakers.ts";
import { createCircuitBreakers } from "./circuit-breakers.ts";
import { DEFERRABLE, INTERACTIVE } from "./failure-rules.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

const ROUTE: RouteName = { upstream: "up", model: "m" };
const KEYS = ["A", "B", "C"];

function scene() {
  let nowMs = 1_000_000;
  const events: CircuitEvent[] = [];
  const health = createCircuitBreakers({
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    kinds: new Set(["chat"]),
    onCircuit: (event) => events.push(event),
  });
  return { health, events, pass: (ms: number) => void (nowMs += ms) };
}

function failure(
  kind: UpstreamFailure["kind"],
  status: number | null = null,
  retryAfterSeconds: number | null = null,
): UpstreamFailure {
  return { kind, status, reason: "scripted", callerText: null, retryAfterSeconds };
}

function fail(
  health: CircuitBreakers,
  reported: UpstreamFailure,
  times = 1,
  credential = "A",
): void {
  for (let i = 0; i < times; i++) health.begin(ROUTE, credential, INTERACTIVE).failed(reported);
}

function catalogueOf(upstreams: string, models: string): Catalogue {
  const reading = parseCatalogue(`upstreams: {${upstreams}}\nmodels: {${models}}`, {});
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}
const upstreamOf = (name: string, keys: string): string =>
  `${name}: { protocol: openai, baseUrl: "http://x.example", apiKeyEnv: [${keys}] }`;
const modelOf = (id: string, upstream: string, model: string): string =>
  `${id}: { type: chat, endpoints: [messages], contextTokens: 9, maxOutputTokens: 9, price: { input: 1, output: 1 },` +
  ` routes: [ { upstream: ${upstream}, model: ${model} } ] }`;

for (const kind of ["broken", "timeout"] as const) {
  test(`three ${kind} calls in a row rest the route, not its credential; one that works forgets them`, () => {
    const { health } = scene();
    fail(health, failure(kind), 2);
    health.begin(ROUTE, "A", INTERACTIVE).succeeded();
    fail(health, failure(kind), 2);
    assert.equal(health.route(ROUTE).kind, "ready");
    fail(health, failure(kind));
    assert.deepEqual(
      [health.route(ROUTE).kind, health.credentialRests("up", "A")],
      ["resting", false],
    );
    assert.equal(
      health.route({ upstream: "up", model: "other" }).kind,
      "ready",
      "another model of the upstream is another route",
    );
  });
}

for (const status of [401, 402, 403]) {
  test(`a ${status} rests the credential at once, for half a minute, then for longer while it keeps being refused`, () => {
    const { health, pass, events } = scene();
    for (const ms of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
      fail(health, failure("credentials", status));
      pass(ms - 1);
      assert.ok(health.credentialRests("up", "A"), `${ms - 1} ms later`);
      assert.ok(!health.credentialRests("up", "B"), "the other one has done nothing");
      pass(1);
      assert.ok(!health.credentialRests("up", "A"), `${ms} ms later`);
    }
    assert.deepEqual(
      events,
      [{ kind: "credential-refused", upstream: "up", credential: "A", status }],
      "told once",
    );
    health.begin(ROUTE, "A", INTERACTIVE).succeeded();
    fail(health, failure("credentials", status));
    assert.equal(events.length, 2, "it worked in between, so it is news again");
  });
}

test("refused credentials count as failures of the route, a credential that works makes up for them", () => {
  const { health } = scene();
  for (const key of ["A", "B"]) fail(health, failure("credentials", 401), 1, key);
  assert.equal(health.route(ROUTE).kind, "ready");
  fail(health, failure("credentials", 401), 1, "C");
  assert.equal(health.route(ROUTE).kind, "resting");
  health.begin(ROUTE, "D", INTERACTIVE).succeeded();
  assert.deepEqual([health.route(ROUTE).kind, health.credentialRests("up", "A")], ["ready", true]);
});

test("a model that the upstream does not know rests its route at once, and no credential", () => {
  const { health, pass } = scene();
  fail(health, failure("credentials", 404));
  assert.deepEqual(
    [health.route(ROUTE).kind, health.credentialRests("up", "A")],
    ["resting", false],
  );
  pass(30_000);
  fail(health, failure("credentials", 404));
  pass(59_999);
  assert.equal(health.route(ROUTE).kind, "resting");
  pass(1);
  assert.equal(health.route(ROUTE).kind, "ready");
});

test("a busy credential (429) and a busy route (503, 529) rest for as long as they ask, a minute at most, a second if they do not say", () => {
  for (const [retryAfterSeconds, ms] of [
    [7, 7_000],
    [3600, 60_000],
    [null, 1_000],
  ] as const) {
    for (const [status, rests] of [
      [429, (health: CircuitBreakers) => health.credentialRests("up", "A")],
      [503, (health: CircuitBreakers) => health.route(ROUTE).kind === "resting"],
      [529, (health: CircuitBreakers) => health.route(ROUTE).kind === "resting"],
    ] as const) {
      const { health, pass } = scene();
      fail(health, failure("busy", status, retryAfterSeconds));
      pass(ms - 1);
      assert.ok(rests(health), `${status}, ${ms - 1} ms later`);
      pass(1);
      assert.deepEqual(
        [health.route(ROUTE).kind, health.credentialRests("up", "A")],
        ["ready", false],
        `${status}, ${ms} ms later`,
      );
    }
  }
});

test("being busy is no failure however often, the caller's own mistake shows that the upstream lives", () => {
  const { health, pass } = scene();
  fail(health, failure("broken"), 2);
  fail(health, failure("busy", 529), 50);
  pass(1_000);
  assert.equal(health.route(ROUTE).kind, "ready");
  fail(health, failure("caller", 400));
  fail(health, failure("broken"), 2);
  assert.equal(health.route(ROUTE).kind, "ready");
});

test("a call that we gave up ourselves says nothing, and a probe that was given up is free again", () => {
  const { health, pass } = scene();
  for (let i = 0; i < 50; i++) health.begin(ROUTE, "A", INTERACTIVE).abandoned();
  assert.equal(health.route(ROUTE).kind, "ready");
  fail(health, failure("broken"), 3);
  pass(5_000);
  const probe = health.begin(ROUTE, "A", INTERACTIVE);
  assert.equal(health.route(ROUTE).kind, "resting");
  probe.abandoned();
  assert.equal(health.route(ROUTE).kind, "ready");
});

test("the twentieth failure in a row opens the circuit, each failed probe for longer, one that works closes it; both are told once", () => {
  const { health, pass, events } = scene();
  fail(health, failure("broken"), 19);
  assert.equal(health.route(ROUTE).kind, "resting");
  fail(health, failure("broken", 500));
  assert.deepEqual(health.route(ROUTE), { kind: "open", retryInMs: 1_000 });
  for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const view = health.route(ROUTE);
    assert.deepEqual(view, { kind: "open", retryInMs: ms });
    pass(ms);
    const probe = health.begin(ROUTE, "A", INTERACTIVE);
    const late = health.begin(ROUTE, "A", INTERACTIVE);
    assert.equal(health.route(ROUTE).kind, "open", "nobody else while it is probed");
    late.failed(failure("timeout"));
    assert.deepEqual(
      health.route(ROUTE),
      { kind: "open", retryInMs: 1_000 },
      "what is no probe changes nothing",
    );
    probe.failed(failure("timeout"));
  }
  pass(30_000);
  health.begin(ROUTE, "A", INTERACTIVE).succeeded();
  assert.equal(health.route(ROUTE).kind, "ready");
  assert.deepEqual(events, [
    { kind: "opened", upstream: "up", model: "m", failures: 20, status: 500 },
    { kind: "closed", upstream: "up", model: "m", failures: 34 },
  ]);
  fail(health, failure("broken"), 2);
  assert.equal(health.route(ROUTE).kind, "ready", "everything is forgotten");
});

test("a probe that finds the upstream busy neither closes the circuit nor opens it for longer", () => {
  const { health, pass } = scene();
  fail(health, failure("timeout"), 20);
  pass(1_000);
  fail(health, failure("busy", 429));
  assert.deepEqual(health.route(ROUTE), { kind: "open", retryInMs: 1_000 });
  pass(1_000);
  fail(health, failure("busy", 503, 20));
  assert.deepEqual(health.route(ROUTE), { kind: "open", retryInMs: 20_000 });
});

test("an answer that was long under way when the circuit opened closes it, and its probe then tells nothing any more", () => {
  const { health, pass } = scene();
  const slow = health.begin(ROUTE, "A", INTERACTIVE);
  fail(health, failure("broken"), 20);
  pass(1_000);
  const probe = health.begin(ROUTE, "A", INTERACTIVE);
  slow.succeeded();
  assert.equal(health.route(ROUTE).kind, "ready");
  fail(health, failure("broken"), 3);
  probe.failed(failure("broken"));
  pass(4_999);
  assert.equal(health.route(ROUTE).kind, "resting");
  pass(1);
  assert.equal(
    health.route(ROUTE).kind,
    "ready",
    "the rest of three failures, not of a failed probe",
  );
});

test("credentials take turns, per upstream", () => {
  const { health } = scene();
  assert.deepEqual(
    [1, 2, 3, 4].map(() => health.credentialsInTurn("up", KEYS).join("")),
    ["ABC", "BCA", "CAB", "ABC"],
  );
  assert.deepEqual(health.credentialsInTurn("other", KEYS), KEYS);
  assert.deepEqual(health.credentialsInTurn("up", ["A"]), ["A"]);
  assert.deepEqual(health.credentialsInTurn("up", []), []);
});

test("what the catalogue no longer has is forgotten, what it still has is not", () => {
  const { health } = scene();
  const before = catalogueOf(
    `${upstreamOf("up", "A, B")}, ${upstreamOf("gone", "A")}`,
    `${modelOf("x", "up", "m")}, ${modelOf("y", "gone", "m")}`,
  );
  health.keepOnly(before);
  assert.deepEqual(
    [...health.states()],
    [
      ["up/m", 0],
      ["gone/m", 0],
    ],
  );
  fail(health, failure("credentials", 401), 20);
  for (let i = 0; i < 3; i++)
    health
      .begin({ upstream: "gone", model: "m" }, "A", INTERACTIVE)
      .failed(failure("credentials", 401));
  assert.deepEqual(
    [...health.states()],
    [
      ["up/m", 2],
      ["gone/m", 1],
    ],
  );
  health.keepOnly(catalogueOf(upstreamOf("up", "A"), modelOf("x", "up", "m")));
  assert.deepEqual([...health.states()], [["up/m", 2]]);
  assert.ok(health.credentialRests("up", "A"));
  health.keepOnly(before);
  assert.deepEqual(
    [...health.states()],
    [
      ["up/m", 2],
      ["gone/m", 0],
    ],
  );
  assert.ok(!health.credentialRests("gone", "A"));
});

test("what can wait opens its route after three failures, with one word to the operator; refused credentials open none", () => {
  const { health, events, pass } = scene();
  const call = (reported: UpstreamFailure): void =>
    health.begin(ROUTE, "A", DEFERRABLE).failed(reported);
  call(failure("broken"));
  call(failure("timeout"));
  assert.equal(health.route(ROUTE).kind, "ready");
  call(failure("broken", 500));
  assert.deepEqual(health.route(ROUTE), { kind: "open", retryInMs: 5_000 });
  pass(5_000);
  call(failure("broken", 500));
  assert.deepEqual(health.route(ROUTE), { kind: "open", retryInMs: 10_000 });
  pass(10_000);
  health.begin(ROUTE, "A", DEFERRABLE).succeeded();
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["opened", "closed"],
  );
  for (let i = 0; i < 30; i++) call(failure("credentials"));
  assert.equal(health.route(ROUTE).kind, "ready");
  assert.deepEqual(health.restOfCredential("up", "A"), { retryInMs: 30_000, why: "refused" });
});

test("a credential rests for what its upstream said elsewhere, within the longest pause", () => {
  const { health, pass } = scene();
  health.credentialBusy("up", "A", 400_000, DEFERRABLE);
  assert.deepEqual(health.restOfCredential("up", "A"), { retryInMs: 300_000, why: "busy" });
  assert.equal(health.restOfCredential("up", "B"), null);
  pass(300_000);
  assert.equal(health.restOfCredential("up", "A"), null);
});

test("what is taken out comes back when its time is over, with what was known of it, and other routes are not touched", () => {
  const { health, pass } = scene();
  const elsewhere: RouteName = { upstream: "up", model: "other" };
  fail(health, failure("broken"), 3);
  health.takeOut([{ upstream: "up", model: "m", leftMs: 2_000 }]);
  assert.deepEqual(health.route(ROUTE), { kind: "open", takenOut: true, retryInMs: 2_000 });
  assert.equal(health.route(elsewhere).kind, "ready");
  pass(2_000);
  assert.equal(health.route(ROUTE).kind, "resting", "it still rests after its failures");
  health.takeOut([{ upstream: "up", model: null, leftMs: 2_000 }]);
  assert.deepEqual(
    [health.route(ROUTE).kind, health.route(elsewhere).kind],
    ["open", "open"],
    "an upstream is out with all its routes",
  );
  health.takeOut([]);
  assert.equal(health.route(elsewhere).kind, "ready");
});
