/**
 * Protects: the order in which a request tries routes and credentials, what it passes over, what it
 * tries as the last resort, and when it stops.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { createCircuitBreakers } from "./circuit-breakers.ts";
import { DEFERRABLE, INTERACTIVE, type FailureRules } from "./failure-rules.ts";
import type { RouteSelection } from "./route-selection.ts";
import { createRouteSelection, readyRoute } from "./route-selection.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";

const BROKEN: UpstreamFailure = {
  kind: "broken",
  status: 500,
  reason: "scripted",
  callerText: null,
  retryAfterSeconds: null,
};
const REFUSED: UpstreamFailure = { ...BROKEN, kind: "credentials", status: 401 };
const UNKNOWN_MODEL: UpstreamFailure = { ...BROKEN, kind: "credentials", status: 404 };
const LIMITED: UpstreamFailure = { ...BROKEN, kind: "busy", status: 429 };
const OVERLOADED: UpstreamFailure = { ...BROKEN, kind: "busy", status: 529, retryAfterSeconds: 9 };
const CALLERS: UpstreamFailure = { ...BROKEN, kind: "caller", status: 400 };

const UNSET = "UNSET";

function upstream(name: string, apiKeyEnv: readonly string[], maxConcurrent = 100): UpstreamConfig {
  const timeoutsMs = { connect: 1, firstByte: 1, idle: 1 };
  return {
    name,
    protocol: "openai",
    baseUrl: "http://x.example",
    apiKeyEnv,
    timeoutsMs,
    maxConcurrent,
    onDisconnect: "abort",
    resultHosts: [],
  };
}

function route(upstreamName: string, order: number, rest: Partial<Route> = {}): Route {
  return { upstream: upstreamName, model: "m", order, weight: 1, cost: null, ...rest };
}

function scene(
  upstreams: readonly UpstreamConfig[],
  routes: readonly Route[],
  random: () => number = () => 0,
  rules: FailureRules = INTERACTIVE,
) {
  let nowMs = 1_000_000;
  const health = createCircuitBreakers({
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    kinds: new Set(["chat"]),
    onCircuit: () => undefined,
  });
  const places = createConcurrencyLimiter();
  const skipped: string[] = [];
  const waits: (number | null)[] = [];
  const credential = (name: string): string | undefined =>
    name === UNSET ? undefined : `value of ${name}`;
  const ready = routes.flatMap((each) =>
    upstreams
      .filter(({ name }) => name === each.upstream)
      .map((of) => readyRoute(each, of, credential)),
  );
  return {
    health,
    skipped,
    waits,
    pass: (ms: number) => void (nowMs += ms),
    request: () =>
      createRouteSelection({ health, places, random, rules }, ready, {
        onSkipped(skippedRoute, { reason }, ms) {
          skipped.push(`${skippedRoute.upstream}: ${reason}`);
          waits.push(ms);
        },
      }),
  };
}

/**
 * Makes all tries, which end as the script says by upstream, and returns them as
 * `upstream/credential`; places are given back.
 */
function run(
  tries: RouteSelection,
  script: Readonly<Record<string, UpstreamFailure | null>>,
): string[] {
  const made: string[] = [];
  for (let each = tries.next(); each !== null; each = tries.next()) {
    made.push(`${each.ready.route.upstream}/${each.credential.name}`);
    each.release();
    const failure = script[each.ready.route.upstream];
    assert.notEqual(failure, undefined, each.ready.route.upstream);
    if (failure === null || failure === undefined) {
      each.succeeded();
      break;
    }
    each.failed(failure);
  }
  return made;
}

test("two orders with weights: the first place goes by weight, the second order only after the first (seeded)", () => {
  let seed = 42;
  // Park and Miller's generator: the same numbers on every machine.
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const routes = [
    route("a", 1, { weight: 3 }),
    route("b", 1, { weight: 1 }),
    route("c", 2, { weight: 1 }),
    route("d", 2, { weight: 9 }),
  ];
  const stage = scene(
    ["a", "b", "c", "d"].map((name) => upstream(name, ["K"])),
    routes,
    random,
  );
  const firsts: Record<string, number> = {};
  const thirds: Record<string, number> = {};
  for (let i = 0; i < 4_000; i++) {
    const made = run(stage.request(), { a: OVERLOADED, b: OVERLOADED, c: OVERLOADED, d: null });
    stage.pass(60_000);
    assert.deepEqual(made.slice(0, 2).toSorted(), ["a/K", "b/K"]);
    firsts[made[0] ?? ""] = (firsts[made[0] ?? ""] ?? 0) + 1;
    thirds[made[2] ?? ""] = (thirds[made[2] ?? ""] ?? 0) + 1;
  }
  const share = (counts: Record<string, number>, name: string): number =>
    (counts[name] ?? 0) / 4_000;
  assert.ok(Math.abs(share(firsts, "a/K") - 0.75) < 0.02, JSON.stringify(firsts));
  assert.ok(Math.abs(share(thirds, "d/K") - 0.9) < 0.02, JSON.stringify(thirds));
});

test("credentials of a route take turns, and a refused or limited one is followed by the next, each once", () => {
  for (const refusal of [REFUSED, LIMITED]) {
    const stage = scene(
      [upstream("a", ["K1", "K2", "K3"]), upstream("b", ["K"])],
      [route("a", 1), route("b", 2)],
    );
    assert.deepEqual(run(stage.request(), { a: null }), ["a/K1"]);
    assert.deepEqual(run(stage.request(), { a: null }), ["a/K2"]);
    assert.deepEqual(run(stage.request(), { a: refusal, b: null }), [
      "a/K3",
      "a/K1",
      "a/K2",
      "b/K",
    ]);
  }
});

test("what is no fault of the credential is not tried with another one", () => {
  for (const failure of [BROKEN, UNKNOWN_MODEL, OVERLOADED]) {
    const stage = scene(
      [upstream("a", ["K1", "K2"]), upstream("b", ["K"])],
      [route("a", 1), route("b", 2)],
    );
    assert.deepEqual(run(stage.request(), { a: failure, b: BROKEN }), ["a/K1", "b/K"]);
  }
});

test("the caller's own mistake ends it", () => {
  const stage = scene(
    [upstream("a", ["K1", "K2"]), upstream("b", ["K"])],
    [route("a", 1), route("b", 2)],
  );
  const tries = stage.request();
  assert.deepEqual(run(tries, { a: CALLERS }), ["a/K1"]);
  assert.equal(tries.fault().code, "invalid_request");
});

test("a resting credential is passed over for another, and for another route; it is still the last resort", () => {
  const stage = scene(
    [upstream("a", ["K1", "K2"]), upstream("b", ["K"])],
    [route("a", 1), route("b", 2)],
  );
  stage.health.begin(route("a", 1), "K1", INTERACTIVE).failed(REFUSED);
  for (let i = 0; i < 4; i++) assert.deepEqual(run(stage.request(), { a: null }), ["a/K2"]);
  assert.deepEqual(run(stage.request(), { a: BROKEN, b: null }), ["a/K2", "b/K"]);
  assert.deepEqual(stage.skipped, [], "the route was called, with its other credential");
  stage.health.begin(route("a", 1), "K2", INTERACTIVE).failed(REFUSED);
  assert.deepEqual(run(stage.request(), { b: null }), ["b/K"]);
  assert.deepEqual(stage.skipped, ["a: it rests after failures"]);
  const made = run(stage.request(), { b: BROKEN, a: REFUSED });
  assert.deepEqual([made[0], made.slice(1).toSorted()], ["b/K", ["a/K1", "a/K2"]]);
});

test("a resting route is passed over for one of a later order, and comes back by one probe at a time", () => {
  const stage = scene([upstream("a", ["K"]), upstream("b", ["K"])], [route("a", 1), route("b", 2)]);
  for (let i = 0; i < 3; i++)
    assert.deepEqual(run(stage.request(), { a: BROKEN, b: null }), ["a/K", "b/K"]);
  assert.deepEqual(run(stage.request(), { b: null }), ["b/K"]);
  stage.pass(5_000);
  const probe = stage.request().next();
  assert.equal(probe?.ready.upstream.name, "a");
  assert.deepEqual(run(stage.request(), { b: null }), ["b/K"], "while another request probes it");
  probe?.succeeded();
  assert.deepEqual(run(stage.request(), { a: null }), ["a/K"]);
});

test("a sole route that rests is tried all the same, by everybody, and is no skipped route", () => {
  const stage = scene([upstream("a", ["K"])], [route("a", 1)]);
  for (let i = 0; i < 10; i++) assert.deepEqual(run(stage.request(), { a: BROKEN }), ["a/K"]);
  const [one, other] = [stage.request().next(), stage.request().next()];
  assert.ok(one !== null && other !== null);
  assert.deepEqual(stage.skipped, []);
});

test("an open route is not called at all; when all are open the caller hears when the first may be probed", () => {
  const names = ["a", "b", "c"];
  const stage = scene(
    names.map((name) => upstream(name, ["K", "K2"])),
    names.map((name, at) => route(name, at)),
  );
  const fails = (name: string, times: number): void => {
    for (let i = 0; i < times; i++)
      stage.health.begin(route(name, 1), "K", INTERACTIVE).failed(BROKEN);
  };
  fails("a", 20);
  assert.deepEqual(run(stage.request(), { b: null }), ["b/K"]);
  assert.deepEqual(stage.skipped, ["a: its circuit is open"]);
  // Two failed probes: 1 s, 2 s and now 4 s.
  fails("c", 20);
  stage.pass(1_000);
  for (const name of ["a", "c"]) fails(name, 1);
  stage.pass(2_000);
  for (const name of ["a", "c"]) fails(name, 1);
  fails("b", 20);
  // One failed probe: 1 s and now 2 s.
  stage.pass(1_000);
  fails("b", 1);
  stage.pass(500);
  const tries = stage.request();
  assert.deepEqual(run(tries, {}), []);
  assert.deepEqual(
    [tries.fault().code, tries.fault().details.retryAfterSeconds],
    ["overloaded", 2],
    "a and c in 2.5 s, b in 1.5 s",
  );
});

test("after its open time one request probes the sole route, and the others are refused meanwhile", () => {
  const stage = scene([upstream("a", ["K"])], [route("a", 1)]);
  for (let i = 0; i < 20; i++) run(stage.request(), { a: BROKEN });
  assert.equal(stage.request().next(), null);
  stage.pass(1_000);
  const probe = stage.request().next();
  assert.ok(probe !== null);
  const refused = stage.request();
  assert.equal(refused.next(), null);
  assert.deepEqual(
    [refused.fault().code, refused.fault().details.retryAfterSeconds],
    ["overloaded", 1],
  );
  probe.succeeded();
  assert.deepEqual(run(stage.request(), { a: null }), ["a/K"]);
});

test("a full route or upstream is passed over; when all are full the caller may come again in a second, and nothing is remembered against them", () => {
  const stage = scene(
    [upstream("a", ["K1", "K2"]), upstream("b", ["K"], 1)],
    [route("a", 1, { maxConcurrent: 1 }), route("b", 2)],
  );
  const first = stage.request().next();
  const second = stage.request().next();
  assert.deepEqual([first?.ready.upstream.name, second?.ready.upstream.name], ["a", "b"]);
  assert.deepEqual(stage.skipped, ["a: every place is taken"]);
  const third = stage.request();
  assert.equal(third.next(), null);
  assert.deepEqual(
    [third.fault().code, third.fault().details.retryAfterSeconds],
    ["overloaded", 1],
  );
  first?.succeeded();
  assert.equal(stage.request().next(), null, "an answer keeps its place until its end");
  first?.release();
  assert.equal(stage.request().next()?.ready.upstream.name, "a");
});

test("a credential that is not set is no credential; a route without one is passed over, and named to the operator where nothing else answers", () => {
  const stage = scene(
    [upstream("a", [UNSET, "K"]), upstream("b", [UNSET])],
    [route("b", 1), route("a", 2)],
  );
  for (let i = 0; i < 3; i++) assert.deepEqual(run(stage.request(), { a: null }), ["a/K"]);
  assert.equal(stage.skipped[0], "b: no credential of b is set (UNSET)");
  const alone = scene([upstream("b", [UNSET])], [route("b", 1)]);
  const tries = alone.request();
  assert.equal(tries.next(), null);
  const fault = tries.fault();
  assert.deepEqual(
    [fault.code, fault.details.cause],
    ["upstream_error", "no credential of b is set (UNSET)"],
  );
  assert.ok(!fault.message.includes(UNSET));
});

test("one request makes six calls at most", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const stage = scene(
    names.map((name) => upstream(name, ["K"])),
    names.map((name, index) => route(name, index)),
  );
  const made = run(stage.request(), Object.fromEntries(names.map((name) => [name, BROKEN])));
  assert.deepEqual(made, ["a/K", "b/K", "c/K", "d/K", "e/K", "f/K"]);
});

test("what was called and failed is told before what was only passed over", () => {
  const stage = scene(
    [upstream("a", ["K"]), upstream("b", ["K"], 1)],
    [route("a", 1), route("b", 2)],
  );
  for (let i = 0; i < 20; i++) stage.health.begin(route("b", 2), "K", INTERACTIVE).failed(BROKEN);
  const tries = stage.request();
  run(tries, { a: { ...BROKEN, kind: "timeout", status: null } });
  assert.equal(tries.fault().code, "upstream_timeout");
});

const deferrable = (keys: readonly string[]) =>
  scene([upstream("a", keys)], [route("a", 1)], () => 0, DEFERRABLE);

test("what can wait is not called while its only route is open, hears for how long, and probes it alone", () => {
  const stage = deferrable(["K1", "K2"]);
  for (let i = 0; i < 3; i++) assert.equal(run(stage.request(), { a: BROKEN }).length, 1);
  for (const ms of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    assert.deepEqual(run(stage.request(), {}), [], "no last resort");
    assert.deepEqual([stage.skipped.at(-1), stage.waits.at(-1)], ["a: its circuit is open", ms]);
    stage.pass(ms);
    const probe = stage.request().next();
    assert.deepEqual(run(stage.request(), {}), [], "one probe at a time");
    assert.equal(stage.waits.at(-1), 5_000, "and no crowd that looks every second");
    probe?.failed(BROKEN);
  }
  stage.pass(60_000);
  assert.equal(run(stage.request(), { a: null }).length, 1);
  assert.equal(run(stage.request(), { a: null }).length, 1, "healed");
});

test("what can wait does not wait for a refused credential, which an operator has to mend, but for a busy one, and for the probe", () => {
  const stage = deferrable(["K1", "K2"]);
  const refused = { ...REFUSED, status: null };
  assert.deepEqual(run(stage.request(), { a: refused }), ["a/K1", "a/K2"]);
  assert.deepEqual([stage.skipped, stage.waits], [[], []], "both were called");
  assert.deepEqual(run(stage.request(), {}), []);
  assert.deepEqual(
    [stage.skipped, stage.waits],
    [["a: its credentials were refused a moment ago"], [null]],
  );
  stage.pass(30_000);
  const probe = stage.request().next();
  assert.equal(probe?.credential.name, "K1");
  const other = stage.request().next();
  assert.equal(other?.credential.name, "K2");
  assert.deepEqual(run(stage.request(), {}), []);
  assert.equal(stage.waits.at(-1), 5_000, "while both are probed");
  probe?.failed(refused);
  other?.failed({ ...LIMITED, retryAfterSeconds: 7 });
  assert.deepEqual(run(stage.request(), {}), []);
  assert.equal(stage.waits.at(-1), null, "it was refused before it was busy");
  for (let i = 0; i < 30; i++) {
    stage.pass(30_000);
    assert.equal(run(stage.request(), { a: refused }).length, 2, "no longer than thirty seconds");
  }
});

test("of a route whose other credential was called, the busy one's pause is told, a refused one's not", () => {
  const stage = deferrable(["K1", "K2"]);
  const busy = { ...LIMITED, retryAfterSeconds: 90 };
  stage.health.begin(route("a", 1), "K1", DEFERRABLE).failed(busy);
  assert.deepEqual(run(stage.request(), { a: REFUSED }), ["a/K2"]);
  assert.deepEqual(stage.waits, [90_000]);
  const other = deferrable(["K1", "K2"]);
  other.health.begin(route("a", 1), "K1", DEFERRABLE).failed(REFUSED);
  assert.deepEqual(run(other.request(), { a: busy }), ["a/K2"]);
  assert.deepEqual(other.waits, [90_000]);
});

test("what an operator took out is not called, not even as the last resort; a sole one's callers may come again in a minute at most", () => {
  const stage = scene([upstream("a", ["K"]), upstream("b", ["K"])], [route("a", 1), route("b", 2)]);
  stage.health.takeOut([{ upstream: "a", model: "m", leftMs: 3_600_000 }]);
  assert.deepEqual(run(stage.request(), { b: null }), ["b/K"]);
  assert.deepEqual(stage.skipped, ["a: an operator took it out"]);
  stage.health.takeOut([
    { upstream: "a", model: null, leftMs: 3_600_000 },
    { upstream: "b", model: "m", leftMs: 5_000 },
  ]);
  const refused = stage.request();
  assert.deepEqual(run(refused, {}), []);
  assert.deepEqual(
    [refused.fault().code, refused.fault().details.retryAfterSeconds],
    ["overloaded", 5],
  );
  stage.pass(5_000);
  assert.deepEqual(run(stage.request(), { b: OVERLOADED }), ["b/K"]);
  stage.health.takeOut([{ upstream: "b", model: null, leftMs: 3_600_000 }]);
  const other = stage.request();
  assert.deepEqual(run(other, { a: OVERLOADED }), ["a/K"], "put back, it is called at once");
  stage.health.takeOut([
    { upstream: "a", model: null, leftMs: 3_600_000 },
    { upstream: "b", model: null, leftMs: 3_600_000 },
  ]);
  const none = stage.request();
  assert.deepEqual(run(none, {}), []);
  assert.equal(none.fault().details.retryAfterSeconds, 60);
});

test("what can wait waits for what an operator took out, and looks again within a minute", () => {
  const stage = scene([upstream("a", ["K"])], [route("a", 1)], () => 0, DEFERRABLE);
  stage.health.takeOut([{ upstream: "a", model: null, leftMs: 3_600_000 }]);
  assert.deepEqual(run(stage.request(), {}), []);
  assert.deepEqual([stage.skipped, stage.waits], [["a: an operator took it out"], [60_000]]);
});
