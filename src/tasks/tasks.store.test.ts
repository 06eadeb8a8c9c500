/** A task's rows: found by their owner, in order, with all that happened to them (contract §7). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { listen } from "../db/listen.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { nano } from "../kernel/money.ts";
import { requestCancel } from "./cancel.store.ts";
import { endTask } from "./end.store.ts";
import { dueLanes, leaseDue, moveTask, startTask } from "./jobs.store.ts";
import type { TaskEventKind } from "../contract/enums/task-event.ts";
import type { NewTask, TaskKey } from "./task-record.ts";
import {
  eventsAfter,
  findAnyTask,
  hearCallback,
  insertTask,
  listTasks,
  TASK_WORK_CHANNEL,
  TASKS_CHANNEL,
  wakeTasks,
} from "./tasks.store.ts";
import { claimWebhooks, noteWebhookTry, webhookTries } from "./webhooks.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

async function ordered(change: Partial<NewTask> = {}): Promise<NewTask> {
  const task: NewTask = {
    taskId: newUuid(),
    accountId: newUuid(),
    keyId: newUuid(),
    requestId: newUuid(),
    model: `model-${newUuid()}`,
    parameterTable: "T2",
    parameters: { prompt: "a cat \u0000 \ud83d", duration: 5 },
    hasMedia: false,
    callbackUrl: null,
    priceVersion: 1,
    priceNano: nano(5_000n),
    priceByFilesNano: null,
    deadlineSeconds: 3600,
    ...change,
  };
  await database.db.transaction((tx) => insertTask(tx, task));
  return task;
}

async function lease(task: NewTask, leaseId: Uuid, leaseMs = 60_000) {
  const lanes = [`submit:${task.model}`, `ingest:${task.accountId}`, `poll:there-${task.taskId}`];
  const [leased] = await leaseDue(database.db, {
    leaseId,
    leaseMs,
    lanes: lanes.map((lane) => ({ lane, limit: 1 })),
  });
  return leased;
}

/** To the step at which an upstream is being asked. */
async function submitting(task: NewTask, leaseId: Uuid): Promise<Uuid> {
  assert.equal((await lease(task, leaseId))?.taskId, task.taskId);
  const attemptId = newUuid();
  const attempt = {
    attemptId,
    upstream: `there-${task.taskId}`,
    upstreamModel: "m",
    credentialName: "KEY",
    upstreamCostNano: nano(3n),
  };
  const { accountId, taskId, model } = task;
  const step = {
    accountId,
    taskId,
    leaseId,
    from: "ready",
    to: "submitting",
    lane: `submit:${model}`,
    dueInMs: null,
    attempt,
  } as const;
  assert.equal(await database.db.transaction((tx) => moveTask(tx, step)), true);
  return attemptId;
}

async function kindsOf({ accountId, taskId }: TaskKey): Promise<TaskEventKind[]> {
  const key = { accountId, taskId };
  const events = await eventsAfter(database.db, { ...key, seq: 0n, kinds: null, limit: 100 });
  return events.map(({ kind }) => kind);
}

test("a task is found as it was ordered, by any text that may be asked for", async () => {
  const task = await ordered({ priceByFilesNano: [nano(1n), nano(2n)] });
  const found = await findAnyTask(database.db, task.taskId);
  const { hasMedia: _, deadlineSeconds: __, ...asOrdered } = task;
  assert.ok(found !== null);
  for (const [name, value] of Object.entries(asOrdered))
    assert.deepEqual(found[name as keyof typeof found], value, name);
  assert.equal(found.state, "queued");
  assert.equal(found.phase, "ready");
  assert.equal(found.costState, "held");
  assert.ok(Math.abs(found.deadlineAt.getTime() - found.createdAt.getTime() - 3_600_000) < 1_000);
  assert.equal(await findAnyTask(database.db, newUuid()), null);
  assert.equal(await findAnyTask(database.db, "' or 1=1"), null);
});

test("a list is of one account, newest first, page by page, and filtered", async () => {
  const accountId = newUuid();
  const tasks = [];
  for (let count = 0; count < 5; count++)
    tasks.push(await ordered({ accountId, model: count % 2 === 0 ? "even" : "odd" }));
  await ordered({ model: "even" });
  const newestFirst = tasks.map(({ taskId }) => taskId).toReversed();
  const page = async (change: object) =>
    (
      await listTasks(database.db, {
        accountId,
        state: null,
        model: null,
        before: null,
        limit: 10,
        ...change,
      })
    ).map(({ taskId }) => taskId);
  assert.deepEqual(await page({}), newestFirst);
  assert.deepEqual(await page({ limit: 2 }), newestFirst.slice(0, 2));
  assert.deepEqual(await page({ limit: 2, before: newestFirst[1] }), newestFirst.slice(2, 4));
  assert.deepEqual(await page({ model: "odd" }), [newestFirst[1], newestFirst[3]]);
  assert.deepEqual(await page({ state: "queued" }), newestFirst);
  assert.deepEqual(await page({ state: "completed" }), []);
});

test("what happens to a task is told with its id, and that there is work at once", async () => {
  const heard: string[] = [];
  const connected = Promise.withResolvers<void>();
  const both = Promise.withResolvers<void>();
  const listener = listen({
    url: database.url,
    channels: [TASKS_CHANNEL, TASK_WORK_CHANNEL],
    onMessage: (channel, payload) => heard.push(`${channel} ${payload}`) > 1 && both.resolve(),
    onConnected: () => connected.resolve(),
    onError: () => undefined,
  });
  await connected.promise;
  // No caller watches what is only being ordered, and the process that has committed it notifies
  // the workers.
  const { accountId, taskId } = await ordered();
  await wakeTasks(database.db, [taskId]);
  await database.db.transaction((tx) => requestCancel(tx, { accountId, taskId }));
  await both.promise;
  assert.deepEqual(heard, [`${TASK_WORK_CHANNEL} `, `${TASKS_CHANNEL} ${taskId}`]);
  await listener.close();
});

test("events are in order, of one task, and never changed", async () => {
  const task = await ordered();
  const leaseId = newUuid();
  const attemptId = await submitting(task, leaseId);
  const { accountId, taskId } = task;
  const lane = `poll:there-${taskId}`;
  await database.db.transaction((tx) =>
    startTask(tx, { accountId, taskId, attemptId, handle: { id: 1 }, lane, dueInMs: 0 }),
  );
  const key = { accountId, taskId };
  const all = await eventsAfter(database.db, { ...key, seq: 0n, kinds: null, limit: 100 });
  assert.deepEqual(
    all.map(({ kind }) => kind),
    ["created", "started"],
  );
  assert.deepEqual(
    all.map(({ seq }) => seq),
    [1n, 2n],
  );
  const rest = await eventsAfter(database.db, {
    ...key,
    seq: all[0]?.seq ?? 0n,
    kinds: null,
    limit: 100,
  });
  assert.deepEqual(
    rest.map(({ kind }) => kind),
    ["started"],
  );
  assert.equal(
    (await eventsAfter(database.db, { ...key, seq: 0n, kinds: ["created"], limit: 100 })).length,
    1,
  );
  await assert.rejects(
    database.db.query("DELETE FROM tasks.events WHERE task_id = $1", [taskId]),
    /append-only|permission denied/,
  );
});

test("a handle is of one attempt: what is known of an earlier one does not count, and to say it again changes nothing", async () => {
  const task = await ordered();
  const { accountId, taskId, model } = task;
  const leaseId = newUuid();
  const first = await submitting(task, leaseId);
  const back = {
    accountId,
    taskId,
    leaseId,
    from: "submitting",
    to: "ready",
    lane: `submit:${model}`,
    dueInMs: 0,
  } as const;
  assert.equal(await database.db.transaction((tx) => moveTask(tx, back)), true);
  const second = await submitting(task, newUuid());
  const start = (attemptId: Uuid) =>
    database.db.transaction((tx) =>
      startTask(tx, {
        accountId,
        taskId,
        attemptId,
        handle: { of: attemptId },
        lane: `poll:there-${taskId}`,
        dueInMs: 0,
      }),
    );
  assert.equal(await start(first), false);
  assert.equal((await findAnyTask(database.db, taskId))?.phase, "submitting");
  assert.equal(await start(second), true);
  assert.equal(await start(second), true);
  assert.equal(await start(first), false);
  assert.deepEqual((await findAnyTask(database.db, taskId))?.handle, { of: second });
  assert.deepEqual(await kindsOf(task), ["created", "started"]);
});

test("a cancellation is certain before a submission, a request after it, and never another account's", async () => {
  const early = await ordered();
  const cancel = (taskId: Uuid, accountId: Uuid) =>
    database.db.transaction((tx) => requestCancel(tx, { taskId, accountId }));
  assert.deepEqual(await cancel(early.taskId, newUuid()), { kind: "missing" });
  assert.deepEqual(await cancel(newUuid(), early.accountId), { kind: "missing" });
  assert.deepEqual(await cancel(early.taskId, early.accountId), { kind: "canceled" });
  assert.deepEqual(await cancel(early.taskId, early.accountId), { kind: "ended", state: "failed" });
  const found = await findAnyTask(database.db, early.taskId);
  assert.equal(found?.error?.code, "canceled");
  assert.equal(found?.costState, "released");
  assert.equal(found?.phase, null);

  const late = await ordered();
  const leaseId = newUuid();
  await submitting(late, leaseId);
  assert.deepEqual(await cancel(late.taskId, late.accountId), { kind: "requested" });
  assert.deepEqual(await cancel(late.taskId, late.accountId), { kind: "requested" });
  assert.deepEqual(await kindsOf(late), ["created", "cancel_requested"]);
  assert.ok((await findAnyTask(database.db, late.taskId))?.cancelRequestedAt !== null);
});

test("a task that was canceled while it was leased is not to be submitted", async () => {
  const task = await ordered();
  const leaseId = newUuid();
  const { accountId, taskId, model } = task;
  assert.ok(await lease(task, leaseId));
  await database.db.transaction((tx) => requestCancel(tx, { accountId, taskId }));
  const step = {
    accountId,
    taskId,
    leaseId,
    from: "ready",
    to: "submitting",
    lane: `submit:${model}`,
    dueInMs: null,
  } as const;
  assert.equal(await database.db.transaction((tx) => moveTask(tx, step)), false);
});

test("a task that is woken during a lease is due again as soon as it ends", async () => {
  const task = await ordered();
  const leaseId = newUuid();
  const { accountId, taskId, model } = task;
  const lane = `submit:${model}`;
  assert.ok(await lease(task, leaseId));
  await wakeTasks(database.db, [taskId]);
  assert.equal(await lease(task, newUuid()), undefined, "a wake does not end a lease");
  const held = { accountId, taskId, leaseId };
  const back = { ...held, from: "ready", to: "ready", lane, dueInMs: 60_000 } as const;
  await database.db.transaction((tx) => moveTask(tx, back));
  assert.ok(await lease(task, leaseId), "due at once");
  await database.db.transaction((tx) => moveTask(tx, back));
  assert.equal(await lease(task, leaseId), undefined, "and only once");
  await wakeTasks(database.db, [taskId]);
  assert.ok(await lease(task, leaseId), "what waits is due at once");
});

test("a callback wakes the task of its attempt and tells the upstream's id once", async () => {
  const task = await ordered();
  const leaseId = newUuid();
  const attemptId = await submitting(task, leaseId);
  const upstream = `there-${task.taskId}`;
  const hear = (report: object) =>
    hearCallback(database.db, { upstream, attemptId, upstreamTaskId: "far-1", ...report });
  assert.equal(await hear({ upstream: "elsewhere" }), false);
  assert.equal(await hear({ attemptId: newUuid() }), false);
  assert.equal(await hear({ attemptId: "no id" }), false);
  assert.equal(await hear({}), true);
  assert.equal(await hear({ upstreamTaskId: "far-2" }), true);
  const lane = `submit:${task.model}`;
  const step = {
    accountId: task.accountId,
    taskId: task.taskId,
    leaseId,
    from: "submitting",
    to: "submit_unknown",
    lane,
    dueInMs: 60_000,
  } as const;
  await database.db.transaction((tx) => moveTask(tx, step));
  assert.equal((await lease(task, leaseId))?.heardId, "far-1");
});

test("lanes tell when their first task is due", async () => {
  const task = await ordered({ hasMedia: true });
  const lanes = await dueLanes(database.db);
  const own = lanes.find(({ lane }) => lane === `ingest:${task.accountId}`);
  assert.ok(own !== undefined && own.inMs <= 0);
  assert.equal(new Set(lanes.map(({ lane }) => lane)).size, lanes.length);
  assert.deepEqual(
    lanes,
    lanes.toSorted((a, b) => a.inMs - b.inMs),
  );
});

test("the end of a task leaves a message to its owner, delivered by one process at a time and logged", async () => {
  const task = await ordered({ callbackUrl: "https://example.com/hook" });
  const { accountId, taskId } = task;
  const end = {
    state: "failed",
    code: "provider_error",
    message: "It failed.",
    why: { reason: "secret words" },
    watch: null,
  } as const;
  const ends = await Promise.all(
    Array.from({ length: 20 }, () =>
      database.db.transaction((tx) =>
        endTask(tx, { accountId, taskId, leaseId: null, phase: "ready", end }),
      ),
    ),
  );
  assert.equal(ends.filter(Boolean).length, 1);
  assert.deepEqual(await kindsOf(task), ["created", "reason", "failed"]);
  const claims = await Promise.all(
    Array.from({ length: 5 }, () =>
      claimWebhooks(database.db, { limit: 10, perHost: 10, busy: new Map(), claimMs: 60_000 }),
    ),
  );
  const claimed = claims.flat().filter((webhook) => webhook.taskId === taskId);
  assert.equal(claimed.length, 1);
  const [webhook] = claimed;
  assert.ok(webhook !== undefined);
  assert.equal(webhook.url, "https://example.com/hook");
  await noteWebhookTry(
    database.db,
    webhook,
    { status: 500, error: null, tookMs: 12.4 },
    { kind: "again", inMs: 0 },
  );
  const again = (
    await claimWebhooks(database.db, { limit: 10, perHost: 10, busy: new Map(), claimMs: 0 })
  ).find((one) => one.taskId === taskId);
  assert.equal(again?.tries, 1);
  await noteWebhookTry(
    database.db,
    webhook,
    { status: 204, error: null, tookMs: 8 },
    { kind: "delivered" },
  );
  await noteWebhookTry(
    database.db,
    webhook,
    { status: 204, error: null, tookMs: 8 },
    { kind: "delivered" },
  );
  assert.equal(
    (await claimWebhooks(database.db, { limit: 10, perHost: 10, busy: new Map(), claimMs: 0 }))
      .length,
    0,
  );
  const log = await webhookTries(database.db, task);
  assert.deepEqual(
    log.map((one) => [one.try, one.status, one.tookMs]),
    [
      [1, 500, 12],
      [2, 204, 8],
    ],
  );
});
