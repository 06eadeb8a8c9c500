/**
 * fal's queue as its public pages describe it: two requests to a result, failures that are
 * COMPLETED too, signed webhooks, cancel.
 */
import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  openSandboxScene,
  type Answer,
  type SandboxScene,
} from "../../test/support/sandbox-scene.ts";

const MODEL = "/fal/fal-ai/flux-2/pro";

async function submit(scene: SandboxScene, words: string, path = MODEL): Promise<Answer> {
  const { url } = scene;
  const answer = await scene.call(
    "POST",
    path,
    { prompt: `x [[sandbox: tag=a ${words}]]` },
    { authorization: "Key key-of-the-scene" },
  );
  assert.ok(answer.status !== 200 || answer.body.status_url.startsWith(url));
  return answer;
}

const key = { authorization: "Key key-of-the-scene" };

async function finish(scene: SandboxScene, submitted: Answer): Promise<Answer> {
  for (;;) {
    const status = await scene.call("GET", submitted.body.status_url, undefined, key);
    if (status.body.status === "COMPLETED")
      return await scene.call("GET", submitted.body.response_url, undefined, key);
    assert.equal(status.status, 202);
    await setTimeout(10);
  }
}

test("submit, status, response", async (t) => {
  const scene = await openSandboxScene(t, { queueMs: 400, runMs: 100 });
  const submitted = await submit(scene, "position=3,2,1");
  const { request_id: id, ...links } = submitted.body;
  const base = `${scene.url}/fal/fal-ai/flux-2/requests/${id}`;
  assert.deepEqual(links, {
    status: "IN_QUEUE",
    response_url: base,
    status_url: `${base}/status`,
    cancel_url: `${base}/cancel`,
    queue_position: 3,
  });
  const positions: unknown[] = [];
  const states = new Set<string>();
  let tooEarly = 0;
  for (;;) {
    const { body } = await scene.call("GET", `${base}/status`, undefined, key);
    states.add(body.status);
    if (body.status === "IN_QUEUE") positions.push(body.queue_position);
    if (body.status === "COMPLETED") break;
    const early = await scene.call("GET", base, undefined, key);
    // It may have ended since it was asked how far it is.
    if (early.status === 400) tooEarly += 1;
    else
      assert.deepEqual(
        [early.status, (await scene.call("GET", `${base}/status`, undefined, key)).body.status],
        [200, "COMPLETED"],
      );
    await setTimeout(20);
  }
  assert.ok(tooEarly > 0);
  assert.deepEqual([...states], ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]);
  assert.deepEqual(positions.slice(0, 3), [3, 2, 1]);
  const { status, body } = await scene.call("GET", base, undefined, key);
  assert.equal(status, 200);
  assert.equal((await fetch(body.images[0].url)).headers.get("content-type"), "image/jpeg");
  const film = await finish(
    scene,
    await submit(scene, "seconds=1", "/fal/fal-ai/kling-video/v3/text-to-video"),
  );
  assert.equal((await fetch(film.body.video.url)).headers.get("content-type"), "video/mp4");
  assert.equal(
    (await scene.call("GET", `${base.replace(id, "0")}/status`, undefined, key)).status,
    404,
  );
  assert.equal((await fetch(`${base}/status`)).status, 401);
});

test("a failure is COMPLETED as well, and its response is an error", async (t) => {
  const scene = await openSandboxScene(t);
  const failed = await finish(scene, await submit(scene, 'fail=500 message="out of luck"'));
  assert.deepEqual([failed.status, failed.body], [500, { detail: "out of luck" }]);
  const blocked = await finish(scene, await submit(scene, "fail=blocked"));
  assert.deepEqual(
    [blocked.status, blocked.body.detail[0].type],
    [422, "content_policy_violation"],
  );
  const none = await finish(scene, await submit(scene, "output=none"));
  assert.deepEqual([none.status, none.body], [200, { images: [] }]);
  const garbage = await finish(scene, await submit(scene, "output=garbage"));
  assert.deepEqual([garbage.status, garbage.body], [200, null]);
  const unknown = await submit(scene, "stuck state=PAUSED");
  assert.equal(
    (await scene.call("GET", unknown.body.status_url, undefined, key)).body.status,
    "PAUSED",
  );
  const refused = await submit(scene, "createStatus=429 retry-after=3");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "3"]);
  const known = await scene.call("POST", "/fal/nano-banana-2", { promt: "x" }, key);
  assert.deepEqual([known.status, known.body.detail[1].loc], [422, ["body", "prompt"]]);
});

test("only what has not ended can be canceled", async (t) => {
  const scene = await openSandboxScene(t);
  const submitted = await submit(scene, "stuck");
  const cancel = async (one: Answer): Promise<Answer> =>
    await scene.call("PUT", one.body.cancel_url, undefined, key);
  assert.deepEqual((await cancel(submitted)).body, { status: "CANCELLATION_REQUESTED" });
  assert.equal((await finish(scene, submitted)).status, 400);
  const again = await cancel(submitted);
  assert.deepEqual([again.status, again.body], [400, { status: "ALREADY_COMPLETED" }]);
  const stubborn = await submit(scene, "cancel=refused run=50");
  assert.equal((await cancel(stubborn)).status, 400);
  assert.equal((await finish(scene, stubborn)).status, 200);
});

test("webhooks are signed with the key of the JWKS", async (t) => {
  const scene = await openSandboxScene(t);
  const { keys } = (await scene.call("GET", "/fal/.well-known/jwks.json")).body;
  const publicKey = createPublicKey({ key: keys[0], format: "jwk" });
  for (const [words, status] of [
    ["tag=b", "OK"],
    ["fail=blocked", "ERROR"],
  ] as const) {
    const submitted = await submit(
      scene,
      words,
      `${MODEL}?fal_webhook=${encodeURIComponent(scene.webhookUrl)}`,
    );
    await scene.arrived(status === "OK" ? 1 : 2);
    const { headers, text } = scene.webhooks.at(-1)!;
    const names = ["request-id", "user-id", "timestamp"].map((name) =>
      String(headers[`x-fal-webhook-${name}`]),
    );
    const signed = [...names, createHash("sha256").update(text).digest("hex")].join("\n");
    assert.ok(
      verify(
        null,
        Buffer.from(signed),
        publicKey,
        Buffer.from(String(headers["x-fal-webhook-signature"]), "hex"),
      ),
    );
    const body = JSON.parse(text);
    assert.deepEqual([body.request_id, body.status], [submitted.body.request_id, status]);
    assert.deepEqual(
      body.payload,
      (await scene.call("GET", submitted.body.response_url, undefined, key)).body,
    );
  }
});
