/**
 * Guards the times of receipts: every moment is written as the platform writes it, whatever was
 * written before it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createIsoTime } from "./iso-time.ts";

test("moments near each other and far apart are written as toISOString does", () => {
  const moments = fc.array(fc.integer({ min: -3_000, max: 3_000 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, min: new Date(-8e15), max: new Date(8e15) }),
      moments,
      (around, offsets) => {
        const isoTime = createIsoTime();
        for (const offset of offsets) {
          const moment = new Date(around.getTime() + offset);
          assert.equal(isoTime(moment), moment.toISOString());
        }
      },
    ),
  );
});

test("a moment that is none throws, and is not remembered", () => {
  const isoTime = createIsoTime();
  for (let time = 0; time < 2; time++)
    assert.throws(() => isoTime(new Date(Number.NaN)), RangeError);
  assert.equal(isoTime(new Date(0)), "1970-01-01T00:00:00.000Z");
});
