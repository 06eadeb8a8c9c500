/** Guarantee: the form of a task's table tells every rule that its orders are held to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TASK_TABLES } from "../../../contract/tasks/task-tables.ts";
import { taskForm } from "./task-form.ts";

test("the form of each table tells its rules between parameters, with the parameters, and those that files are measured by", () => {
  let told = 0;
  for (const table of TASK_TABLES.values()) {
    const { rules } = taskForm(table, 60);
    const measured = (table.measuredRules ?? []).map(({ message }) => ({ params: [], message }));
    assert.deepEqual(rules, [...table.rules.map(({ params, message }) => ({ params: [...params], message })), ...measured], table.id);
    told += rules.length;
  }
  assert.ok(told > 0);
});
