/**
 * Protects: why a task was not taken, or failed, is kept with its code beside the sentence in
 * English, and read in both languages from it; words that have no code, as those of old rows, are
 * kept and shown alone.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { until } from "../../../test/support/until.ts";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { wakeTasks } from "../../tasks/tasks.store.ts";
import { failByHand } from "./operate-task.ts";

const suite = engineSuite();

const CODED = sayReason("status", { status: 402, words: "top up" });
const UNPAID = { kind: "operator", ...CODED } as const;

async function detailOf(taskId: Uuid, kind: string): Promise<unknown> {
  return (await suite.scene.events(taskId)).find((event) => event.kind === kind)?.detail;
}

test("what an upstream said when it did not take a task is kept with its code, and so is what each said when none took it", async () => {
  const { scene } = suite;
  const running = suite.start();
  scene.provider.script.submit = () => UNPAID;
  const taskId = await scene.order();
  await until("the end", async () => {
    await wakeTasks(scene.db, [taskId]);
    return (await scene.find(taskId)).state === "failed";
  });
  assert.deepEqual(await detailOf(taskId, "not_taken"), {
    upstream: "there",
    ...CODED,
    outcome: "operator",
  });
  const last = (await detailOf(taskId, "reason")) as {
    readonly reason: string;
    readonly coded: readonly { readonly upstream: string; readonly coded: { code: string } }[];
  };
  assert.match(last.reason, /^there: /);
  assert.equal(last.coded[0]?.upstream, "there");
  assert.equal(typeof last.coded[0].coded.code, "string");
  assert.deepEqual(
    running.alerts.filter((alert) => "coded" in alert),
    [],
    "the log has the sentence alone",
  );
  await scene.assertSettled([taskId]);
});

test("a failure that an upstream reports is kept with its code, an operator's words alone", async () => {
  const { scene } = suite;
  suite.start();
  const why = sayReason("made_nothing", { words: "failed: bad hands" });
  scene.provider.script.poll = () => ({ kind: "failed", code: "provider_error", ...why });
  const failed = await scene.order();
  await scene.end(failed);
  assert.deepEqual(await detailOf(failed, "reason"), why);

  scene.provider.script.poll = () => ({ kind: "unknown", reason: "in words of old" });
  const ended = await scene.order();
  await until("it runs", async () => (await scene.find(ended)).startedAt !== null);
  await failByHand(scene.db, ended, "Forgotten");
  assert.deepEqual(await detailOf(ended, "reason"), { reason: "Forgotten" });
  await scene.assertSettled([failed, ended]);
});

test("why it is unknown whether an upstream took a task is kept with its code", async () => {
  const { scene } = suite;
  suite.start();
  scene.provider.script.submit = () => ({ kind: "unknown", ...sayReason("stopped") });
  const taskId = await scene.order();
  await until("it is unknown", async () => (await scene.kinds(taskId)).includes("submit_unknown"));
  assert.deepEqual(await detailOf(taskId, "submit_unknown"), {
    upstream: "there",
    reason: "stopped",
    coded: { code: "stopped", params: {} },
    callEnded: true,
  });
});
