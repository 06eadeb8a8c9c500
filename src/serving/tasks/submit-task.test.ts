/**
 * A task is given to one provider at most, to another only when the first has certainly not taken
 * it (contract §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { modelOf, PRICE, upstreamOf } from "../../../test/support/engine-scene.ts";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { until } from "../../../test/support/until.ts";
import { Fault } from "../../kernel/faults.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { hearCallback, wakeTasks } from "../../tasks/tasks.store.ts";
import type { TaskEndReport } from "./advance-deps.ts";
import { cancelTask } from "./cancel-task.ts";

const suite = engineSuite();

test("a task is given to the next provider only when the first one certainly did not take it", async () => {
  const running = suite.start();
  const { host } = suite.scene.provider;
  suite.scene.catalogue.upstreams.set("first", upstreamOf("first", host));
  suite.scene.catalogue.models.set(
    "picture",
    modelOf("picture", "T19", [{ upstream: "first" }, { order: 2 }]),
  );
  const takers = async (first: object): Promise<string[]> => {
    suite.scene.provider.submissions.length = 0;
    suite.scene.provider.script.submit = (heard) =>
      heard.upstream === "first"
        ? (first as never)
        : { kind: "rejected", code: "provider_rejected", reason: "enough" };
    const taskId = await suite.scene.order();
    await until("a decision", async () => {
      const { phase } = await suite.scene.find(taskId);
      return phase === null || phase === "submit_unknown";
    });
    return suite.scene.provider.submissions.map(({ upstream }) => upstream);
  };
  assert.deepEqual(await takers({ kind: "busy", retryAfterMs: 1, reason: "429" }), [
    "first",
    "there",
  ]);
  await new Promise((resolve) => void setTimeout(resolve, 10));
  assert.deepEqual(await takers({ kind: "rejected", code: "invalid_input", reason: "422" }), [
    "first",
  ]);
  assert.deepEqual(await takers({ kind: "unknown", reason: "reset" }), ["first"]);
  assert.deepEqual(await takers({ kind: "operator", reason: "401" }), ["first", "there"]);
  assert.deepEqual(
    await takers({ kind: "busy", retryAfterMs: 1, reason: "its credential rests" }),
    ["there"],
  );
  const attempts = new Set(suite.scene.provider.submissions.map(({ attemptId }) => attemptId));
  assert.equal(attempts.size, suite.scene.provider.submissions.length);
  assert.deepEqual(
    running.alerts.map(({ kind }) => kind),
    ["submit_unknown", "operator"],
  );
});

test("a busy provider is asked again later", async () => {
  suite.start();
  suite.scene.provider.script.submit = () =>
    suite.scene.provider.submissions.length < 3
      ? { kind: "busy", retryAfterMs: 10, reason: "429" }
      : { kind: "rejected", code: "provider_rejected", reason: "" };
  const taskId = await suite.scene.order();
  await suite.scene.end(taskId);
  assert.equal(suite.scene.provider.submissions.length, 3);
  await suite.scene.assertSettled([taskId]);
});

test("a submission whose answer never came is looked for, heard of, or given up with the money back; it is never repeated", async () => {
  const running = suite.start();
  suite.scene.provider.script.submit = () => ({ kind: "unknown", reason: "socket hang up" });
  const found = await suite.scene.order();
  await suite.scene.phase(found, "submit_unknown");
  suite.scene.provider.script.lookUp = () => ({
    kind: "found",
    handle: {
      upstreamTaskId: "found",
      model: "m",
      submittedAt: new Date().toISOString(),
      urls: {},
    },
  });
  assert.equal((await suite.scene.end(found)).state, "completed");

  suite.scene.provider.script.lookUp = () => ({ kind: "absent" });
  const absent = await suite.scene.order();
  await suite.scene.phase(absent, "submit_unknown");
  await wakeTasks(suite.scene.db, [absent]);
  await until(
    "a look",
    async () => running.steps.filter(({ outcome }) => outcome === "unknown").length >= 4,
  );
  assert.equal(
    (await suite.scene.find(absent)).phase,
    "submit_unknown",
    "it may be under way still",
  );
  await suite.scene.age(absent, 210_000);
  assert.equal((await suite.scene.end(absent)).error?.code, "provider_error");

  suite.scene.provider.script.lookUp = () => ({ kind: "unknown" });
  const lost = await suite.scene.order();
  await suite.scene.phase(lost, "submit_unknown");
  await suite.scene.age(lost, 600_000);
  assert.equal((await suite.scene.end(lost)).error?.code, "provider_error");
  assert.equal((await suite.scene.find(lost)).phase, "watching");
  assert.deepEqual(
    running.alerts.map(({ kind }) => kind),
    ["submit_unknown", "submit_unknown", "submit_unknown", "submit_lost"],
  );
  assert.equal(suite.scene.provider.submissions.length, 3);
  await suite.scene.assertSettled([found, absent, lost]);
});

test("what the upstream does not know after its grace goes to the next one, or fails: once our call is over, and not before", async () => {
  const { scene } = suite;
  const { provider } = scene;
  scene.catalogue.upstreams.set("first", upstreamOf("first", provider.host));
  scene.catalogue.models.set(
    "picture",
    modelOf("picture", "T19", [{ upstream: "first" }, { order: 2 }]),
  );
  scene.catalogue.models.set("alone", modelOf("alone", "T19", [{ upstream: "first" }]));
  provider.script.submit = ({ upstream }) =>
    upstream === "first"
      ? { kind: "unknown", reason: "status 500 · we are sorry" }
      : {
          kind: "accepted",
          handle: {
            upstreamTaskId: "far",
            model: "m",
            submittedAt: new Date().toISOString(),
            urls: {},
          },
        };
  provider.script.lookUp = () => ({ kind: "absent" });
  const running = suite.start();
  const [goesOn, fails] = [await scene.order(), await scene.order({ model: "alone" })];
  for (const taskId of [goesOn, fails]) {
    await scene.phase(taskId, "submit_unknown");
    await scene.age(taskId, 50_000);
  }
  await until(
    "both were looked for",
    async () => running.steps.filter(({ outcome }) => outcome === "unknown").length >= 4,
  );
  assert.deepEqual(
    [(await scene.find(goesOn)).phase, (await scene.find(fails)).phase],
    ["submit_unknown", "submit_unknown"],
  );
  for (const taskId of [goesOn, fails]) await scene.age(taskId, 11_000);
  assert.equal((await scene.end(goesOn)).state, "completed");
  assert.equal((await scene.end(fails)).error?.code, "provider_error");
  assert.deepEqual(provider.submissions.map(({ upstream }) => upstream).toSorted(), [
    "first",
    "first",
    "there",
  ]);
  assert.equal(new Set(provider.submissions.map(({ attemptId }) => attemptId)).size, 3);
  await scene.assertSettled([goesOn, fails]);
  // What it said is for the log.
  const reported = running.words.filter(({ taskId }) => taskId === fails);
  assert.deepEqual(reported, [
    {
      taskId: fails,
      upstream: "first",
      step: "submit",
      outcome: "unknown",
      words: "status 500 · we are sorry",
    },
  ]);
});

test("a submission known from a callback alone, or from a look-up, names the provider's model as it was sent", async () => {
  suite.start();
  const { provider, catalogue } = suite.scene;
  catalogue.models.set("picture", modelOf("picture", "T19", [{ model: "maker/{variant}/clip" }]));
  const asked = new Map<string, string>();
  provider.script.submit = () => ({ kind: "unknown", reason: "socket hang up" });
  provider.script.poll = (handle) => {
    asked.set(handle.upstreamTaskId, handle.model);
    return { kind: "failed", code: "provider_error", reason: "" };
  };
  const lookedFor: string[] = [];
  provider.script.lookUp = (_attemptId, { model }) => {
    lookedFor.push(model);
    return { kind: "unknown" };
  };
  const taskId = await suite.scene.order({ parameters: { prompt: "a cat", variant: "pro" } });
  await suite.scene.phase(taskId, "submit_unknown");
  await until("a look", async () => lookedFor.length > 0);
  const { attemptId } = provider.submissions[0] ?? { attemptId: "" };
  assert.ok(
    await hearCallback(suite.scene.db, { upstream: "there", attemptId, upstreamTaskId: "heard" }),
  );
  assert.equal((await suite.scene.end(taskId)).error?.code, "provider_error");
  assert.deepEqual([...asked], [["heard", "maker/pro/clip"]]);
  assert.deepEqual(new Set(lookedFor), new Set(["maker/pro/clip"]));
  assert.deepEqual(
    provider.submissions.map(({ model }) => model),
    ["maker/{variant}/clip"],
    "the adapter fills the places of a submission itself",
  );
  assert.equal((await suite.scene.find(taskId)).upstreamModel, "maker/pro/clip");
  await suite.scene.assertSettled([taskId]);
});

test("a task that is canceled while every provider is busy ends without another submission", async () => {
  suite.start();
  suite.scene.provider.script.submit = () => ({
    kind: "busy",
    retryAfterMs: 60_000,
    reason: "429",
  });
  const taskId = await suite.scene.order();
  await until(
    "it waits",
    async () =>
      suite.scene.provider.submissions.length === 1 &&
      (await suite.scene.find(taskId)).phase === "ready",
  );
  const { accountId } = await suite.scene.find(taskId);
  const ends: TaskEndReport[] = [];
  const deps = {
    db: suite.scene.db,
    staticUrl: () => "https://files.test",
    onEnded: (end: TaskEndReport) => void ends.push(end),
  };
  for (const outcome of ["canceled", "ended"])
    assert.equal((await cancelTask(deps, accountId, taskId))?.outcome, outcome);
  assert.deepEqual(ends, [
    { model: "picture", outcome: "canceled", chargedNano: ZERO_NANO, releasedNano: PRICE },
  ]);
  assert.equal(suite.scene.provider.submissions.length, 1);
  await suite.scene.assertSettled([taskId]);
});

test("no upstream to ask: an operator hears of it once, and the task fails after some minutes", async () => {
  const running = suite.start();
  suite.scene.credentials.delete("PROVIDER_KEY");
  const taskId = await suite.scene.order();
  await until("the end", async () => {
    await wakeTasks(suite.scene.db, [taskId]);
    return (await suite.scene.find(taskId)).state === "failed";
  });
  suite.scene.credentials.set("PROVIDER_KEY", "secret");
  assert.equal((await suite.scene.find(taskId)).error?.code, "provider_error");
  assert.equal(running.alerts.length, 1);
  const unserved = await suite.scene.order({ model: "gone" });
  assert.equal((await suite.scene.end(unserved)).error?.code, "internal");
  await suite.scene.assertSettled([taskId, unserved]);
});

test("an engine that stood still before its call does not make it, and the next engine does", async () => {
  let offsetMs = 0;
  const running = suite.start({
    deps: { clock: { now: () => new Date(), monotonicMs: () => performance.now() + offsetMs } },
    db: (real) => ({
      ...real,
      async transaction(work) {
        const result = await real.transaction(work);
        // More than half a lease passes after the first commit.
        offsetMs = Math.max(offsetMs, 31_000);
        return result;
      },
    }),
  });
  const taskId = await suite.scene.order();
  assert.equal((await suite.scene.end(taskId)).state, "completed");
  assert.equal(suite.scene.provider.submissions.length, 1);
  assert.deepEqual((await suite.scene.kinds(taskId)).slice(0, 4), [
    "created",
    "submitting",
    "submitting",
    "started",
  ]);
  assert.equal(running.steps.filter(({ outcome }) => outcome === "delayed").length, 1);
  await suite.scene.assertSettled([taskId]);
});

for (const committed of [false, true]) {
  test(`what a provider took is written down though the database goes away, and ${committed ? "has written it without saying so" : "forgets it"}`, async () => {
    let failures = 0;
    const running = suite.start({
      db: (real) => ({
        ...real,
        async transaction(work) {
          failures -= 1;
          if (failures < 0) return real.transaction(work);
          if (committed) await real.transaction(work);
          throw new Fault("overloaded", { cause: new Error("the connection broke") });
        },
      }),
    });
    suite.scene.provider.script.submit = () => {
      failures = committed ? 1 : 2;
      return {
        kind: "accepted",
        handle: {
          upstreamTaskId: "far",
          model: "m",
          submittedAt: new Date().toISOString(),
          urls: {},
        },
      };
    };
    const taskId = await suite.scene.order();
    assert.equal((await suite.scene.end(taskId)).state, "completed");
    await until("the submission is over", async () =>
      running.steps.some(({ step }) => step === "submit"),
    );
    assert.equal(suite.scene.provider.submissions.length, 1);
    assert.deepEqual([running.alerts, suite.scene.provider.canceled], [[], []]);
    assert.equal(running.errors.length, committed ? 1 : 2);
    await suite.scene.assertSettled([taskId]);
  });
}

test("what a provider refused is not waited for though the database goes away meanwhile", async () => {
  let failures = 0;
  suite.start({
    db: (real) => ({
      ...real,
      async transaction(work) {
        failures -= 1;
        if (failures < 0) return real.transaction(work);
        throw new Fault("overloaded");
      },
    }),
  });
  suite.scene.provider.script.submit = () => {
    failures = 2;
    return { kind: "rejected", code: "content_blocked", reason: "" };
  };
  const taskId = await suite.scene.order();
  assert.equal((await suite.scene.end(taskId)).error?.code, "content_blocked");
  await suite.scene.assertSettled([taskId]);
});
