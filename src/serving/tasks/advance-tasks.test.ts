/**
 * A task goes from its order to its end, with its files, its money and its story in step
 * (contract §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { CREDITED, PRICE } from "../../../test/support/engine-scene.ts";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { RUNNING, succeeded } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { requestCancel } from "../../tasks/cancel.store.ts";
import { wakeTasks } from "../../tasks/tasks.store.ts";
import type { NewTask } from "../../tasks/task-record.ts";
import type { TaskEndReport } from "./advance-deps.ts";
import { cancelTask } from "./cancel-task.ts";

const suite = engineSuite();

test("a task is made, copied, charged once, and tells its story in order", async () => {
  const running = suite.start();
  const taskId = await suite.scene.order({ callbackUrl: "https://example.com/hook" });
  const task = await suite.scene.end(taskId);
  assert.equal(task.state, "completed");
  assert.deepEqual(await suite.scene.kinds(taskId), [
    "created",
    "submitting",
    "started",
    "collecting",
    "completed",
  ]);
  assert.equal(suite.scene.provider.submissions.length, 1);
  const [submission] = suite.scene.provider.submissions;
  assert.deepEqual(submission?.parameters, { prompt: "a cat" });
  assert.equal(submission?.credential, "secret");
  assert.ok(
    submission !== undefined && submission.callbackUrl?.endsWith(`/there/${submission.attemptId}`),
  );
  assert.ok(submission.deadlineSeconds > 3_500 && submission.deadlineSeconds <= 3_600);

  const [file] = task.result?.files ?? [];
  assert.ok(file !== undefined && task.result?.files.length === 1);
  assert.deepEqual(
    [file.contentType, file.width, file.height, file.durationSeconds],
    ["image/png", 32, 32, null],
  );
  assert.ok((await suite.scene.files.objects()).includes(file.name));
  assert.equal(task.chargedNano, PRICE);
  assert.deepEqual(task.upstreamCost, { amount: "3", unit: "credits" });
  assert.ok(
    task.startedAt !== null && task.completedAt !== null && task.startedAt < task.completedAt,
  );
  assert.equal(task.phase, null);
  const account = await balance(suite.scene.db, task.accountId);
  assert.equal(account?.availableNano, CREDITED - PRICE);
  const [webhook] = await suite.scene.db.query<{ url: string }>(
    "SELECT url FROM tasks.webhooks WHERE task_id = $1",
    [taskId],
  );
  assert.equal(webhook?.url, "https://example.com/hook");
  await suite.scene.assertSettled([taskId]);
  assert.deepEqual(running.alerts, []);
  assert.deepEqual(running.errors, []);
  await until("the steps are told", async () =>
    running.steps.map(({ outcome }) => outcome).includes("completed"),
  );
});

test("a new task starts without waiting for anybody's turn", async () => {
  suite.start({ deps: { limits: { idleMs: 60_000 } } });
  const beganMs = performance.now();
  const heard = new Promise<number>((resolve) => {
    suite.scene.provider.script.submit = () => {
      resolve(performance.now() - beganMs);
      return { kind: "rejected", code: "provider_rejected", reason: "no" };
    };
  });
  await new Promise((resolve) => void setTimeout(resolve, 300)); // asleep by now
  const sleptMs = performance.now() - beganMs;
  const taskId = await suite.scene.order();
  const waitedMs = (await heard) - sleptMs;
  assert.ok(waitedMs < 2_000, `${waitedMs} ms`);
  await suite.scene.end(taskId);
});

test("what a provider says of a task that it will not make ends it, and gives the money back", async () => {
  suite.start();
  suite.scene.provider.script.submit = () => ({
    kind: "rejected",
    code: "content_blocked",
    reason: "secret words of theirs",
  });
  const refused = await suite.scene.order();
  assert.deepEqual((await suite.scene.end(refused)).error, {
    code: "content_blocked",
    message: "The content was blocked by the safety rules of the provider.",
  });
  assert.deepEqual(await suite.scene.kinds(refused), ["created", "submitting", "reason", "failed"]);

  suite.scene.provider.script = {
    poll: () => ({ kind: "failed", code: "provider_error", reason: "more secrets" }),
  };
  const failed = await suite.scene.order();
  const task = await suite.scene.end(failed);
  assert.equal(task.error?.code, "provider_error");
  assert.doesNotMatch(inspect(task, { depth: 9 }), /secret/);
  await suite.scene.assertSettled([refused, failed]);
});

test("unknown states, outages and a task that cannot be seen yet are asked about until the provider has an answer", async () => {
  const running = suite.start();
  suite.scene.provider.script.poll = (_handle, times) => {
    if (times <= 3) return { kind: "missing" };
    if (times <= 6) return { kind: "unknown", reason: "state frobnicating" };
    if (times <= 8) return { kind: "operator", reason: "402" };
    if (times <= 10) return { kind: "busy", retryAfterMs: 5 };
    if (times <= 40) return { kind: "unknown", reason: "502" };
    return succeeded(`${suite.scene.provider.origin}/result.png`);
  };
  const taskId = await suite.scene.order();
  for (;;) {
    // Its polls are put off ever further; the test does not wait for them.
    await wakeTasks(suite.scene.db, [taskId]);
    const task = await suite.scene.find(taskId);
    if (task.state === "completed") break;
    assert.notEqual(task.state, "failed");
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  assert.deepEqual(
    running.alerts.map(({ kind }) => kind),
    ["silent"],
  );
  await suite.scene.assertSettled([taskId]);
});

test("progress is shown as the provider tells it", async () => {
  suite.start();
  let over = false;
  suite.scene.provider.script.poll = () =>
    over
      ? succeeded(`${suite.scene.provider.origin}/result.png`)
      : { kind: "running", progress: 0.25, queuePosition: 3 };
  const taskId = await suite.scene.order();
  await until("progress", async () => {
    const { progress, queuePosition, state } = await suite.scene.find(taskId);
    return progress === 0.25 && queuePosition === 3 && state === "processing";
  });
  over = true;
  await suite.scene.end(taskId);
});

test("a deadline fails a task and gives the money back; a late success is told and never charged", async () => {
  const running = suite.start();
  suite.scene.provider.script.poll = () => RUNNING;
  const taskId = await suite.scene.order({ deadlineSeconds: 0.3 });
  const task = await suite.scene.end(taskId);
  assert.equal(task.error?.code, "provider_timeout");
  assert.equal((await suite.scene.find(taskId)).phase, "watching");
  await suite.scene.age(taskId, 0);
  await until("a look", async () => running.steps.some(({ outcome }) => outcome === "watching"));
  suite.scene.provider.script.poll = () => succeeded(`${suite.scene.provider.origin}/result.png`);
  await suite.scene.age(taskId, 0);
  await suite.scene.phase(taskId, null);
  assert.deepEqual(await suite.scene.kinds(taskId), [
    "created",
    "submitting",
    "started",
    "failed",
    "late_end",
  ]);
  assert.deepEqual(running.alerts, [
    { kind: "late_success", taskId, upstream: "there", cost: { amount: "3", unit: "credits" } },
  ]);
  await suite.scene.assertSettled([taskId]);

  suite.scene.provider.script.poll = () => RUNNING;
  const forgotten = await suite.scene.order({ deadlineSeconds: 0.1 });
  await suite.scene.phase(forgotten, "watching");
  await suite.scene.age(forgotten, 25 * 3_600_000);
  await suite.scene.phase(forgotten, null);
  assert.equal((await suite.scene.kinds(forgotten)).at(-1), "watch_over");
});

test("what could not be started before its deadline fails without having been submitted", async () => {
  const taskId = await suite.scene.order({ deadlineSeconds: 0.001 });
  suite.start();
  assert.equal((await suite.scene.end(taskId)).error?.code, "provider_timeout");
  assert.equal(suite.scene.provider.submissions.length, 0);
});

test("a cancellation after the submission is the provider's to decide, and its owner hears the truth", async () => {
  suite.start();
  suite.scene.provider.script.poll = () => RUNNING;
  const stopped = await suite.scene.order();
  const { accountId } = await suite.scene.phase(stopped, "running");
  suite.scene.provider.script.cancel = () => "canceled";
  const deps = {
    db: suite.scene.db,
    staticUrl: () => "https://files.test",
    onEnded: () => assert.fail("it has not ended yet"),
  };
  assert.equal((await cancelTask(deps, accountId, stopped))?.outcome, "requested");
  assert.equal((await suite.scene.end(stopped)).error?.code, "canceled");

  suite.scene.provider.script.cancel = () => "too_late";
  const refused = await suite.scene.order();
  const key = await suite.scene.phase(refused, "running");
  await suite.scene.db.transaction((tx) => requestCancel(tx, key));
  await until("the refusal", async () =>
    (await suite.scene.kinds(refused)).includes("cancel_refused"),
  );
  assert.equal((await suite.scene.find(refused)).cancelRequestedAt, null);
  suite.scene.provider.script.poll = () => succeeded(`${suite.scene.provider.origin}/result.png`);
  assert.equal((await suite.scene.end(refused)).state, "completed");
  assert.equal(suite.scene.provider.canceled.length, 2);
  await suite.scene.assertSettled([stopped, refused]);
});

test("a hundred wakes at once are one look after another, and one end", async () => {
  suite.start();
  let running = 0;
  let most = 0;
  suite.scene.provider.script.poll = async (_handle, times) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => void setTimeout(resolve, 2));
    running -= 1;
    return times < 10 ? RUNNING : { kind: "failed", code: "provider_error", reason: "over" };
  };
  const taskId = await suite.scene.order();
  await suite.scene.phase(taskId, "running");
  await Promise.all(Array.from({ length: 100 }, () => wakeTasks(suite.scene.db, [taskId])));
  await suite.scene.end(taskId);
  assert.equal(most, 1);
  await suite.scene.assertSettled([taskId]);
});

test("many engines share the work: each task is submitted and charged once", async () => {
  const engines = [suite.start(), suite.start(), suite.start()];
  const accountId = newUuid();
  const tasks: Uuid[] = [];
  for (let count = 0; count < 40; count++)
    tasks.push(await suite.scene.order({ accountId, priceNano: nano(1_000n) }));
  await Promise.all(tasks.map((taskId) => suite.scene.end(taskId)));
  assert.equal(suite.scene.provider.submissions.length, 40);
  await suite.scene.assertSettled(tasks);
  const busy = engines.filter(({ steps }) => steps.length > 0);
  assert.ok(busy.length > 1, "more than one had something to do");
  assert.deepEqual(
    engines.flatMap(({ errors }) => errors),
    [],
  );
});

test("every end is told once, with what its hold came to", async () => {
  const { scene } = suite;
  const ends: TaskEndReport[] = [];
  for (let engines = 0; engines < 2; engines++)
    suite.start({ deps: { onEnded: (end) => ends.push(end) } });
  const tasks: Uuid[] = [];
  const reported = async (change: Partial<NewTask> = {}): Promise<TaskEndReport | undefined> => {
    tasks.push(await scene.order(change));
    await until("it is told", async () => ends.length === tasks.length);
    return ends.at(-1);
  };
  assert.deepEqual(await reported(), {
    model: "picture",
    outcome: "completed",
    chargedNano: PRICE,
    releasedNano: 0n,
  });
  const priceNano = nano(30_000n);
  const fewer = await reported({
    model: "pictures",
    parameterTable: "T4",
    priceNano,
    priceByFilesNano: [nano(10_000n), priceNano],
  });
  assert.deepEqual(fewer, {
    model: "pictures",
    outcome: "completed",
    chargedNano: 10_000n,
    releasedNano: 20_000n,
  });
  scene.provider.script.poll = () => ({ kind: "failed", code: "content_blocked", reason: "" });
  assert.deepEqual(await reported(), {
    model: "picture",
    outcome: "content_blocked",
    chargedNano: 0n,
    releasedNano: PRICE,
  });
  await scene.assertSettled(tasks);
  assert.equal(ends.length, tasks.length);
});
