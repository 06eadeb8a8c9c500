/**
 * Protects: how often a task was tried, and how each try ended, is told as it was, and nothing of
 * where.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TaskEventKind } from "../../../contract/enums/task-event.ts";
import type { TaskEvent } from "../../../tasks/task-record.ts";
import { taskAttempts } from "./task-attempts.ts";

function reported(...kinds: TaskEventKind[]): (readonly [string, number | null])[] {
  const detail = { upstream: "somebody", reason: "in a provider's own words" };
  const events = kinds.map((kind, second): TaskEvent => ({
    kind,
    seq: BigInt(second),
    at: new Date(second * 1000),
    detail,
  }));
  const attempts = taskAttempts(events);
  assert.doesNotMatch(JSON.stringify(attempts), /somebody|words/);
  assert.deepEqual(
    attempts.map(({ number }) => number),
    attempts.map((_, index) => index + 1),
  );
  return attempts.map(({ outcome, endedAt }) => [
    outcome,
    endedAt === null ? null : Date.parse(endedAt) / 1000,
  ]);
}

test("each try ends as what came after it says", () => {
  assert.deepEqual(reported("created", "failed"), []);
  assert.deepEqual(reported("created", "submitting"), [["sending", null]]);
  assert.deepEqual(
    reported("created", "submitting", "not_taken", "submitting", "started", "completed"),
    [
      ["not_taken", 2],
      ["taken", 4],
    ],
  );
  assert.deepEqual(reported("created", "submitting", "failed"), [["not_taken", 2]]);
  assert.deepEqual(reported("created", "submitting", "started", "failed"), [["taken", 2]]);
});

test("a try of unknown outcome is told as taken once that is found out, and else stays unknown", () => {
  assert.deepEqual(reported("submitting", "submit_unknown", "started", "completed"), [
    ["taken", 2],
  ]);
  assert.deepEqual(reported("submitting", "submit_unknown", "failed"), [["unknown", 1]]);
});
