/**
 * Replicate's predictions as its public pages describe them: one object, problem details, Standard
 * Webhooks, cancel, list.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  openSandboxScene,
  type Answer,
  type SandboxScene,
} from "../../test/support/sandbox-scene.ts";

const CAPTIONS = "18a45ff0d95feb4449d192bbdc06b4a6df168fa33def76dfc51b78ae224b599b";

const create = async (scene: SandboxScene, words: string, webhook?: string): Promise<Answer> =>
  await scene.call("POST", "/v1/predictions", {
    version: "some/images:abc",
    input: { prompt: `x [[sandbox: tag=a ${words}]]` },
    webhook,
  });

async function finish(scene: SandboxScene, created: Answer): Promise<Answer["body"]> {
  for (;;) {
    const { body } = await scene.call("GET", created.body.urls.get);
    if (["succeeded", "failed", "canceled"].includes(body.status)) return body;
    await setTimeout(10);
  }
}

test("a prediction starts, processes and succeeds", async (t) => {
  const scene = await openSandboxScene(t, { queueMs: 60, runMs: 60 });
  const created = await create(scene, "outputs=2");
  assert.equal(created.status, 201);
  assert.deepEqual(
    [created.body.status, created.body.output, created.body.model, created.body.version],
    ["starting", null, "some/images", "abc"],
  );
  const states = new Set<string>();
  while (!states.has("succeeded"))
    states.add((await scene.call("GET", created.body.urls.get)).body.status);
  assert.deepEqual([...states], ["starting", "processing", "succeeded"]);
  const done = await finish(scene, created);
  assert.equal(done.output.length, 2);
  assert.equal((await fetch(done.output[1])).status, 200);
  assert.ok(
    Date.parse(done.created_at) <= Date.parse(done.started_at) &&
      Date.parse(done.started_at) <= Date.parse(done.completed_at),
  );
  const byModel = await scene.call("POST", "/v1/models/some/video/predictions", {
    input: { prompt: "x", duration: 1 },
  });
  assert.match((await finish(scene, byModel)).output[0], /\.mp4$/);
});

test("the caption model is known by its version and checks its input", async (t) => {
  const scene = await openSandboxScene(t);
  const wrong = await scene.call("POST", "/v1/predictions", {
    version: CAPTIONS,
    input: { video: "https://files.example/a.mp4" },
  });
  assert.deepEqual([wrong.status, wrong.body.status], [422, 422]);
  assert.match(wrong.body.detail, /input\.video_file_input: video_file_input is required/);
  const unreadable = await scene.call("POST", "/v1/predictions", {
    version: CAPTIONS,
    input: { video_file_input: scene.missingUrl },
  });
  const failed = await finish(scene, unreadable);
  assert.equal(failed.status, "failed");
  assert.match(failed.error, /video_file_input: file fetch failed with HTTP 404/);
  assert.equal((await scene.call("POST", "/v1/predictions", { input: {} })).status, 422);
});

test("failures, odd outputs, unknown states and strangers", async (t) => {
  const scene = await openSandboxScene(t);
  const failed = await finish(scene, await create(scene, 'fail=1 message="CUDA out of memory"'));
  assert.deepEqual(
    [failed.status, failed.error, failed.output],
    ["failed", "CUDA out of memory", null],
  );
  assert.match(
    (await finish(scene, await create(scene, "fail=blocked"))).error,
    /flagged as sensitive/,
  );
  const outputs = [];
  for (const word of ["none", "null", "missing", "garbage", "string", "object"])
    outputs.push((await finish(scene, await create(scene, `output=${word}`))).output);
  assert.deepEqual(outputs.slice(0, 4), [[], null, undefined, 42]);
  assert.equal(typeof outputs[4], "string");
  assert.equal(typeof outputs[5].video, "string");
  const strange = await create(scene, "stuck state=paused");
  assert.equal((await scene.call("GET", strange.body.urls.get)).body.status, "paused");
  const stranger = await scene.call("GET", strange.body.urls.get, undefined, {
    authorization: "Bearer other",
  });
  assert.equal(stranger.status, 404);
  assert.deepEqual(
    (await scene.call("GET", "/v1/predictions", undefined, { authorization: "Bearer other" })).body
      .results,
    [],
  );
  assert.equal((await fetch(strange.body.urls.get)).status, 401);
});

test("an attempt whose answer was lost is found in the list by its webhook", async (t) => {
  const scene = await openSandboxScene(t);
  const webhook = `${scene.webhookUrl}?attempt=9`;
  await assert.rejects(create(scene, "create=reset-after", webhook));
  const { results } = (await scene.call("GET", "/v1/predictions")).body;
  assert.deepEqual(
    results.map((one: { webhook: string }) => one.webhook),
    [webhook],
  );
});

test("cancel ends it and says so by webhook; what has ended stays as it is", async (t) => {
  const scene = await openSandboxScene(t);
  const created = await create(scene, "stuck", scene.webhookUrl);
  const canceled = await scene.call("POST", created.body.urls.cancel);
  assert.deepEqual([canceled.status, canceled.body.status], [200, "canceled"]);
  await scene.arrived(1);
  assert.equal(JSON.parse(scene.webhooks[0]!.text).status, "canceled");
  const done = await create(scene, "tag=b");
  await finish(scene, done);
  assert.equal((await scene.call("POST", done.body.urls.cancel)).body.status, "succeeded");
});

test("webhooks are signed as Standard Webhooks are", async (t) => {
  for (const replicateSecret of [
    undefined,
    `whsec_${Buffer.from("a secret of the test").toString("base64")}`,
  ]) {
    const scene = await openSandboxScene(
      t,
      replicateSecret === undefined ? {} : { replicateSecret },
    );
    const secret: string = (await scene.call("GET", "/v1/webhooks/default/secret")).body.key;
    if (replicateSecret !== undefined) assert.equal(secret, replicateSecret);
    const created = await create(scene, "tag=c", scene.webhookUrl);
    await scene.arrived(1);
    const { headers, text } = scene.webhooks[0]!;
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${text}`;
    const expected = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
      .update(signed)
      .digest("base64");
    assert.equal(headers["webhook-signature"], `v1,${expected}`);
    assert.deepEqual(
      [JSON.parse(text).id, JSON.parse(text).status],
      [created.body.id, "succeeded"],
    );
  }
});
