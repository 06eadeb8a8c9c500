/**
 * A hundred tasks at once end as they should, while the sandbox goes on answering; what it
 * remembers is bounded.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openSandboxScene, resultUrls } from "../../test/support/sandbox-scene.ts";

test("a hundred tasks at once, of films and pictures, each with its callback, do not stall a poll", async (t) => {
  const scene = await openSandboxScene(t);
  let working = true;
  let slowest = 0;
  const probing = (async () => {
    while (working) {
      const started = performance.now();
      await scene.call("GET", "/sandbox/tasks?tag=none");
      slowest = Math.max(slowest, performance.now() - started);
      await setTimeout(5);
    }
  })();
  const ids = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      index % 4 === 0
        ? scene.start(
            "bytedance/seedance-2",
            { prompt: `film ${index}`, duration: 4, resolution: "480p" },
            scene.webhookUrl,
          )
        : scene.start("nano-banana-2", { prompt: `picture ${index}` }, scene.webhookUrl),
    ),
  );
  const records = await Promise.all(ids.map((id) => scene.finish(id)));
  working = false;
  await probing;
  assert.ok(records.every((record) => record.state === "success"));
  assert.equal(new Set(records.flatMap(resultUrls)).size, 100);
  await scene.arrived(100);
  assert.equal(new Set(scene.webhooks.map((one) => JSON.parse(one.text).data.taskId)).size, 100);
  t.diagnostic(`the slowest answer beside them took ${slowest.toFixed(0)} ms`);
  assert.ok(slowest < 1500, `an answer took ${slowest} ms`);
});

test("the oldest tasks are forgotten beyond the number and after the time that are set", async (t) => {
  const scene = await openSandboxScene(t, { maxTasks: 3, keepTasksMs: 60_000 });
  const ids = [];
  for (let index = 0; index < 5; index++)
    ids.push(await scene.start("nano-banana-2", { prompt: `[[sandbox: stuck]] ${index}` }));
  assert.equal((await scene.record(ids[1]!)).body.code, 422);
  assert.equal((await scene.record(ids[2]!)).body.code, 200);
  const { tasks, submissions } = await scene.inspect();
  assert.deepEqual([tasks.length, submissions.length], [3, 3]);
  const brief = await openSandboxScene(t, { keepTasksMs: 50 });
  const old = await brief.start("nano-banana-2", { prompt: "[[sandbox: stuck]]" });
  await setTimeout(80);
  await brief.start("nano-banana-2", { prompt: "next" });
  assert.equal((await brief.record(old)).body.code, 422);
});
