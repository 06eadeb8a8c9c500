/**
 * Results are served whole, in parts and for a while; and in every bad way that a provider's
 * storage has.
 */
// Runs in a process of its own: its connections stay open for a while.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import {
  openSandboxScene,
  resultUrls,
  type SandboxScene,
} from "../../test/support/sandbox-scene.ts";

async function result(scene: SandboxScene, words: string): Promise<string> {
  const input = { prompt: `x [[sandbox: ${words}]]`, aspect_ratio: "1:1", resolution: "1K" };
  const [url] = resultUrls(
    await scene.finish(await scene.start("flux-2/pro-text-to-image", input)),
  );
  assert.ok(url);
  return url;
}

const bytesOf = async (answer: Response): Promise<Buffer> =>
  Buffer.from(await answer.arrayBuffer());

test("a result is served whole and in ranges, to HEAD without a body, and without a key", async (t) => {
  const scene = await openSandboxScene(t);
  const url = await result(scene, "tag=plain");
  const whole = await fetch(url);
  assert.deepEqual(
    [whole.status, whole.headers.get("content-type"), whole.headers.get("accept-ranges")],
    [200, "image/png", "bytes"],
  );
  const bytes = await bytesOf(whole);
  assert.equal(bytes.length, Number(whole.headers.get("content-length")));
  const head = await fetch(url, { method: "HEAD" });
  assert.deepEqual(
    [head.status, Number(head.headers.get("content-length")), (await bytesOf(head)).length],
    [200, bytes.length, 0],
  );
  for (const [range, first, last] of [
    ["bytes=0-9", 0, 9],
    ["bytes=100-", 100, bytes.length - 1],
    ["bytes=-5", bytes.length - 5, bytes.length - 1],
    [`bytes=7-${bytes.length * 2}`, 7, bytes.length - 1],
  ] as const) {
    const part = await fetch(url, { headers: { range } });
    assert.deepEqual(
      [part.status, part.headers.get("content-range")],
      [206, `bytes ${first}-${last}/${bytes.length}`],
    );
    assert.deepEqual(await bytesOf(part), bytes.subarray(first, last + 1));
  }
  const beyond = await fetch(url, { headers: { range: `bytes=${bytes.length}-` } });
  assert.deepEqual(
    [beyond.status, beyond.headers.get("content-range")],
    [416, `bytes */${bytes.length}`],
  );
  assert.equal((await fetch(url, { headers: { range: "lines=1-2" } })).status, 200);
  assert.equal((await fetch(`${scene.url}/sandbox/results/${"0".repeat(32)}.png`)).status, 404);
  assert.equal((await scene.inspect("?tag=plain")).tasks[0].downloads, 8);
});

test("an address ends after its time; another task's is another", async (t) => {
  const scene = await openSandboxScene(t, { resultTtlMs: 150 });
  const url = await result(scene, "tag=a");
  assert.notEqual(await result(scene, "tag=a"), url);
  const answers = [];
  for (let turn = 0; turn < 20 && answers.at(-1) !== 403; turn++) {
    answers.push((await fetch(url)).status);
    await setTimeout(20);
  }
  assert.equal(answers.at(-1), 403);
  assert.equal((await fetch(await result(scene, "resultTtl=0"))).status, 403);
});

test("what was let go for want of room is made again, the same", async (t) => {
  const scene = await openSandboxScene(t, { keepBytes: 1 });
  const url = await result(scene, "tag=first");
  const before = await bytesOf(await fetch(url));
  await result(scene, "tag=second");
  assert.deepEqual(await bytesOf(await fetch(url)), before);
});

test("results are dead, private, elsewhere, of the wrong kind, broken off, or slow", async (t) => {
  const scene = await openSandboxScene(t);
  const good = await bytesOf(await fetch(await result(scene, "tag=good")));
  assert.equal((await fetch(await result(scene, "result=dead"))).status, 404);
  const locked = await result(scene, "result=private");
  assert.equal((await fetch(locked)).status, 401);
  assert.equal(
    (await fetch(locked, { headers: { authorization: "Bearer key-of-the-scene" } })).status,
    200,
  );
  const moved = await result(scene, "result=redirect");
  assert.equal((await fetch(moved, { redirect: "manual" })).status, 302);
  assert.equal((await fetch(moved)).status, 200);
  const page = await fetch(await result(scene, "result=html"));
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  const disguised = await fetch(await result(scene, "result=disguised"));
  assert.equal(disguised.headers.get("content-type"), "image/png");
  assert.match(await disguised.text(), /^<!doctype html>/);
  const mistyped = await fetch(await result(scene, "result=mistyped"));
  assert.equal(mistyped.headers.get("content-type"), "text/plain");
  const empty = await fetch(await result(scene, "result=empty"));
  assert.deepEqual([empty.status, (await bytesOf(empty)).length], [200, 0]);
  const short = await bytesOf(await fetch(await result(scene, "result=short")));
  assert.ok(short.length > 0 && short.length < good.length);
  const truncated = await fetch(await result(scene, "result=truncated"));
  assert.ok(Number(truncated.headers.get("content-length")) > short.length);
  await assert.rejects(truncated.arrayBuffer());
  await assert.rejects(fetch(await result(scene, "result=reset")));
  const slow = await result(scene, "result=slow resultDelay=400");
  const started = performance.now();
  assert.equal((await bytesOf(await fetch(slow))).length > 0, true);
  assert.ok(performance.now() - started >= 390);
  const flaky = await result(scene, "resultStatus=503 resultTimes=2");
  const statuses = [];
  for (let turn = 0; turn < 3; turn++) statuses.push((await fetch(flaky)).status);
  assert.deepEqual(statuses, [503, 503, 200]);
  assert.equal(
    await result(scene, "resultUrl=http://169.254.169.254/latest/meta-data"),
    "http://169.254.169.254/latest/meta-data",
  );
});
