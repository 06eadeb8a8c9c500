/**
 * Guards ranges: what is asked for is what is sent, and what is not understood is the whole file
 * (RFC 9110 §14).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readByteRange } from "./byte-range.ts";

test("one range, from both ends, cut to the file; a suffix longer than the file is all of it", () => {
  for (const [header, first, last] of [
    ["bytes=0-0", 0, 0],
    ["bytes=5-9", 5, 9],
    ["bytes=5-", 5, 99],
    ["bytes=5-1000", 5, 99],
    ["bytes=-1", 99, 99],
    ["bytes=-100", 0, 99],
    ["bytes=-5000", 0, 99],
    ["Bytes= 5-9 ", 5, 9],
    ["bytes=99-99999999999999999999999999", 99, 99],
  ] as const) {
    assert.deepEqual(readByteRange(header, 100), { first, last }, header);
  }
});

test("behind the end, and nothing of the end, cannot be satisfied; several ranges and nonsense are the whole file", () => {
  for (const header of [
    "bytes=100-",
    "bytes=100-100",
    "bytes=99999999999999999999999-",
    "bytes=-0",
  ]) {
    assert.equal(readByteRange(header, 100), "unsatisfiable", header);
  }
  for (const header of [
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=9-5",
    "bytes=0-1,5-6",
    "bytes=a-b",
    "bytes=1-2-3",
    "items=0-5",
    "bytes=0x1-5",
    "bytes=1e1-",
  ]) {
    assert.equal(readByteRange(header, 100), null, header);
  }
});

test("any range lies within the file", () => {
  const header = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(200), fc.option(fc.nat(200))).map(([from, to]) => `bytes=${from}-${to ?? ""}`),
    fc.nat(200).map((n) => `bytes=-${n}`),
  );
  fc.assert(
    fc.property(header, fc.integer({ min: 1, max: 150 }), (text, size) => {
      const range = readByteRange(text, size);
      return (
        range === null ||
        range === "unsatisfiable" ||
        (range.first >= 0 && range.first <= range.last && range.last < size)
      );
    }),
  );
});
