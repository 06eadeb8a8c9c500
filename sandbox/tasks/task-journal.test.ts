/**
 * A sandbox that was killed knows its tasks again: what was under way ends, what had ended is as it
 * was, and the file is never its undoing.
 */
import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { openSandboxScene, resultUrls, type Answer } from "../../test/support/sandbox-scene.ts";

/** In life the next sandbox has the address of the one before; here both run. */
async function resultOf(
  record: Answer["body"],
  url: string,
): Promise<{ status: number; bytes: number }> {
  const answer = await fetch(url + new URL(resultUrls(record)[0] ?? "").pathname);
  return { status: answer.status, bytes: (await answer.arrayBuffer()).byteLength };
}

const folder = mkdtempSync(join(tmpdir(), "task-journal-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the next sandbox goes on with what was under way, and has what had ended", async (t) => {
  const journalPath = join(folder, "goes-on.jsonl");
  const first = await openSandboxScene(t, { journalPath, runMs: 600_000 });
  const running = await first.start("nano-banana-2", { prompt: "a fox" });
  const film = await first.start("bytedance/seedance-2", {
    prompt: "a film",
    duration: 4,
    resolution: "480p",
  });
  const done = await first.start("nano-banana-2", { prompt: "[[sandbox: run=1]] done" });
  const failed = await first.start("nano-banana-2", { prompt: "[[sandbox: run=1 fail=blocked]]" });
  const before = [await first.finish(done), await first.finish(failed)];
  assert.equal((await first.record(running)).body.data.state, "generating");
  // As a process leaves it that is killed in the middle of a line.
  appendFileSync(journalPath, '{"taken":{"id":"cut');

  const second = await openSandboxScene(t, { journalPath });
  for (const id of [running, film]) {
    const record = await second.finish(id);
    assert.equal(record.state, "success");
    const { status, bytes } = await resultOf(record, second.url);
    assert.ok(status === 200 && bytes > 1000);
  }
  const [ended, refused] = [await second.finish(done), await second.finish(failed)];
  assert.deepEqual(
    [ended.state, ended.completeTime, ended.creditsConsumed],
    ["success", before[0].completeTime, before[0].creditsConsumed],
  );
  assert.equal((await resultOf(ended, second.url)).status, 200);
  assert.deepEqual(
    [refused.state, refused.failCode, refused.failMsg],
    ["fail", before[1].failCode, before[1].failMsg],
  );

  const third = await openSandboxScene(t, { journalPath });
  assert.equal((await third.record(running)).body.data.state, "success", "it ended once");
});

test("what was under way waits for media whose server comes back later", async (t) => {
  const journalPath = join(folder, "waits.jsonl");
  const first = await openSandboxScene(t, { journalPath, queueMs: 600_000 });
  const picture = join(folder, "late.png");
  await sharp({ create: { width: 64, height: 64, channels: 3, background: "red" } }).toFile(
    picture,
  );
  const image = first.missingUrl;
  const id = await first.start("nano-banana-2", { prompt: "x", image_input: [image] });
  const second = await openSandboxScene(t, { journalPath });
  await sleep(300);
  first.offer(new URL(image).pathname.slice(1), picture, "image/png");
  assert.equal((await second.finish(id)).state, "success");
});

test("the file is for its owner only, forgets what the sandbox forgets, and a broken one is as good as none", async (t) => {
  const journalPath = join(folder, "bounded.jsonl");
  writeFileSync(journalPath, 'null\n[]\n"x"\n{"id":"nobody","end":{}}\n{"taken":7}\nnot JSON\n');
  const scene = await openSandboxScene(t, { journalPath, maxTasks: 2 });
  for (let index = 0; index < 9; index++)
    await scene.finish(await scene.start("nano-banana-2", { prompt: `${index}` }));
  assert.equal(statSync(journalPath).mode & 0o777, 0o600);
  assert.ok(readFileSync(journalPath, "utf8").split("\n").length <= 12);
  const next = await openSandboxScene(t, { journalPath, maxTasks: 2 });
  assert.equal((await next.inspect()).tasks.length, 2);
  await next.call("DELETE", "/sandbox/tasks");
  assert.equal(readFileSync(journalPath, "utf8").trim(), "");
});
