/**
 * Protects: an upstream of tasks that fails is left alone, and its tasks wait for it or go
 * elsewhere, with their money held until their end and charged once at most (contract §5, §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  modelOf,
  PRICE,
  upstreamOf,
  type RunningEngine,
} from "../../../test/support/engine-scene.ts";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import type { Heard } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { wakeTasks } from "../../tasks/tasks.store.ts";
import type { SubmitOutcome } from "../../upstreams/tasks/task-adapter.ts";
import { createCircuitBreakers, type CircuitEvent } from "../routing/circuit-breakers.ts";

const suite = engineSuite();

const UNREACHED: SubmitOutcome = {
  kind: "busy",
  retryAfterMs: null,
  reason: "connect: ECONNREFUSED",
  unreached: true,
};
const SERVER_ERROR: SubmitOutcome = { kind: "unknown", reason: "status 500" };

function accepted(upstreamTaskId = "far"): SubmitOutcome {
  const submittedAt = new Date().toISOString();
  return { kind: "accepted", handle: { upstreamTaskId, model: "m", submittedAt, urls: {} } };
}

/** Circuits whose time passes when the test says so, and an engine that works by them. */
function start() {
  let nowMs = 1_000_000;
  const events: CircuitEvent["kind"][] = [];
  const health = createCircuitBreakers({
    clock: { now: () => new Date(), monotonicMs: () => nowMs },
    kinds: new Set(["task"]),
    onCircuit: ({ kind }) => events.push(kind),
  });
  const running = suite.start({ deps: { health } });
  return { running, health, events, pass: (ms: number) => void (nowMs += ms) };
}

/** As if their pauses were over, until `happened`. */
function woken<T>(
  what: string,
  tasks: readonly Uuid[],
  happened: () => T | Promise<T>,
): Promise<T> {
  return until(what, async () => {
    await wakeTasks(suite.scene.db, tasks);
    return happened();
  });
}

/** So many looks of waiting tasks at what could be asked are over. */
async function looks({ steps }: RunningEngine, tasks: readonly Uuid[], count: number) {
  const before = steps.length;
  await woken(`${count} looks`, tasks, () => steps.length >= before + count);
  for (const { outcome } of steps.slice(before)) assert.equal(outcome, "busy");
}

async function heldOf(taskId: Uuid): Promise<bigint | undefined> {
  const { accountId } = await suite.scene.find(taskId);
  return (await balance(suite.scene.db, accountId))?.heldNano;
}

test("an upstream that cannot be reached is not called while its circuit is open; one probe heals it, and every task is made and charged once", async () => {
  const { scene } = suite;
  const { provider } = scene;
  const { running, health, events, pass } = start();
  provider.script.submit = () => UNREACHED;
  const tasks = [await scene.order()];
  await woken(
    "three failures",
    tasks,
    () => health.route({ upstream: "there", model: "m" }).kind === "open",
  );
  assert.equal(provider.submissions.length, 3);
  tasks.push(await scene.order(), await scene.order());
  await looks(running, tasks, 10);
  assert.equal(provider.submissions.length, 3, "no call during the cooldown");
  for (const taskId of tasks) {
    assert.equal((await scene.find(taskId)).state, "queued");
    assert.equal(await heldOf(taskId), PRICE, "held until the end");
  }

  const gate = Promise.withResolvers<void>();
  provider.script.submit = async () => {
    await gate.promise;
    return accepted(`far-${provider.submissions.length}`);
  };
  pass(5_000);
  await woken("the probe", tasks, () => provider.submissions.length === 4);
  const before = running.steps.length;
  await woken("looks meanwhile", tasks, () => running.steps.length >= before + 6);
  assert.equal(provider.submissions.length, 4, "the probe is alone");
  gate.resolve();
  for (const taskId of tasks)
    await woken("its end", tasks, async () => (await scene.find(taskId)).state === "completed");
  assert.deepEqual(events, ["opened", "closed"]);
  assert.equal(provider.submissions.length, 6);
  await scene.assertSettled(tasks);
});

test("a failed probe opens the circuit for longer, and the task waits on without a complaint", async () => {
  const { scene } = suite;
  const { health, pass } = start();
  scene.provider.script.submit = () => UNREACHED;
  const taskId = await scene.order();
  const openFor = (ms: number) =>
    woken(`it is open for ${ms} ms`, [taskId], () => {
      const view = health.route({ upstream: "there", model: "m" });
      return view.kind === "open" && view.retryInMs === ms;
    });
  const pauses = [5, 10, 20, 40, ...Array.from({ length: 9 }, () => 60)];
  for (const [probes, seconds] of pauses.entries()) {
    await openFor(seconds * 1_000);
    assert.equal(scene.provider.submissions.length, 3 + probes);
    pass(seconds * 1_000);
  }
  await openFor(60_000);
  const { state, attempts } = await scene.find(taskId);
  assert.deepEqual([state, attempts], ["queued", 16], "it lives as long as its deadline");
  assert.equal(await heldOf(taskId), PRICE);
  scene.provider.script.submit = () => accepted();
  pass(60_000);
  await woken("its end", [taskId], async () => (await scene.find(taskId)).state === "completed");
  await scene.assertSettled([taskId]);
});

test("an upstream whose submissions end unknown gets no other until its cooldown is over; none is repeated", async () => {
  const { scene } = suite;
  const { provider } = scene;
  const { running, events, pass } = start();
  provider.script.submit = () => SERVER_ERROR;
  const lost: Uuid[] = [];
  for (let i = 0; i < 3; i++) {
    const taskId = await scene.order();
    await scene.phase(taskId, "submit_unknown");
    lost.push(taskId);
  }
  await until("the circuit is open", async () => events.length === 1);
  const spared = await scene.order();
  const waits = running.steps.length;
  await woken(
    "looks",
    [spared],
    () => running.steps.slice(waits).filter(({ outcome }) => outcome === "busy").length >= 5,
  );
  assert.equal(provider.submissions.length, 3);
  assert.equal((await scene.find(spared)).attempts, 0, "it was not lost with the others");
  provider.script.submit = () => accepted();
  pass(5_000);
  await woken("its end", [spared], async () => (await scene.find(spared)).state === "completed");
  for (const taskId of lost) {
    await scene.age(taskId, 600_000);
    assert.equal((await scene.end(taskId)).error?.code, "provider_error");
  }
  assert.equal(provider.submissions.length, 4);
  assert.equal(new Set(provider.submissions.map(({ attemptId }) => attemptId)).size, 4);
  await scene.assertSettled([...lost, spared]);
});

test("with two routes the second one takes what the first cannot, and the first is not asked while its circuit is open", async () => {
  const { scene } = suite;
  const { provider } = scene;
  const { events, pass } = start();
  scene.catalogue.upstreams.set("first", upstreamOf("first", provider.host));
  scene.catalogue.models.set(
    "picture",
    modelOf("picture", "T19", [{ upstream: "first" }, { order: 2 }]),
  );
  const failing = ({ upstream }: Heard): SubmitOutcome =>
    upstream === "first" ? UNREACHED : accepted(`far-${provider.submissions.length}`);
  provider.script.submit = failing;
  const tasks: Uuid[] = [];
  const askedFor = async (): Promise<string[]> => {
    const before = provider.submissions.length;
    const taskId = await scene.order();
    tasks.push(taskId);
    assert.equal((await scene.end(taskId)).state, "completed");
    return provider.submissions.slice(before).map(({ upstream }) => upstream);
  };
  for (let i = 0; i < 3; i++) assert.deepEqual(await askedFor(), ["first", "there"]);
  assert.deepEqual(events, ["opened"]);
  for (let i = 0; i < 3; i++) assert.deepEqual(await askedFor(), ["there"]);
  provider.script.submit = () => accepted(`far-${provider.submissions.length}`);
  pass(5_000);
  for (let i = 0; i < 2; i++) assert.deepEqual(await askedFor(), ["first"]);
  assert.deepEqual(events, ["opened", "closed"]);
  await scene.assertSettled(tasks);
});

test("a task whose credential is refused fails after as many looks as ever, asked again each half minute; no circuit hides the complaint", async () => {
  const { scene } = suite;
  const { running, health, pass } = start();
  scene.provider.script.submit = () => ({ kind: "operator", reason: "status 401" });
  const taskId = await scene.order();
  await woken("the end", [taskId], async () => {
    pass(15_000);
    return (await scene.find(taskId)).state === "failed";
  });
  assert.equal((await scene.find(taskId)).error?.code, "provider_error");
  const submits = (): number => running.steps.filter(({ step }) => step === "submit").length;
  // A step is told after its end is committed.
  await until("the last look is over", async () => submits() >= 12);
  assert.equal(submits(), 12);
  assert.ok(scene.provider.submissions.length >= 4, `${scene.provider.submissions.length} calls`);
  assert.equal(health.route({ upstream: "there", model: "m" }).kind, "ready");
  await scene.assertSettled([taskId]);
});

test("another credential of the same upstream is asked when one is refused or busy, each time as an attempt of its own", async () => {
  const { scene } = suite;
  start();
  scene.credentials.set("SECOND_KEY", "second");
  const two = { apiKeyEnv: ["PROVIDER_KEY", "SECOND_KEY"] };
  scene.catalogue.upstreams.set("there", upstreamOf("there", scene.provider.host, two));
  scene.provider.script.submit = ({ credential }) =>
    credential === "secret" ? { kind: "busy", retryAfterMs: 60_000, reason: "429" } : accepted();
  const tasks = [await scene.order()];
  await scene.end(tasks[0] as Uuid);
  const heard = scene.provider.submissions.map(({ credential }) => credential);
  assert.deepEqual(heard, ["secret", "second"]);
  assert.equal(new Set(scene.provider.submissions.map(({ attemptId }) => attemptId)).size, 2);
  tasks.push(await scene.order());
  await scene.end(tasks[1] as Uuid);
  assert.equal(scene.provider.submissions.at(-1)?.credential, "second");
  assert.equal(scene.provider.submissions.length, 3, "the busy one rests");
  await scene.assertSettled(tasks);
});

test("a route's own limit holds for submissions, and polls share the upstream's places with them", async () => {
  const { scene } = suite;
  const { provider } = scene;
  const { running } = start();
  scene.catalogue.models.set("picture", modelOf("picture", "T19", [{ maxConcurrent: 1 }]));
  const gate = Promise.withResolvers<void>();
  provider.script.submit = async () => {
    await gate.promise;
    return accepted(`far-${provider.submissions.length}`);
  };
  const tasks = [await scene.order(), await scene.order()];
  await until("the first is asked", async () => provider.submissions.length === 1);
  const before = running.steps.length;
  await woken("looks", tasks, () => running.steps.length >= before + 3);
  assert.equal(provider.submissions.length, 1);
  gate.resolve();
  for (const taskId of tasks) await scene.end(taskId);
  await scene.assertSettled(tasks);
});

test("an engine that is stopped in the middle of a submission holds it against no upstream", async () => {
  const { scene } = suite;
  const { running, health } = start();
  scene.provider.script.submit = (_heard, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(UNREACHED), { once: true });
    });
  const tasks = [];
  for (let i = 0; i < 4; i++) tasks.push(await scene.order());
  await until("all are asked", async () => scene.provider.submissions.length === 4);
  await running.stop(0);
  assert.equal(health.route({ upstream: "there", model: "m" }).kind, "ready");
  scene.provider.script.submit = () => accepted(`far-${scene.provider.submissions.length}`);
  suite.start({ deps: { clock: systemClock } });
  for (const taskId of tasks) assert.equal((await scene.end(taskId)).state, "completed");
  await scene.assertSettled(tasks);
});
