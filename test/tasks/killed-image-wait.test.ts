/**
 * Guarantee: a process that dies while a caller waits for images takes nothing with it: another one
 * ends the task once and charges it once, and the same idempotency key finds it there.
 */
// Runs beside the others: it waits for tasks of a provider, through the deaths of processes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { openTasksScene, type TaskCustomer, type TasksScene } from "./tasks-scene.ts";

const MODEL = "nano-banana-2";

/** What dead engines had leased is anybody's now: their leases run for a minute. */
async function forgetLeases(scene: TasksScene): Promise<void> {
  await scene.db.query(
    "UPDATE tasks.jobs SET due_at = clock_timestamp() WHERE lease_id IS NOT NULL AND due_at < clock_timestamp() + interval '1 minute'",
  );
}

function ask(
  url: string,
  { secret }: TaskCustomer,
  prompt: string,
  key: string | null,
  format: object = { response_format: "url" },
): Promise<Response> {
  return fetch(`${url}/v1/images/generations`, {
    method: "POST",
    headers: {
      "x-api-key": secret,
      "content-type": "application/json",
      ...(key === null ? {} : { "idempotency-key": key }),
    },
    body: JSON.stringify({ model: MODEL, prompt, ...format }),
  });
}

for (const [key, format] of [
  ["poster", {}],
  [null, {}],
  ["streamed", { stream: true }],
] as const) {
  const what = "stream" in format ? "stream" : "wait";
  test(`kill -9 amid a ${what}, ${key === null ? "without" : "with"} an idempotency key`, async () => {
    await using scene = await openTasksScene();
    const first = await scene.start();
    await scene.start();
    const customer = await scene.customer();
    const tag = `waited-${key ?? "none"}`;
    const prompt = `[[sandbox: run=2500 tag=${tag}]] A cat.`;
    const waited = ask(first.url, customer, prompt, key, format)
      .then((response) => response.text())
      .then(
        () => "answered",
        () => "broken",
      );
    await until(
      "the provider has it",
      async () => (await scene.provider(tag)).tasks.length > 0 || null,
    );
    await first.kill();
    assert.equal(await waited, "broken");
    await forgetLeases(scene);

    if (key !== null) {
      const again = await ask(scene.url, customer, prompt, key, format);
      const text = await again.text();
      assert.equal(again.status, 200, text);
      if ("stream" in format) assert.match(text, /event: image_generation\.completed/);
      assert.equal(again.headers.get("idempotent-replayed"), "true");
    }
    const { tasks } = (await customer.call<{ tasks: { taskId: string }[] }>("GET", "/v1/tasks"))
      .data;
    assert.equal(tasks.length, 1);
    const task = await customer.end(tasks[0]?.taskId ?? "");
    assert.deepEqual([task.state, task.cost.state], ["completed", "charged"]);
    assert.deepEqual(await customer.money(), { charged: task.cost.amount, held: "0" });
    assert.equal((await scene.provider(tag)).tasks.length, 1, "nobody ordered twice");
    await scene.assertBooks();
  });
}

test("a drain ends the wait and not the task; the refusal names it, and says whether to ask again", async () => {
  await using scene = await openTasksScene();
  const first = await scene.start();
  await scene.start();
  const customer = await scene.customer();
  const waited = ["poster", null].map((key) =>
    ask(first.url, customer, `[[sandbox: run=4000 tag=drained]] A cat ${key}.`, key),
  );
  await until(
    "the provider has both",
    async () => (await scene.provider("drained")).tasks.length === 2 || null,
  );
  await first.stop();
  for (const [index, answer] of (await Promise.all(waited)).entries()) {
    assert.equal(answer.status, 504);
    const { error } = (await answer.json()) as { error: { message: string; code: string } };
    const taskId = answer.headers.get("x-tollgate-task") ?? "";
    assert.ok(error.message.includes(taskId) && taskId !== "", error.message);
    assert.equal(answer.headers.get("x-should-retry"), index === 0 ? null : "false");
    assert.equal((await customer.end(taskId)).state, "completed");
  }
  await scene.assertBooks();
});
