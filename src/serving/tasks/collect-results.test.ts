/**
 * Results are in our storage, and are what was ordered, before a task is completed and charged
 * (contract §7).
 */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { picture } from "../../../test/support/file-scene.ts";
import { RUNNING, succeeded } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { wakeTasks } from "../../tasks/tasks.store.ts";
import type { PollOutcome } from "../../upstreams/tasks/task-adapter.ts";

const suite = engineSuite();

test("several files are charged by their number, and never above the hold", async () => {
  suite.start();
  const { origin } = suite.scene.provider;
  const prices = [1_000n, 2_000n, 3_000n].map((price) => nano(price));
  suite.scene.provider.script.poll = (_handle, times) =>
    times === 1 ? RUNNING : succeeded(`${origin}/result.png`, `${origin}/result.png`);
  const order = {
    priceNano: nano(3_000n),
    priceByFilesNano: prices,
    model: "pictures",
    parameterTable: "T4",
  };
  const two = await suite.scene.order(order);
  assert.equal((await suite.scene.end(two)).chargedNano, 2_000n);
  assert.equal((await suite.scene.find(two)).result?.files.length, 2);
  suite.scene.provider.script.poll = () =>
    succeeded(...Array.from({ length: 5 }, () => `${origin}/result.png`));
  const five = await suite.scene.order(order);
  assert.equal((await suite.scene.end(five)).chargedNano, 3_000n);
  await suite.scene.assertSettled([two, five]);
});

/** A second of silence. */
function sound(): Buffer {
  const rate = 8_000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + rate * 2, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(rate * 2, 40);
  return Buffer.concat([head, Buffer.alloc(rate * 2)]);
}

test("a success without a file is a failure, and so is one whose file is of the wrong kind, empty, dead or private, after a few tries", async () => {
  suite.start();
  const { origin, files, host } = suite.scene.provider;
  files.set("/page.png", Buffer.from("<!doctype html><title>no picture</title>"));
  files.set("/sound.wav", sound());
  files.set("/empty.png", Buffer.alloc(0));
  const cases: readonly (readonly [readonly string[], string, string?])[] = [
    [[], "provider_error"],
    [[`${origin}/page.png`], "provider_error"],
    [[`${origin}/empty.png`], "provider_error"],
    [[`${origin}/none.png`], "result_expired"],
    [["http://169.254.169.254/latest"], "provider_error"],
    [["file:///etc/passwd"], "provider_error"],
    [[`${origin}/result.png`, `${origin}/page.png`], "provider_error"],
    [[`${origin}/result.png`], "provider_error", "video"],
    [[`${origin}/sound.wav`], "provider_error", "video"],
  ];
  assert.ok(host.startsWith("127.0.0.1"));
  await suite.scene.files.leavesNothing(async () => {
    const tasks: Uuid[] = [];
    for (const [urls, code, model = "picture"] of cases) {
      suite.scene.provider.script.poll = () => succeeded(...urls);
      const taskId = await suite.scene.order({
        model,
        parameterTable: model === "video" ? "T2" : "T19",
      });
      tasks.push(taskId);
      await suite.scene.phase(taskId, "collecting");
      await until(`the end of ${urls.join(" ")}`, async () => {
        await wakeTasks(suite.scene.db, [taskId]);
        return (await suite.scene.find(taskId)).phase === null;
      });
      const task = await suite.scene.find(taskId);
      assert.equal(
        task.error?.code,
        code,
        `${urls.join(" ")}: ${inspect(await suite.scene.events(taskId))}`,
      );
    }
    await suite.scene.assertSettled(tasks);
    await until(
      "nothing is under way",
      async () => (await suite.scene.files.unfinished()).length === 0,
    );
  });
  await suite.scene.files.assertWhole();
});

test("a result that comes at the second try is taken", async () => {
  suite.start();
  const { origin, files } = suite.scene.provider;
  let asked = 0;
  const whole = await picture(48);
  files.set("/late.png", (response) => {
    asked += 1;
    if (asked === 1) return void response.writeHead(503).end();
    response.writeHead(200).end(whole);
  });
  suite.scene.provider.script.poll = () => succeeded(`${origin}/late.png`);
  const taskId = await suite.scene.order();
  assert.equal((await suite.scene.end(taskId)).state, "completed");
  assert.equal(asked, 2);
  await suite.scene.assertSettled([taskId]);
});

/** What was waited for is due now. */
async function stepsUntil(
  taskId: Uuid,
  what: string,
  isThere: () => Promise<boolean>,
): Promise<void> {
  await until(what, async () => {
    await wakeTasks(suite.scene.db, [taskId]);
    return isThere();
  });
}

test("a finished task whose provider or whose files' server is in trouble waits for them until its deadline, however often it was asked", async () => {
  const running = suite.start();
  const { origin, files } = suite.scene.provider;
  const stumbling = (response: ServerResponse): void => void response.writeHead(503).end();
  const cut = (response: ServerResponse): void =>
    void response.writeHead(200, { "content-length": 5_000 }).write("x", () => response.destroy());
  const silent: readonly PollOutcome[] = [
    { kind: "unknown", reason: "status 500" },
    { kind: "operator", reason: "status 401" },
    { kind: "busy", retryAfterMs: null },
  ];
  for (const trouble of [stumbling, cut, ...silent]) {
    const tries = (): number =>
      running.steps.filter(({ step, outcome }) => step === "collect" && outcome === "expired")
        .length;
    const before = tries();
    let over = false;
    suite.scene.provider.script.poll = (_handle, times) => {
      if (times === 1 || over || typeof trouble === "function")
        return succeeded(`${origin}/late.png`);
      return trouble;
    };
    files.set("/late.png", typeof trouble === "function" ? trouble : await picture(48));
    const taskId = await suite.scene.order();
    await stepsUntil(taskId, "more tries than a bad file gets", async () => tries() >= before + 10);
    assert.equal((await suite.scene.find(taskId)).phase, "collecting");
    over = true;
    files.set("/late.png", await picture(48));
    await stepsUntil(
      taskId,
      "its end",
      async () => (await suite.scene.find(taskId)).phase === null,
    );
    assert.equal((await suite.scene.find(taskId)).state, "completed");
    await suite.scene.assertSettled([taskId]);
  }
});

test("when the deadline is over too, what could not be fetched so often is given up, and its money goes back", async () => {
  suite.start();
  const { origin, files } = suite.scene.provider;
  files.set("/never.png", (response) => void response.writeHead(503).end());
  suite.scene.provider.script.poll = () => succeeded(`${origin}/never.png`);
  const taskId = await suite.scene.order();
  await suite.scene.phase(taskId, "collecting");
  await suite.scene.db.query(
    "UPDATE tasks.tasks SET deadline_at = clock_timestamp() WHERE task_id = $1",
    [taskId],
  );
  await stepsUntil(taskId, "its end", async () => (await suite.scene.find(taskId)).phase === null);
  assert.equal((await suite.scene.find(taskId)).error?.code, "result_expired");
  await suite.scene.assertSettled([taskId]);
});

test("a result at an address as long as object storages sign them is taken", async () => {
  suite.start();
  const { origin, files } = suite.scene.provider;
  const path = `/signed.png?token=${"a".repeat(4_000)}`;
  files.set(path, await picture(48));
  suite.scene.provider.script.poll = () => succeeded(`${origin}${path}`);
  const taskId = await suite.scene.order();
  assert.equal((await suite.scene.end(taskId)).state, "completed");
});

test("a result that only the credential may have is fetched with it, and with nothing else", async () => {
  suite.start();
  const { origin, files } = suite.scene.provider;
  const whole = await picture(48);
  files.set("/own.png?x=1", (response) => {
    const given = response.req.headers.authorization;
    if (given !== "Bearer secret") return void response.writeHead(401).end();
    response.writeHead(200).end(whole);
  });
  suite.scene.provider.script.poll = () => ({
    kind: "succeeded",
    urls: [`${origin}/own.png?x=1`],
    authorize: true,
    cost: null,
  });
  const taskId = await suite.scene.order();
  assert.equal((await suite.scene.end(taskId)).state, "completed");
});
