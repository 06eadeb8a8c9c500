/** Guarantee: arrow keys walk the list as it is, and stop at its ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newcomers } from "./newcomers.ts";
import { neighboursOf } from "./receipt-walk.ts";

test("the rows beside the open one", () => {
  const ids = ["a", "b", "c"];
  assert.deepEqual(neighboursOf(ids, "b"), { newer: "a", older: "c" });
  assert.deepEqual(neighboursOf(ids, "a"), { newer: null, older: "b" });
  assert.deepEqual(neighboursOf(ids, "c"), { newer: "b", older: null });
  assert.deepEqual(neighboursOf(ids, "gone"), { newer: null, older: null });
});

test("fresh is what came above, not what was asked for below", () => {
  const known = new Set(["c", "d"]);
  assert.deepEqual([...newcomers(known, ["a", "c", "b", "d", "e", "f"])], ["a", "b"]);
  assert.deepEqual([...newcomers(null, ["a"])], []);
  assert.deepEqual([...newcomers(new Set(), ["a"])], []);
});
