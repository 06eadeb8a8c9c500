/**
 * A task's media are in our storage and keep every rule before any provider hears of it, or the
 * task ends with its money back (contract §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { picture, STATIC_URL } from "../../../test/support/file-scene.ts";
import { until } from "../../../test/support/until.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { wakeTasks } from "../../tasks/tasks.store.ts";

const suite = engineSuite();

function order(...imageUrls: readonly string[]): Promise<Uuid> {
  return suite.scene.order({ parameters: { prompt: "a cat", imageUrls }, hasMedia: true });
}

test("a customer's files are copied, and the provider gets our addresses", async () => {
  suite.start();
  const { origin, files } = suite.scene.provider;
  files.set("/cat.png", await picture(40));
  const uploaded = await suite.scene.files.process().upload(await picture(50));
  const taskId = await order(`${origin}/cat.png`, uploaded.url, `${origin}/cat.png`);
  const task = await suite.scene.end(taskId);
  assert.equal(task.state, "completed");
  const names = task.media?.map(({ name }) => name) ?? [];
  const [submission] = suite.scene.provider.submissions;
  assert.deepEqual(submission?.parameters, {
    prompt: "a cat",
    imageUrls: names.map((name) => `${STATIC_URL}/${name}`),
  });
  assert.equal(`${STATIC_URL}/${names[1]}`, uploaded.url, "our own files are not copied");
  assert.deepEqual(task.parameters, {
    prompt: "a cat",
    imageUrls: [`${origin}/cat.png`, uploaded.url, `${origin}/cat.png`],
  });
  assert.deepEqual((await suite.scene.kinds(taskId)).slice(0, 3), [
    "created",
    "media_taken",
    "submitting",
  ]);
  const objects = await suite.scene.files.objects();
  assert.ok(names.every((name) => objects.includes(name)));
  await suite.scene.assertSettled([taskId]);
});

test("every broken rule is named at once, and no provider is called", async () => {
  suite.start();
  const { origin, files } = suite.scene.provider;
  files.set("/page", Buffer.from("<!doctype html>"));
  files.set("/fine.png", await picture(40));
  const cut = await picture(200, true);
  files.set("/cut.png", cut.subarray(0, cut.length / 2));
  const taskId = await order(`${origin}/page`, `${origin}/fine.png`, `${origin}/cut.png`);
  const task = await suite.scene.end(taskId);
  assert.equal(task.error?.code, "input_rejected");
  assert.match(task.error?.message ?? "", /'imageUrls\[0\]'.*'imageUrls\[2\]'/);
  assert.doesNotMatch(task.error?.message ?? "", /imageUrls\[1\]/);
  assert.equal(suite.scene.provider.submissions.length, 0);
  assert.equal(task.startedAt, null);
  await suite.scene.assertSettled([taskId]);
});

test("where the account's files take all its room, the task fails by a code of its own", async () => {
  const message =
    "0 bytes of the account's 1 MB are free. Delete files, or wait until some expire.";
  suite.start({
    deps: { takeMedia: () => Promise.reject(new Fault("storage_quota_exceeded", { message })) },
  });
  const taskId = await order(`${suite.scene.provider.origin}/fine.png`);
  const task = await suite.scene.end(taskId);
  assert.deepEqual(task.error, { code: "storage_quota_exceeded", message });
  assert.equal(suite.scene.provider.submissions.length, 0);
  await suite.scene.assertSettled([taskId]);
});

test("a host that certainly does not exist fails at once, one that cannot be asked about is tried again", async () => {
  const refusal = (transient: boolean) =>
    ({ kind: "refused", rule: "name_not_found", message: "Not resolved.", transient }) as const;
  const running = suite.start({
    deps: { takeMedia: ({ url }) => Promise.resolve(refusal(url.includes("maybe"))) },
  });
  const began = performance.now();
  const [mistyped, maybe] = [
    await order("http://mistyped.example.com/a.png"),
    await order("http://maybe.example.com/a.png"),
  ];
  const task = await suite.scene.end(mistyped);
  assert.equal(task.error?.code, "input_unreachable");
  assert.ok(performance.now() - began < 5_000, "within seconds");
  await until("the other one waits for another try", async () =>
    running.steps.some(({ outcome }) => outcome === "retry"),
  );
  assert.equal((await suite.scene.find(maybe)).phase, "held");
});

test("an address that must not be asked, or gives nothing, ends the task in words that tell nothing of our network", async () => {
  suite.start();
  const { origin } = suite.scene.provider;
  for (const url of [
    "http://169.254.169.254/latest",
    "http://[::ffff:10.0.0.1]/",
    `${origin}/none.png`,
    `${STATIC_URL}/${"0".repeat(32)}.png`,
  ]) {
    const taskId = await order(url);
    const { error } = await suite.scene.end(taskId);
    assert.equal(error?.code, "input_unreachable", url);
    assert.match(error?.message ?? "", /^'imageUrls\[0\]': /);
    await suite.scene.assertSettled([taskId]);
  }
  assert.equal(suite.scene.provider.submissions.length, 0);
});

test("a server that stumbles is asked again, but what was taken is not fetched again; one that never gives it ends the task", async () => {
  const running = suite.start();
  const { origin, files, fetched } = suite.scene.provider;
  files.set("/cat.png", await picture(40));
  let stumbles = 2;
  const whole = await picture(60);
  files.set("/slow.png", (response) => {
    stumbles -= 1;
    if (stumbles >= 0) return void response.writeHead(503).end();
    response.writeHead(200).end(whole);
  });
  const hurry = (taskId: Uuid): Promise<true> =>
    until("the end", async () => {
      await wakeTasks(suite.scene.db, [taskId]);
      const { state } = await suite.scene.find(taskId);
      return state === "completed" || state === "failed";
    });
  const taskId = await order(`${origin}/cat.png`, `${origin}/slow.png`);
  await hurry(taskId);
  assert.equal((await suite.scene.find(taskId)).state, "completed");
  assert.equal(fetched.filter((path) => path === "/cat.png").length, 1);
  assert.equal(fetched.filter((path) => path === "/slow.png").length, 3);
  assert.equal(running.steps.filter(({ outcome }) => outcome === "retry").length, 2);

  stumbles = 1_000;
  const hopeless = await order(`${origin}/slow.png`);
  await hurry(hopeless);
  assert.equal((await suite.scene.find(hopeless)).error?.code, "input_unreachable");
  assert.equal(stumbles, 995);
  await suite.scene.assertSettled([taskId, hopeless]);
});

test("one account's slow servers do not hold up another account's tasks", async () => {
  suite.start({ deps: { limits: { ingest: 8, ingestOfAccount: 2, idleMs: 200 } } });
  const { origin, files } = suite.scene.provider;
  const hanging: (() => void)[] = [];
  const whole = await picture(40);
  files.set(
    "/hang.png",
    (response) => void hanging.push(() => void response.writeHead(200).end(whole)),
  );
  files.set("/cat.png", whole);
  const first = await order(`${origin}/hang.png`);
  const { accountId } = await suite.scene.find(first);
  const slow = [first];
  for (let count = 0; count < 5; count++) {
    slow.push(
      await suite.scene.order({
        accountId,
        parameters: { prompt: "a", imageUrls: [`${origin}/hang.png`] },
        hasMedia: true,
      }),
    );
  }
  await until("both places are taken", async () => hanging.length === 2);
  const quick = await order(`${origin}/cat.png`);
  assert.equal((await suite.scene.end(quick)).state, "completed");
  assert.equal(hanging.length, 2);
  await until("all of them", async () => {
    for (const answer of hanging.splice(0)) answer();
    const states = await Promise.all(
      slow.map(async (taskId) => (await suite.scene.find(taskId)).state),
    );
    return states.every((state) => state === "completed");
  });
  await suite.scene.assertSettled([...slow, quick]);
});
