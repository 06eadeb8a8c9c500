/** Guarantee: the form of a task's table tells every rule that its orders are held to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WordedMistake } from "../../../contract/tasks/task-mistake.ts";
import { TASK_TABLES } from "../../../contract/tasks/task-tables.ts";
import { taskForm } from "./task-form.ts";

test("the form of each table tells its rules between parameters, with the parameters, and those that files are measured by", () => {
  let reported = 0;
  for (const table of TASK_TABLES.values()) {
    const { rules } = taskForm(table, 60);
    const asReported = (fields: readonly string[], { reason, params, message }: WordedMistake) => ({
      fields,
      code: reason,
      params,
      message,
    });
    const measured = (table.measuredRules ?? []).map(({ says }) => asReported([], says));
    assert.deepEqual(
      rules,
      [...table.rules.map(({ params, says }) => asReported(params, says)), ...measured],
      table.id,
    );
    reported += rules.length;
  }
  assert.ok(reported > 0);
});
