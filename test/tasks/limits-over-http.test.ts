/**
 * Guarantee: each value just inside a limit of the nineteen tables, sent to a real gateway, orders
 * a task and holds exactly its quote; each just outside is a 400 that names the parameter, and
 * holds nothing.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TaskTable, TaskTableId } from "../../src/contract/tasks/task-table.ts";
import { TASK_TABLES } from "../../src/contract/tasks/task-tables.ts";
import { FLAT_TABLE_LIMITS } from "../support/flat-table-limits.ts";
import { parametersOf, type Case } from "../support/limit-cases.ts";
import { NESTED_TABLE_LIMITS } from "../support/nested-table-limits.ts";
import { openHeldOrders, type HeldOrders } from "./held-orders.ts";
import { openTasksScene, type TasksScene } from "./tasks-scene.ts";

const AT_ONCE = 12;

let scene: TasksScene;
let orders: HeldOrders;
before(async () => {
  scene = await openTasksScene();
  // No worker takes what is ordered here.
  await scene.start({ roles: "api" });
  orders = await openHeldOrders(scene);
});
after(() => scene[Symbol.asyncDispose]());

/** As one case of many: what is wrong names its table and its value. */
async function send(table: TaskTable, [patch, ...mistakes]: Case): Promise<void> {
  const parameters = parametersOf(table, patch);
  await (mistakes.length === 0
    ? orders.taken(table.id, parameters)
    : orders.refused(table.id, parameters, mistakes));
}

for (const [id, cases] of Object.entries({ ...FLAT_TABLE_LIMITS, ...NESTED_TABLE_LIMITS })) {
  test(`${id}: ${cases.length} values inside and outside of its limits`, async () => {
    const table = TASK_TABLES.get(id as TaskTableId);
    assert.ok(table !== undefined);
    const left = cases.values();
    const sendOn = async (): Promise<void> => {
      for (const one of left) await send(table, one);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendOn));
  });
}

test("the holds are the quotes, one for each order; what was refused held nothing; and the books agree", () =>
  orders.assertHolds());
