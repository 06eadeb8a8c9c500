/** Protects: a change has the direction and the size of its figures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, signed } from "./change-of.ts";

test("a change is a share of what was, also of a loss; of nothing there is none", () => {
  assert.equal(changeOf(112, 100), 0.12);
  assert.equal(changeOf(50, 100), -0.5);
  assert.equal(changeOf(-50, -100), 0.5);
  assert.equal(changeOf(7, 0), null);
});

test("a sign is written but where the rest is rounded to nothing", () => {
  const write = (size: number): string => size.toFixed(1);
  assert.deepEqual(
    [signed(0.12, write), signed(-0.12, write), signed(-0.01, write)],
    ["+0.1", "−0.1", "0.0"],
  );
});
