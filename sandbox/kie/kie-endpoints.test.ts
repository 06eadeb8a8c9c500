/**
 * kie as its public pages describe it: envelope, states, record, signature; and every way in which
 * a creation or a poll can go wrong.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openSandboxScene, resultUrls } from "../../test/support/sandbox-scene.ts";

const PICTURE = { prompt: "a cat", aspect_ratio: "1:1", resolution: "1K" };
const asked = (words: string): Record<string, unknown> => ({
  ...PICTURE,
  prompt: `a cat [[sandbox: ${words}]]`,
});
const BANANA = "nano-banana-2";

test("a task goes through kie's states to a record with its result", async (t) => {
  const scene = await openSandboxScene(t, { queueMs: 250, runMs: 150 });
  const created = await scene.create(BANANA, PICTURE);
  assert.equal(created.status, 200);
  assert.deepEqual(Object.keys(created.body), ["code", "msg", "data"]);
  assert.deepEqual([created.body.code, created.body.msg], [200, "success"]);
  const id = created.body.data.taskId;
  assert.match(id, /^[0-9a-f]{32}$/);
  const states: string[] = [];
  const progress: number[] = [];
  for (;;) {
    const { status, body } = await scene.record(id);
    assert.equal(status, 200);
    assert.equal(body.code, 200);
    if (states.at(-1) !== body.data.state) states.push(body.data.state);
    progress.push(body.data.progress);
    if (body.data.state === "success") break;
    assert.equal(body.data.resultJson, "");
    assert.equal(body.data.completeTime, 0);
    await setTimeout(5);
  }
  assert.deepEqual(states, ["waiting", "queuing", "generating", "success"]);
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  assert.equal(progress.at(-1), 100);
  const { data } = (await scene.record(id)).body;
  assert.equal(typeof data.resultJson, "string");
  assert.deepEqual(JSON.parse(data.param), { model: BANANA, input: PICTURE });
  assert.equal(data.creditsConsumed, 4);
  assert.equal(data.completeTime - data.createTime, data.costTime);
  assert.deepEqual([data.failCode, data.failMsg, data.model, data.taskId], ["", "", BANANA, id]);
  assert.match(
    resultUrls(data)[0] ?? "",
    new RegExp(`^${scene.url}/sandbox/results/[0-9a-f]{32}\\.jpg$`),
  );
});

test("mistakes are an envelope of 422 with HTTP 200, a missing key is a 401, a stranger's task is unknown", async (t) => {
  const scene = await openSandboxScene(t);
  const wrong = await scene.create(BANANA, { aspect_ratio: "5:3" });
  assert.deepEqual([wrong.status, wrong.body.code, wrong.body.data], [200, 422, null]);
  assert.match(wrong.body.msg, /prompt is required; aspect_ratio is not within/);
  assert.equal((await scene.create("nano-banana-9", PICTURE)).body.code, 422);
  assert.match(
    (await scene.create(BANANA, asked("creat=reset"))).body.msg,
    /unknown directive "creat"/,
  );
  assert.equal(
    (await scene.call("POST", "/api/v1/jobs/createTask", { model: BANANA })).body.code,
    422,
  );
  const keyless = await fetch(`${scene.url}/api/v1/jobs/createTask`, {
    method: "POST",
    body: "{}",
  });
  assert.deepEqual(
    [keyless.status, await keyless.json()],
    [401, { code: 401, msg: "You do not have access permissions", data: null }],
  );
  const id = await scene.start(BANANA, PICTURE);
  const stranger = await scene.call("GET", `/api/v1/jobs/recordInfo?taskId=${id}`, undefined, {
    authorization: "Bearer other",
  });
  const nobody = await scene.record("0".repeat(32));
  assert.deepEqual(stranger.body, nobody.body);
  assert.deepEqual(nobody.body, { code: 422, msg: "recordInfo is null", data: null });
  assert.ok(
    scene.log.every((line) => !line.includes("cat") && !line.includes("key-of")),
    "the log has no content and no key",
  );
});

test("the end is told to callBackUrl with kie's signature, by the creator's key or by a set one", async (t) => {
  for (const kieWebhookKey of [undefined, "a webhook key"]) {
    const scene = await openSandboxScene(t, kieWebhookKey === undefined ? {} : { kieWebhookKey });
    const id = await scene.start(BANANA, PICTURE, scene.webhookUrl);
    await scene.arrived(1);
    const { headers, text } = scene.webhooks[0]!;
    const timestamp = String(headers["x-webhook-timestamp"]);
    assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 5);
    const signature = createHmac("sha256", kieWebhookKey ?? "key-of-the-scene")
      .update(`${id}.${timestamp}`)
      .digest("base64");
    assert.equal(headers["x-webhook-signature"], signature);
    const body = JSON.parse(text);
    assert.deepEqual(body.data, (await scene.record(id)).body.data);
    assert.deepEqual([body.code, body.data.state], [200, "success"]);
  }
});

test("a failure has its code and message, in the record and in the callback; blocked content and inputs too", async (t) => {
  const scene = await openSandboxScene(t);
  const failed = await scene.finish(
    await scene.start(BANANA, asked('fail=501 message="out of luck" cost=3'), scene.webhookUrl),
  );
  assert.deepEqual(
    [failed.state, failed.failCode, failed.failMsg, failed.resultJson],
    ["fail", "501", "out of luck", ""],
  );
  assert.equal(failed.creditsConsumed, 3);
  await scene.arrived(1);
  const reported = JSON.parse(scene.webhooks[0]!.text);
  assert.deepEqual(
    [reported.code, reported.msg, reported.data.state],
    [501, "out of luck", "fail"],
  );
  const blocked = await scene.finish(await scene.start(BANANA, asked("fail=blocked")));
  assert.match(blocked.failMsg, /content policies/);
  const input = await scene.finish(await scene.start(BANANA, asked("fail=input")));
  assert.match(input.failMsg, /fetch failed/);
});

test("stuck tasks never end, unknown states are shown until the end, figures come as told", async (t) => {
  const scene = await openSandboxScene(t);
  const stuck = await scene.start(BANANA, asked("stuck"));
  const queued = await scene.start(BANANA, asked("stuck=queued"));
  const strange = await scene.start(BANANA, asked("stuck state=dreaming progress=10,40,90"));
  const passing = await scene.start(BANANA, asked("run=200 state=dreaming"));
  await setTimeout(100);
  assert.equal((await scene.record(stuck)).body.data.state, "generating");
  assert.equal((await scene.record(queued)).body.data.state, "queuing");
  const seen = [];
  for (let poll = 0; poll < 4; poll++) seen.push((await scene.record(strange)).body.data);
  assert.deepEqual(new Set(seen.map((one) => one.state)), new Set(["dreaming"]));
  assert.deepEqual(
    seen.map((one) => one.progress),
    [10, 40, 90, 90],
  );
  assert.equal((await scene.record(passing)).body.data.state, "dreaming");
  assert.equal((await scene.finish(passing)).state, "success");
});

test("success without a result, in every way", async (t) => {
  const scene = await openSandboxScene(t);
  for (const [word, expected] of [
    ["none", '{"resultUrls":[]}'],
    ["null", ""],
    ["missing", "{}"],
    ["garbage", '{"resultUrls":["http'],
  ] as const) {
    const data = await scene.finish(await scene.start(BANANA, asked(`output=${word}`)));
    assert.deepEqual([data.state, data.resultJson], ["success", expected], word);
  }
  const text = await scene.finish(await scene.start(BANANA, asked("output=string")));
  assert.match(JSON.parse(text.resultJson), /^http/);
  const object = await scene.finish(await scene.start(BANANA, asked("output=object")));
  assert.equal(typeof JSON.parse(object.resultJson).resultObject.url, "string");
});

test("a creation that is refused on purpose takes nothing, so often and then no more", async (t) => {
  const scene = await openSandboxScene(t);
  const busy = asked("createStatus=429 retry-after=7 createTimes=2 tag=busy");
  for (const attempt of [1, 2]) {
    const refused = await scene.create(BANANA, busy);
    assert.deepEqual(
      [refused.status, refused.body.code, refused.headers.get("retry-after")],
      [429, 429, "7"],
      `attempt ${attempt}`,
    );
  }
  assert.equal((await scene.create(BANANA, busy)).body.code, 200);
  const code = await scene.create(BANANA, asked("createCode=402"));
  assert.deepEqual([code.status, code.body.code], [200, 402]);
  await assert.rejects(scene.create(BANANA, asked("create=reset tag=reset")));
  const { tasks, submissions } = await scene.inspect("?tag=busy");
  assert.deepEqual(
    submissions.map((one: { outcome: string }) => one.outcome),
    ["429", "429", "accepted"],
  );
  assert.equal(tasks.length, 1);
  assert.equal((await scene.inspect("?tag=reset")).tasks.length, 0);
});

test("an answer that is lost after the task was taken leaves one task, which runs and calls back", async (t) => {
  const scene = await openSandboxScene(t);
  for (const word of ["reset-after", "garbage", "html", "empty", "no-id"]) {
    const input = asked(`create=${word} tag=${word}`);
    const callback = `${scene.webhookUrl}?attempt=${word}`;
    if (word === "reset-after") await assert.rejects(scene.create(BANANA, input, callback));
    else assert.equal((await scene.create(BANANA, input, callback)).body?.data?.taskId, undefined);
    // The next one with the very same input is served: a caller that repeats it has two.
    assert.equal((await scene.create(BANANA, input, callback)).body.code, 200);
    const { tasks, submissions, attempts } = await scene.inspect(`?tag=${word}`);
    assert.equal(tasks.length, 2);
    assert.deepEqual(
      submissions.map((one: { outcome: string; taskId: string }) => [one.outcome, one.taskId]),
      [
        [word, tasks[0].taskId],
        ["accepted", tasks[1].taskId],
      ],
    );
    assert.deepEqual(attempts, { [callback]: 2 });
    assert.equal((await scene.finish(tasks[0].taskId)).state, "success");
  }
  await scene.arrived(10);
});

test("a creation that hangs is taken or not, as asked", async (t) => {
  const scene = await openSandboxScene(t);
  for (const [word, taken] of [
    ["hang", 0],
    ["hang-after", 1],
  ] as const) {
    const body = JSON.stringify({ model: BANANA, input: asked(`create=${word} tag=${word}`) });
    const sent = {
      method: "POST",
      headers: { authorization: "Bearer key-of-the-scene" },
      body,
      signal: AbortSignal.timeout(200),
    };
    await assert.rejects(fetch(`${scene.url}/api/v1/jobs/createTask`, sent));
    assert.equal((await scene.inspect(`?tag=${word}`)).tasks.length, taken);
  }
});

test("a new task can be invisible for some polls", async (t) => {
  const scene = await openSandboxScene(t);
  const id = await scene.start(BANANA, asked("hidden=2"));
  assert.equal((await scene.record(id)).body.msg, "recordInfo is null");
  assert.equal((await scene.record(id)).body.code, 422);
  assert.equal((await scene.record(id)).body.code, 200);
  const other = await scene.start(BANANA, asked("hidden=1 hiddenCode=404"));
  assert.equal((await scene.record(other)).body.code, 404);
});

test("polls fail so often and then no more", async (t) => {
  const scene = await openSandboxScene(t);
  const id = await scene.start(BANANA, asked("pollStatus=500 pollTimes=2 retry-after=3"));
  for (let poll = 0; poll < 2; poll++) {
    const answer = await scene.record(id);
    assert.deepEqual(
      [answer.status, answer.body.code, answer.headers.get("retry-after")],
      [500, 500, "3"],
    );
  }
  assert.equal((await scene.finish(id)).state, "success");
  const code = await scene.start(BANANA, asked("pollCode=455"));
  assert.deepEqual(
    [(await scene.record(code)).body.code, (await scene.record(code)).body.code],
    [455, 200],
  );
  for (const [word, text] of [
    ["garbage", '{"code":200,"msg":"succ'],
    ["html", "<!doctype html>"],
    ["empty", ""],
  ] as const) {
    const spoiled = await scene.start(BANANA, asked(`poll=${word}`));
    const answer = await scene.record(spoiled);
    assert.ok(answer.status === 200 && answer.body === null && answer.text.startsWith(text), word);
    assert.equal((await scene.finish(spoiled)).state, "success");
  }
  const reset = await scene.start(BANANA, asked("poll=reset"));
  await assert.rejects(scene.record(reset));
  assert.equal((await scene.finish(reset)).state, "success");
});

test("webhooks come a hundred times, not at all, before the answer, late, and wrongly signed", async (t) => {
  const scene = await openSandboxScene(t);
  await scene.finish(await scene.start(BANANA, asked("webhooks=0"), scene.webhookUrl));
  const many = await scene.start(BANANA, asked("webhooks=100"), scene.webhookUrl);
  await scene.arrived(100);
  assert.ok(scene.webhooks.every((one) => JSON.parse(one.text).data.taskId === many));
  await setTimeout(50);
  assert.equal(scene.webhooks.length, 100);
  await scene.start(BANANA, asked("webhook=early"), scene.webhookUrl);
  assert.equal(scene.webhooks.length, 101, "it was there before the answer");
  const started = performance.now();
  await scene.start(BANANA, asked("webhookDelay=300"), scene.webhookUrl);
  await scene.arrived(102);
  assert.ok(performance.now() - started >= 300);
  await scene.start(BANANA, asked("webhook=unsigned"), scene.webhookUrl);
  await scene.arrived(103);
  assert.equal(scene.webhooks[102]!.headers["x-webhook-signature"], undefined);
  const id = await scene.start(BANANA, asked("webhook=forged"), scene.webhookUrl);
  await scene.arrived(104);
  const { headers } = scene.webhooks[103]!;
  const right = createHmac("sha256", "key-of-the-scene")
    .update(`${id}.${String(headers["x-webhook-timestamp"])}`)
    .digest("base64");
  assert.notEqual(headers["x-webhook-signature"], right);
  await scene.start(BANANA, asked("webhook=garbage"), scene.webhookUrl);
  await scene.arrived(105);
  assert.throws(() => JSON.parse(scene.webhooks[104]!.text));
});

test("a webhook that its receiver does not take is tried three times", async (t) => {
  const scene = await openSandboxScene(t);
  const id = await scene.start(BANANA, PICTURE, `${scene.url}/nowhere`);
  for (;;) {
    const { tasks } = await scene.inspect(`?task=${id}`);
    if (tasks[0].webhooks.length === 3) {
      assert.deepEqual(tasks[0].webhooks, [404, 404, 404]);
      return;
    }
    await setTimeout(20);
  }
});

test("a failed task can succeed late, and says so twice", async (t) => {
  const scene = await openSandboxScene(t);
  const id = await scene.start(BANANA, asked("fail=501 late=50"), scene.webhookUrl);
  await scene.arrived(2);
  const states = scene.webhooks.map((one) => JSON.parse(one.text).data.state);
  assert.deepEqual(states, ["fail", "success"]);
  const { data } = (await scene.record(id)).body;
  assert.deepEqual([data.state, data.failCode, resultUrls(data).length], ["success", "", 1]);
});

test("what was submitted can be looked at on loopback, and forgotten", async (t) => {
  const scene = await openSandboxScene(t);
  const id = await scene.start(BANANA, asked("tag=one"), `${scene.webhookUrl}?attempt=7`);
  await scene.start("flux-2/pro-text-to-image", { ...PICTURE, prompt: "a dog" });
  await scene.create(BANANA, {});
  await scene.finish(id);
  const all = await scene.inspect();
  assert.deepEqual([all.tasks.length, all.submissions.length], [2, 3]);
  assert.deepEqual(
    [all.submissions[2].outcome, all.submissions[2].refusal],
    ["rejected", "prompt is required"],
  );
  const [task] = (await scene.inspect("?callback=attempt=7")).tasks;
  assert.deepEqual(
    [task.taskId, task.tag, task.state, task.input.resolution],
    [id, "one", "succeeded", "1K"],
  );
  assert.ok(task.polls >= 1);
  assert.ok(!JSON.stringify(all).includes("key-of-the-scene"), "no key is shown");
  assert.equal((await scene.inspect(`?model=${BANANA}`)).tasks.length, 1);
  await scene.call("DELETE", "/sandbox/tasks");
  assert.deepEqual(await scene.inspect(), { tasks: [], submissions: [], attempts: {} });
});
