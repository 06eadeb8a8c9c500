/** Guarantee: a change of a price is counted exactly, and what is big is decided without rounding. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nano } from "../../kernel/money.ts";
import { changeOf, changeOfAmounts } from "./change-of.ts";

test("the share of what it was, to a tenth, and big from half of it on", () => {
  const examples = [
    ["150", "175", "16.6", false],
    ["150", "90", "-40.0", false],
    ["150", "75", "-50.0", true],
    ["150", "75.000000001", "-49.9", false],
    ["100", "149.99", "49.9", false],
    ["100", "150", "50.0", true],
    ["9", "90", "900.0", true],
    ["100", "0", "-100.0", true],
    ["0", "0.000000001", null, true],
    ["1000", "1000.000000001", "0.1", false],
  ] as const;
  for (const [before, after, percent, big] of examples)
    assert.deepEqual(changeOfAmounts(before, after), { percent, big }, `${before} → ${after}`);
  assert.equal(changeOfAmounts("4.50", "4.5"), null);
});

test("it is big exactly where twice the difference is what it was, for every amount", () => {
  const amount = fc.bigInt({ min: 1n, max: 10_000_000_000_000_000n });
  fc.assert(
    fc.property(amount, amount, (before, after) => {
      fc.pre(before !== after);
      const { percent, big } = changeOf(nano(before), nano(after));
      const size = after > before ? after - before : before - after;
      assert.equal(big, 2n * size >= before);
      assert.equal(percent?.startsWith("-"), after < before);
      assert.match(percent ?? "", /^-?\d+\.\d$/);
    }),
  );
});
