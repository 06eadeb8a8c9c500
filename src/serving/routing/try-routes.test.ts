/**
 * Protects: routes are asked one after the other until one answers; a place is held no longer than
 * its call, and only what an upstream did is a mark against its route (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { createCircuitBreakers } from "./circuit-breakers.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";
import { INTERACTIVE } from "./failure-rules.ts";
import { readyRoute, type ReadyRoute, type RouteHead, type RouteTry } from "./route-selection.ts";
import {
  type Pending,
  searchRoutes,
  Coming,
  tryRoutes,
  type CallResult,
  type PendingListener,
} from "./try-routes.ts";
import { brokenAnswer, type UpstreamFailure } from "./upstream-failure.ts";

interface Reported {
  readonly kind: "answered";
  readonly word: string;
}
type Script = (current: RouteTry) => CallResult<Reported, "nothing" | "over">;

const BROKEN = brokenAnswer("status 500");
const GATEWAY: UpstreamFailure = { ...BROKEN, kind: "gateway" };

function upstreamOf(name: string, apiKeyEnv: readonly string[]): UpstreamConfig {
  return {
    name,
    protocol: "openai",
    baseUrl: "http://x.example",
    apiKeyEnv,
    timeoutsMs: { connect: 1, firstByte: 1, idle: 1 },
    maxConcurrent: 1,
    onDisconnect: "abort",
    resultHosts: [],
  };
}

/** Two routes, each with one place. */
function scene(keys: readonly string[] = ["KEY"]) {
  const routes = ["first", "second"].map((upstream, order): Route => {
    return { upstream, model: "m", order, weight: 1, cost: null };
  });
  const ready = routes.map((route) =>
    readyRoute(route, upstreamOf(route.upstream, keys), () => "value"),
  );
  const health = createCircuitBreakers({
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
    kinds: new Set(["chat"]),
    onCircuit: () => undefined,
  });
  const places = createConcurrencyLimiter();
  const asked: string[] = [];
  const skipped: string[] = [];
  const calls = {
    aborted: false,
    onSkipped: ({ upstream }: RouteHead, { reason }: WordedReason) =>
      void skipped.push(`${upstream}: ${reason}`),
    exhausted: (): "nothing" | "over" => "nothing",
  };
  return {
    asked,
    calls,
    skipped,
    /** How often each route's upstream failed in a row: three bring a rest. */
    rests: () => routes.map((route) => health.route(route).kind === "resting"),
    isFree(upstream: string): boolean {
      const [route] = routes.filter((each) => each.upstream === upstream);
      assert.ok(route !== undefined);
      const place = places.take(upstreamOf(upstream, keys), route);
      place?.release();
      return place !== null;
    },
    /** Without a promise. */
    search: (
      call: (current: RouteTry) => Pending<Reported | UpstreamFailure>,
      listener: PendingListener<Reported | "nothing" | "over">,
    ) =>
      searchRoutes(
        { health, places, random: () => 0, rules: INTERACTIVE },
        ready,
        { ...calls, call },
        listener,
      ),
    ask: (script: Script, choice: readonly ReadyRoute[] = ready) =>
      tryRoutes({ health, places, random: () => 0, rules: INTERACTIVE }, choice, {
        ...calls,
        get aborted() {
          return calls.aborted;
        },
        async call(current: RouteTry) {
          asked.push(current.ready.upstream.name);
          return script(current);
        },
      }),
  };
}

test("the next route is asked after a failure; the one that answers keeps its place until it is released", async () => {
  const stage = scene();
  let kept: RouteTry | null = null;
  const end = await stage.ask((current) => {
    if (current.ready.upstream.name === "first") return BROKEN;
    kept = current;
    return { kind: "answered", word: "hello" };
  });
  assert.deepEqual([end, stage.asked], [{ kind: "answered", word: "hello" }, ["first", "second"]]);
  assert.deepEqual([stage.isFree("first"), stage.isFree("second")], [true, false]);
  assert.ok(kept !== null);
  (kept as RouteTry).release();
  assert.ok(stage.isFree("second"));
});

test("without an answer all failures are marks, and what comes instead is up to the one who asked", async () => {
  const stage = scene();
  for (let i = 0; i < 3; i++) assert.equal(await stage.ask(() => BROKEN), "nothing");
  assert.deepEqual(stage.rests(), [true, true]);
  assert.deepEqual(stage.asked, ["first", "second", "first", "second", "first", "second"]);
});

test("what breaks after it was aborted is no mark, and no other route is asked", async () => {
  const stage = scene();
  for (let i = 0; i < 3; i++) {
    stage.calls.aborted = false;
    const end = await stage.ask(() => {
      stage.calls.aborted = true;
      return BROKEN;
    });
    assert.equal(end, "nothing");
  }
  assert.deepEqual([stage.rests(), stage.asked.includes("second")], [[false, false], false]);
  assert.ok(stage.isFree("first"));
  assert.equal(await stage.ask(() => assert.fail("aborted before")), "nothing");
});

test("a call that throws gives its place back, is no mark, and ends it", async () => {
  const stage = scene();
  for (let i = 0; i < 3; i++) {
    const thrown = stage.ask(() => {
      throw new Error("a mistake of ours");
    });
    await assert.rejects(thrown, /a mistake of ours/);
  }
  assert.ok(stage.isFree("first"));
  assert.deepEqual([stage.rests(), stage.asked.includes("second")], [[false, false], false]);
});

test("what this process lacks for any call is asked of no other route", async () => {
  const stage = scene();
  assert.equal(await stage.ask(() => GATEWAY), "nothing");
  assert.deepEqual([stage.asked, stage.rests()], [["first"], [false, false]]);
});

test("a route without a place is passed over, and said to be", async () => {
  const stage = scene();
  await stage.ask(() => ({ kind: "answered", word: "kept" }));
  await stage.ask(() => ({ kind: "answered", word: "kept" }));
  assert.equal(await stage.ask(() => assert.fail("no place")), "nothing");
  const full = ["first", "second"].map((name) => `${name}: every place is taken`);
  assert.deepEqual(stage.skipped, ["first: every place is taken", ...full]);
});

test("an end without an answer asks no other route, and its failure is a mark", async () => {
  const stage = scene();
  for (let i = 0; i < 3; i++) {
    const over = await stage.ask(() => ({ kind: "ended", end: "over", failure: BROKEN }));
    assert.equal(over, "over");
  }
  assert.deepEqual([stage.rests(), stage.asked.includes("second")], [[true, false], false]);
  assert.ok(stage.isFree("first"));
  const other = scene();
  for (let i = 0; i < 3; i++)
    await other.ask(() => ({ kind: "ended", end: "over", failure: null }));
  assert.deepEqual(other.rests(), [false, false], "what came in between is none");
});

test("a route whose turn it is not is passed over with all its credentials, without a mark", async () => {
  const stage = scene(["KEY", "OTHER"]);
  const end = await stage.ask((current) =>
    current.ready.upstream.name === "first"
      ? { kind: "passed-over" }
      : { kind: "answered", word: "hello" },
  );
  assert.deepEqual([end, stage.asked], [{ kind: "answered", word: "hello" }, ["first", "second"]]);
  assert.ok(stage.isFree("first"));
  assert.deepEqual(stage.rests(), [false, false]);
});

/** What the test says comes, when it says so. */
type Answering = Coming<Reported | UpstreamFailure>;

test("an answer that comes without a promise is heard of at once; after a failure no call begins in the middle of its end", async () => {
  const stage = scene();
  const comings: Answering[] = [];
  const heard: unknown[] = [];
  stage.search(
    () => {
      const coming: Answering = new Coming();
      comings.push(coming);
      return coming;
    },
    { over: (end) => void heard.push(end), failed: () => assert.fail() },
  );
  comings[0]?.over(BROKEN);
  assert.equal(comings.length, 1);
  await Promise.resolve();
  assert.equal(comings.length, 2);
  assert.ok(stage.isFree("first") && !stage.isFree("second"));
  const answer: Reported = { kind: "answered", word: "hello" };
  comings[1]?.over(answer);
  assert.deepEqual(heard, [answer]);
});

test("a call whose end without a promise is a mistake of ours gives its place back and ends it", () => {
  const stage = scene();
  const coming: Answering = new Coming();
  const heard: unknown[] = [];
  stage.search(() => coming, {
    over: () => assert.fail(),
    failed: (error) => void heard.push(error),
  });
  coming.failed("a mistake");
  assert.deepEqual([heard, stage.isFree("first")], [["a mistake"], true]);
});

test("what comes before there is a listener is heard all the same", async () => {
  const answer: Reported = { kind: "answered", word: "hello" };
  for (const [tell, wanted] of [
    [(coming: Answering) => coming.over(answer), answer],
    [(coming: Answering) => coming.failed("a mistake"), "a mistake"],
  ] as const) {
    const heard: unknown[] = [];
    const listener = {
      over: (end: unknown) => void heard.push(end),
      failed: (error: unknown) => void heard.push(error),
    };
    scene().search(() => {
      const coming: Answering = new Coming();
      tell(coming);
      return coming;
    }, listener);
    assert.deepEqual(heard, [wanted]);
  }
});
