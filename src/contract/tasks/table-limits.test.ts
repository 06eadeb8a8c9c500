/**
 * Guarantee: each constraint of each table is kept exactly: one value just inside is taken, one
 * just outside is refused for that reason alone.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FLAT_TABLE_LIMITS } from "../../../test/support/flat-table-limits.ts";
import { parametersOf } from "../../../test/support/limit-cases.ts";
import { NESTED_TABLE_LIMITS } from "../../../test/support/nested-table-limits.ts";
import { checkUrl } from "../../net/check-url.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import type { TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

for (const [id, cases] of Object.entries({ ...FLAT_TABLE_LIMITS, ...NESTED_TABLE_LIMITS })) {
  test(`${id}: ${cases.length} values inside and outside of its limits`, () => {
    const table = TASK_TABLES.get(id as TaskTableId);
    assert.ok(table !== undefined);
    for (const [patch, ...expected] of cases) {
      const reading = readTaskParameters(table, parametersOf(table, patch), (given) =>
        checkUrl(given, { allow: [] }),
      );
      const reported = reading.ok
        ? []
        : reading.mistakes.map(({ param, code }) => `${param} ${code}`);
      assert.deepEqual(reported, expected, `${id} ${JSON.stringify(patch).slice(0, 200)}`);
      if (!reading.ok)
        for (const { message } of reading.mistakes) assert.match(message, /^\P{Cc}{10,900}[.?]$/u);
    }
  });
}
