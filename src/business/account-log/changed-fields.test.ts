/** Guarantee: the log tells what a change changed, and of what was left alone nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedFields } from "./changed-fields.ts";

test("only what differs is told, lists and null by what they hold", () => {
  const before = { name: "a", models: ["m"], limit: null, ips: null };
  assert.deepEqual(changedFields(before, { ...before, name: "b", limit: "5 month" }), {
    before: { name: "a", limit: null },
    after: { name: "b", limit: "5 month" },
  });
  assert.equal(changedFields(before, { ...before, models: ["m"] }), null);
  assert.deepEqual(changedFields(before, { ...before, models: ["m", "n"] }), {
    before: { models: ["m"] },
    after: { models: ["m", "n"] },
  });
});
