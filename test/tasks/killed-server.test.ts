/**
 * Guarantee: whichever process dies amid tasks, each is completed and charged once by those that
 * are left; and a drain loses nothing.
 */
// Runs beside the others: it waits for tasks of a provider, through the deaths of processes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { tollgateEnvironment, type Settings } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const MODEL = "nano-banana-2";
const LEASE_MS = 60_000;

/** What dead engines had leased is anybody's now: their leases run for a minute. */
async function forgetLeases(scene: TasksScene): Promise<void> {
  await scene.db.query(
    "UPDATE tasks.jobs SET due_at = clock_timestamp() WHERE lease_id IS NOT NULL AND due_at < clock_timestamp() + $1 * interval '1 millisecond'",
    [LEASE_MS],
  );
}

async function priceOf(customer: TaskCustomer): Promise<number> {
  return Number(
    (
      await customer.call<{ amount: string }>("POST", `/v1/quote/tasks/${MODEL}`, {
        prompt: "a cat",
      })
    ).data.amount,
  );
}

async function orderMany(customer: TaskCustomer, count: number, tag: string): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      customer.order(MODEL, { prompt: `A cat. [[sandbox: run=${200 + 100 * index} tag=${tag}]]` }),
    ),
  );
}

async function assertOnce(
  scene: TasksScene,
  customer: TaskCustomer,
  taskIds: readonly string[],
  tag: string,
  price: number,
): Promise<void> {
  const ended = await Promise.all(taskIds.map((taskId) => customer.end(taskId)));
  assert.deepEqual(
    ended.map(({ state, cost }) => `${state} ${cost.state}`),
    taskIds.map(() => "completed charged"),
    JSON.stringify(ended.filter(({ state }) => state !== "completed")),
  );
  assert.deepEqual(await customer.money(), { charged: String(price * taskIds.length), held: "0" });
  assert.equal((await scene.provider(tag)).tasks.length, taskIds.length, "nobody ordered twice");
  await scene.assertBooks();
}

async function started(customer: TaskCustomer, taskIds: readonly string[]): Promise<true> {
  return until("an upstream has all of them", async () => {
    const tasks = await Promise.all(taskIds.map((taskId) => customer.read(taskId)));
    return tasks.every(({ state }) => state !== "queued") || null;
  });
}

test("kill -9 of the whole server mid-task, again and again, then a restart: completed once, charged once", async () => {
  await using scene = await openTasksScene();
  let gateway = await scene.start();
  const customer = await scene.customer();
  const price = await priceOf(customer);
  const taskIds = await orderMany(customer, 16, "killed");
  await started(customer, taskIds);
  // Polling, collecting, settling: some of each at every blow.
  for (const pauseMs of [100, 300, 700]) {
    await sleep(pauseMs);
    await gateway.kill();
    await forgetLeases(scene);
    gateway = await scene.start();
  }
  await forgetLeases(scene);
  await assertOnce(scene, customer, taskIds, "killed", price);
});

test("kill -9 in the middle of submissions: what the provider took is found by its report, what stays unknown is given back, nothing is ordered twice", async () => {
  await using scene = await openTasksScene();
  const gateway = await scene.start();
  const customer = await scene.customer();
  const price = await priceOf(customer);
  const taskIds = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      customer.order(MODEL, {
        prompt: `A cat. [[sandbox: createDelay=${20 * index} run=3000 tag=cut]]`,
      }),
    ),
  );
  await sleep(150);
  await gateway.kill();
  await forgetLeases(scene);
  await scene.start();
  // Ten minutes are waited for a report.
  const settled = until("all have ended", async () => {
    await sleep(500);
    await forgetLeases(scene);
    const tasks = await Promise.all(taskIds.map((taskId) => customer.read(taskId)));
    return tasks.every(({ completedAt }) => completedAt !== null) ? tasks : null;
  });
  await sleep(8_000);
  await scene.db.query(
    "UPDATE tasks.jobs SET phase_at = phase_at - interval '1 hour', due_at = clock_timestamp() WHERE phase = 'submit_unknown' AND lease_id IS NULL",
  );
  const tasks = await settled;
  const completed = tasks.filter(({ state }) => state === "completed");
  assert.ok(
    tasks.every(
      ({ state, cost }) => cost.state === (state === "completed" ? "charged" : "released"),
    ),
  );
  assert.ok(tasks.every(({ error }) => error === null || error.code === "provider_error"));
  assert.deepEqual(await customer.money(), {
    charged: String(price * completed.length),
    held: "0",
  });
  assert.ok((await scene.provider("cut")).tasks.length <= taskIds.length);
  await scene.assertBooks();
});

test("two processes share the work; one is killed, the other one finishes", async () => {
  await using scene = await openTasksScene();
  const [first, second] = [await scene.start(), await scene.start()];
  const customer = await scene.customer();
  const price = await priceOf(customer);
  const taskIds = await orderMany(customer, 16, "shared");
  await sleep(200);
  await first.kill();
  await forgetLeases(scene);
  await assertOnce(scene, customer, taskIds, "shared", price);
  await second.stop();
});

test("a drain ends waits, gives back what is leased, and the next process goes on at once", async () => {
  await using scene = await openTasksScene();
  const gateway = await scene.start();
  const customer = await scene.customer();
  const price = await priceOf(customer);
  const taskIds = await orderMany(customer, 8, "drained");
  const [taskId] = await Promise.all([
    customer.order(MODEL, { prompt: "A cat. [[sandbox: run=4000 tag=drained]]" }),
    sleep(100),
  ]);
  const waiting = customer.call<{ state: string }>("GET", `/v1/tasks/${taskId}?wait=60`);
  const events = customer.call("GET", `/v1/tasks/${taskId}/events`);
  await sleep(200);
  const began = performance.now();
  await gateway.stop();
  assert.ok(performance.now() - began < 9_000, "nobody is waited for");
  const [answer, stream] = await Promise.all([waiting, events]);
  assert.equal(answer.status, 200, "a wait is answered with what there is");
  assert.ok(["queued", "processing"].includes(answer.data.state));
  assert.match(stream.text, /event: queued/);
  const [leased] = await scene.db.query<{ count: bigint }>(
    "SELECT count(*) AS count FROM tasks.jobs WHERE lease_id IS NOT NULL",
  );
  assert.equal(Number(leased?.count), 0);
  await scene.start();
  await assertOnce(scene, customer, [...taskIds, taskId], "drained", price);
});

test("a process without the worker role takes orders, another one without the api makes them", async () => {
  await using scene = await openTasksScene();
  const api = await scene.start({ roles: "api" });
  const customer = await scene.customer();
  const price = await priceOf(customer);
  const taskIds = await orderMany(customer, 3, "split");
  await sleep(500);
  assert.equal((await customer.read(taskIds[0] ?? "")).state, "queued");
  await using worker = startWorker(api.env);
  await assertOnce(scene, customer, taskIds, "split", price);
  await worker.stop();
});

/** `tollgate serve --roles worker`, as an operator runs it beside processes that take requests. */
function startWorker(env: Settings): AsyncDisposable & { stop(): Promise<void> } {
  const child = spawn(process.execPath, [CLI, "serve", "--roles", "worker"], {
    env: tollgateEnvironment(env),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "close");
  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    assert.equal(code, 0);
  }
  return { stop, [Symbol.asyncDispose]: async () => void child.kill("SIGKILL") };
}
