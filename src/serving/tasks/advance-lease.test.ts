/**
 * An engine that lost a task to another changes nothing: one submission, one end, one charge,
 * however slow an engine was (contract §7).
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { upstreamOf } from "../../../test/support/engine-scene.ts";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { nameOf, picture } from "../../../test/support/file-scene.ts";
import { RUNNING, succeeded } from "../../../test/support/scripted-provider.ts";
import { queryableThrough } from "../../../test/support/queryable-through.ts";
import { until } from "../../../test/support/until.ts";
import type { Db } from "../../db/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { leaseDue, moveTask } from "../../tasks/jobs.store.ts";
import type { PollOutcome, SubmitOutcome } from "../../upstreams/tasks/task-adapter.ts";
import { completeIn, failTask } from "./settle-task.ts";

const suite = engineSuite();

/**
 * An engine whose leases run out: once it is frozen, it neither renews them nor looks for others.
 * What it has begun goes on.
 */
function slowEngine() {
  let frozen = false;
  const stand: (real: Db) => Db = (real) => ({
    ...real,
    ...queryableThrough(async (text, parameters) => {
      if (frozen && text.includes("SET due_at = clock_timestamp() + $4"))
        return new Promise(() => undefined);
      return frozen && text.includes("WITH RECURSIVE lanes") ? [] : real.query(text, parameters);
    }),
  });
  return { ...suite.start({ leaseMs: 500, db: stand }), freeze: () => void (frozen = true) };
}

/** Leases what is due of this task, as an engine that comes by. */
async function lease(taskId: Uuid, lane: string) {
  const leaseId = newUuid();
  return until("a lease", async () => {
    const leased = await leaseDue(suite.scene.db, {
      leaseId,
      leaseMs: 60_000,
      lanes: [{ lane, limit: 1 }],
    });
    return leased.find((task) => task.taskId === taskId) ?? null;
  });
}

test("an engine that was slow with a submission is the only one that makes it, and what it learns is kept", async () => {
  const slow = slowEngine();
  const answer = Promise.withResolvers<SubmitOutcome>();
  suite.scene.provider.script.submit = () => answer.promise;
  const taskId = await suite.scene.order();
  await until("the submission", async () => suite.scene.provider.submissions.length === 1);
  slow.freeze();
  const quick = suite.start();
  await suite.scene.phase(taskId, "submit_unknown");
  // It is told when the phase is committed.
  await until("the alert", async () => quick.alerts.length > 0);
  assert.deepEqual(
    quick.alerts.map(({ kind }) => kind),
    ["submit_unknown"],
  );
  answer.resolve({
    kind: "accepted",
    handle: { upstreamTaskId: "late", model: "m", submittedAt: new Date().toISOString(), urls: {} },
  });
  assert.equal((await suite.scene.end(taskId)).state, "completed");
  assert.equal(suite.scene.provider.submissions.length, 1);
  assert.deepEqual(slow.alerts, []);
  await suite.scene.assertSettled([taskId]);
});

test("what a provider took after the task had ended is told to an operator and stopped, and the task stays as it is", async () => {
  const slow = slowEngine();
  const answer = Promise.withResolvers<SubmitOutcome>();
  suite.scene.provider.script.submit = () => answer.promise;
  const taskId = await suite.scene.order();
  await until("the submission", async () => suite.scene.provider.submissions.length === 1);
  const { accountId } = await suite.scene.find(taskId);
  const ending = await failTask(suite.scene.db, {
    accountId,
    taskId,
    leaseId: null,
    phase: "submitting",
    code: "internal",
  });
  assert.equal(ending.ended, true);
  answer.resolve({
    kind: "accepted",
    handle: { upstreamTaskId: "late", model: "m", submittedAt: new Date().toISOString(), urls: {} },
  });
  await until("the alert", async () => slow.alerts.length > 0);
  assert.deepEqual(slow.alerts, [
    { kind: "orphan", taskId, upstream: "there", upstreamTaskId: "late" },
  ]);
  await until("the cancellation", async () => suite.scene.provider.canceled.includes("late"));
  assert.equal((await suite.scene.find(taskId)).error?.code, "internal");
  await suite.scene.assertSettled([taskId]);
});

test("an engine that was slow with a poll changes nothing", async () => {
  const slow = slowEngine();
  const first = Promise.withResolvers<PollOutcome>();
  suite.scene.provider.script.poll = (_handle, times) => (times === 1 ? first.promise : RUNNING);
  const taskId = await suite.scene.order();
  await until("the poll", async () => suite.scene.provider.polls.length === 1);
  slow.freeze();
  suite.start();
  await until("polls of the other one", async () => suite.scene.provider.polls.length > 3);
  first.resolve({ kind: "failed", code: "provider_error", reason: "too late" });
  await until("the slow one has spoken", async () =>
    slow.steps.some(({ step, outcome }) => step === "poll" && outcome === "lost"),
  );
  assert.equal((await suite.scene.find(taskId)).state, "processing");
});

test("an engine that was slow with copying results changes nothing, and leaves no file", async () => {
  const slow = slowEngine();
  const { origin, files } = suite.scene.provider;
  const answers: (() => void)[] = [];
  const result = files.get("/result.png");
  files.set(
    "/slow.png",
    (response) => void answers.push(() => void response.writeHead(200).end(result as Buffer)),
  );
  suite.scene.provider.script.poll = () => succeeded(`${origin}/result.png`, `${origin}/slow.png`);
  const taskId = await suite.scene.order();
  await until("it copies", async () => answers.length === 1);
  slow.freeze();
  const quick = suite.start();
  await until("both copy", async () => answers.length === 2);
  answers[0]?.();
  await until("the slow one has spoken", async () =>
    slow.steps.some(({ step, outcome }) => step === "collect" && outcome === "lost"),
  );
  assert.equal((await suite.scene.find(taskId)).phase, "collecting");
  answers[1]?.();
  assert.equal((await suite.scene.end(taskId)).state, "completed");
  await until("it is done", async () => quick.engine.active.collect === 0);
  await suite.scene.assertSettled([taskId]);
  assert.deepEqual(slow.errors, []);
  const served = await suite.scene.db.query(
    "SELECT name FROM files.files WHERE account_id = $1 AND state = 'stored'",
    [(await suite.scene.find(taskId)).accountId],
  );
  assert.equal(served.length, 2, "only the files of the result");
});

test("of many who end a task at once, one does, with its money; the others hear that they did not", async () => {
  const taskId = await suite.scene.order();
  const task = await lease(taskId, "submit:picture");
  const { accountId, leaseId } = task;
  const held = { accountId, taskId, leaseId };
  const lane = "collect:there";
  await suite.scene.db.transaction((tx) =>
    moveTask(tx, { ...held, from: "ready", to: "collecting", lane, dueInMs: null }),
  );
  const record = await suite.scene.find(taskId);
  const { url } = await suite.scene.files.process().upload(await picture());
  const file = {
    name: nameOf(url),
    contentType: "image/png",
    bytes: 1,
    width: 1,
    height: 1,
    durationSeconds: null,
    expiresAt: "",
  };
  const complete = () =>
    suite.scene.db.transaction((tx) =>
      completeIn(tx, { task: record, leaseId, result: { files: [file] }, upstreamCost: null }),
    );
  const fail = () =>
    failTask(suite.scene.db, { ...held, phase: "collecting", code: "provider_error" });
  const byOperator = () =>
    failTask(suite.scene.db, { ...held, leaseId: null, phase: "collecting", code: "internal" });
  const endings = await Promise.all(
    Array.from({ length: 16 }, () => [complete(), fail(), byOperator()]).flat(),
  );
  assert.equal(endings.filter((ending) => ending.ended).length, 1);
  assert.ok(endings.every((ending) => !ending.ended || ending.mismatch === null));
  await suite.scene.assertSettled([taskId]);
});

test("a lease is kept as long as the work takes", async () => {
  const running = suite.start({ leaseMs: 400 });
  const answer = Promise.withResolvers<PollOutcome>();
  suite.scene.provider.script.poll = (_handle, times) => (times === 1 ? answer.promise : RUNNING);
  const taskId = await suite.scene.order();
  await until("the poll", async () => suite.scene.provider.polls.length === 1);
  suite.start({ leaseMs: 400 });
  await sleep(1_500);
  assert.equal(suite.scene.provider.polls.length, 1, "nobody else took it");
  answer.resolve({ kind: "failed", code: "provider_error", reason: "over" });
  await suite.scene.end(taskId);
  assert.deepEqual(running.errors, []);
});

test("an engine that stops lets what runs finish, or gives it back at once", async () => {
  const one = suite.start();
  const answer = Promise.withResolvers<PollOutcome>();
  let hangs: boolean | null = false;
  suite.scene.provider.script.poll = (_handle, _times, signal) => {
    if (hangs === null) return succeeded(`${suite.scene.provider.origin}/result.png`);
    if (!hangs) return RUNNING;
    signal.addEventListener("abort", () => answer.resolve({ kind: "unknown", reason: "aborted" }), {
      once: true,
    });
    return answer.promise;
  };
  const taskId = await suite.scene.order();
  const other = await suite.scene.order();
  await Promise.all([suite.scene.phase(taskId, "running"), suite.scene.phase(other, "running")]);
  // One is asked about, the other one waits for its turn, and is leased too.
  const { upstreams } = suite.scene.catalogue;
  upstreams.set("there", upstreamOf("there", suite.scene.provider.host, { maxConcurrent: 1 }));
  hangs = true;
  await until("both are leased", async () => one.engine.active.poll === 2);
  await one.stop(100);
  const jobs = await suite.scene.db.query<{ leased: boolean; phase: string }>(
    "SELECT lease_id IS NOT NULL AS leased, phase::text FROM tasks.jobs WHERE task_id = ANY ($1)",
    [[taskId, other]],
  );
  assert.deepEqual(jobs, Array(2).fill({ leased: false, phase: "running" }));
  const beganMs = performance.now();
  hangs = null;
  suite.start();
  await Promise.all([suite.scene.end(taskId), suite.scene.end(other)]);
  assert.ok(performance.now() - beganMs < 20_000);
  await suite.scene.assertSettled([taskId, other]);
});

test("an engine that is broken off during a submission does not know what became of it, and says so", async () => {
  const one = suite.start();
  suite.scene.provider.script.submit = (_heard, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ kind: "unknown", reason: "aborted" }), {
        once: true,
      });
    });
  const taskId = await suite.scene.order();
  await until("the submission", async () => suite.scene.provider.submissions.length === 1);
  await one.stop(50);
  assert.equal((await suite.scene.find(taskId)).phase, "submit_unknown");
});
