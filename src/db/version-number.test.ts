/** Versions are told apart by number, not by letter, and come back as they were written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isVersion, versionNumber, versionOf } from "./version-number.ts";

test("versions are in the order of their numbers", () => {
  const ordered = ["0.0.0", "0.0.10", "0.1.0", "0.2.0", "0.10.0", "1.0.0", "1.0.1", "999.999.999"];
  const shuffled = ordered.toReversed();
  assert.deepEqual(
    shuffled.toSorted((one, other) => versionNumber(one) - versionNumber(other)),
    ordered,
  );
  for (const version of ordered) assert.equal(versionOf(versionNumber(version)), version);
});

test("the largest fits the number that PostgreSQL has for it", () => {
  assert.ok(versionNumber("999.999.999") < 2 ** 31);
});

test("a preview counts as its version; anything else is refused", () => {
  assert.equal(versionNumber("0.2.0-rc.1"), versionNumber("0.2.0"));
  for (const text of ["", "2", "0.2", "v0.2.0", "0.2.0.1", "0.1000.0", "next"]) {
    assert.equal(isVersion(text), false, text);
    assert.throws(() => versionNumber(text), /is no version/);
  }
});
