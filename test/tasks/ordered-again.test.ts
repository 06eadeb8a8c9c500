/**
 * Guarantee: an order that is sent again with its idempotency key gets its task, even when a file
 * that it names is gone by then.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { openTasksScene, type TasksScene } from "./tasks-scene.ts";

const MODEL = "/v1/tasks/nano-banana-2";

let scene: TasksScene;
before(async () => {
  scene = await openTasksScene();
  await scene.start();
});
after(() => scene[Symbol.asyncDispose]());

test("the same task, charged once, after its picture was deleted; a mended order may use the key of a refused one", async () => {
  const customer = await scene.customer();
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const url = await customer.upload(picture, "red.png");
  const remove = (address: string): Promise<{ status: number }> =>
    customer.call("DELETE", `/v1/storage/files/${new URL(address).pathname.split("/").at(-1)}`);
  const headers = { "idempotency-key": "order-1" };
  const body = { prompt: "A red square.", imageUrls: [url] };
  const first = await customer.call<{ taskId: string }>("POST", MODEL, body, headers);
  assert.equal(first.status, 200, first.text);
  const { cost } = await customer.end(first.data.taskId);
  assert.equal((await remove(url)).status, 200);

  const again = await customer.call<{ taskId: string }>("POST", MODEL, body, headers);
  assert.deepEqual([again.status, again.data?.taskId], [200, first.data.taskId], again.text);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal(again.headers.get("x-tollgate-cost"), first.headers.get("x-tollgate-cost"));
  assert.deepEqual(await customer.money(), { charged: cost.amount, held: "0" });

  const fresh = { "idempotency-key": "order-2" };
  const refused = await customer.call("POST", MODEL, body, fresh);
  assert.deepEqual(
    [refused.status, refused.errors.map(({ code }) => code)],
    [400, ["file_expired"]],
  );
  const mended = { ...body, imageUrls: [await customer.upload(picture, "red.png")] };
  assert.equal((await customer.call("POST", MODEL, mended, fresh)).status, 200);
  assert.deepEqual((await customer.call("POST", MODEL, { prompt: 7 }, fresh)).status, 400);
});
