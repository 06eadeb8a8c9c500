/**
 * Protects what operators do with tasks: done and logged in one transaction, refused without a row,
 * and the money of an ended task given back.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { PRICE } from "../../../test/support/engine-scene.ts";
import { insertAccount } from "../../accounts/store.ts";
import { listActions, type StoredAction } from "./audit.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { failAnyTask, retryAnyTask } from "./act-on-task.ts";
import { findStuckTasks, listTasksOfAll, readAnyTask } from "./any-tasks.ts";

const suite = engineSuite();
const OPERATOR = { memberId: newUuid(), email: "op@example.test" };

async function logged(accountId: Uuid): Promise<StoredAction[]> {
  return listActions(suite.scene.db, {
    accountId,
    memberId: null,
    action: null,
    from: null,
    to: null,
    before: null,
    limit: 100,
  });
}

test("a task that is ended by hand has failed, its money is back, and the log says who and why", async () => {
  const { scene } = suite;
  const taskId = await scene.order();
  const { accountId } = await scene.find(taskId);
  const done = await failAnyTask(scene.db, OPERATOR, taskId, "the customer asked");
  assert.deepEqual([done.task.state, done.mismatch], ["failed", false]);
  const [row, ...others] = await logged(accountId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [row?.action, row?.subject, row?.actor, row?.reason, row?.before, row?.after],
    [
      "task.fail",
      taskId,
      "op@example.test",
      "the customer asked",
      { state: "queued", phase: "ready" },
      { state: "failed", released: formatRoubles(PRICE) },
    ],
  );
  await scene.assertSettled([taskId]);
  await assert.rejects(
    failAnyTask(scene.db, OPERATOR, taskId, "again"),
    (error) => error instanceof Fault && error.code === "conflict",
  );
  await assert.rejects(
    failAnyTask(scene.db, OPERATOR, newUuid(), "none"),
    (error) => error instanceof Fault && error.code === "not_found",
  );
  assert.equal((await logged(accountId)).length, 1);
  await insertAccount(scene.db, { accountId, name: "ООО «Ромашка»" });
  const seen = await readAnyTask(scene.db, taskId, "http://files.test");
  const listed = await listTasksOfAll(scene.db, { accountId, state: null, model: null });
  assert.deepEqual(
    [seen.accountName, listed.data.find((each) => each.taskId === taskId)?.accountName],
    ["ООО «Ромашка»", "ООО «Ромашка»"],
  );
  assert.ok(
    seen.events.some(
      ({ kind, detail }) =>
        kind === "reason" && JSON.stringify(detail).includes("op@example.test: the customer asked"),
    ),
  );
});

test("an end that cannot be logged does not happen", async () => {
  const { scene } = suite;
  const taskId = await scene.order();
  await assert.rejects(
    failAnyTask(scene.db, { ...OPERATOR, email: "" }, taskId, "no name"),
    /actor/,
  );
  assert.equal((await scene.find(taskId)).state, "queued");
});

test("a task that no process works at is found, and is due again when an operator says so", async () => {
  const { scene } = suite;
  const taskId = await scene.order();
  const { accountId } = await scene.find(taskId);
  await insertAccount(scene.db, { accountId, name: "Daisy" });
  await scene.db.query(
    "UPDATE tasks.jobs SET due_at = clock_timestamp() - interval '20 minutes' WHERE task_id = $1",
    [taskId],
  );
  const stuck = await findStuckTasks(scene.db, false);
  assert.deepEqual(
    stuck.doubtful
      .filter(({ taskId: found }) => found === taskId)
      .map((doubt) => [doubt.kind, doubt.accountId, doubt.accountName]),
    [["stale", accountId, "Daisy"]],
  );
  assert.equal(stuck.mistakes, null);
  await scene.db.query(
    "UPDATE tasks.jobs SET due_at = clock_timestamp() + interval '20 minutes' WHERE task_id = $1",
    [taskId],
  );
  assert.deepEqual(await retryAnyTask(scene.db, OPERATOR, taskId, null), {
    phase: "ready",
    webhooks: 0,
  });
  const [job] = await scene.db.query<{ due: boolean }>(
    "SELECT due_at <= clock_timestamp() AS due FROM tasks.jobs WHERE task_id = $1",
    [taskId],
  );
  assert.equal(job?.due, true);
  assert.deepEqual(
    (await logged(accountId)).map(({ action }) => action),
    ["task.retry"],
  );
  await assert.rejects(
    retryAnyTask(scene.db, OPERATOR, newUuid(), null),
    (error) => error instanceof Fault && error.code === "not_found",
  );
  const listed = await listTasksOfAll(scene.db, { accountId, state: "queued", model: null });
  assert.deepEqual(
    listed.data.map((task) => task.taskId),
    [taskId],
  );
});

test("tasks and ledger agree, and a hold that is gone is told", async () => {
  const { scene } = suite;
  const taskId = await scene.order();
  const mine = async (): Promise<string[]> =>
    ((await findStuckTasks(scene.db, true)).mistakes ?? []).flatMap((mistake) =>
      mistake.taskId === taskId ? [mistake.kind] : [],
    );
  assert.deepEqual(await mine(), []);
  await scene.db.query("DELETE FROM ledger.holds WHERE hold_id = $1", [taskId]);
  assert.deepEqual(await mine(), ["no_hold"]);
});
