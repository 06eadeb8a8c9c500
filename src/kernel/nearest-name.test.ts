/** Guards the "did you mean" of unknown names: near ones are found, far ones are not guessed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "./nearest-name.ts";

const FIELDS = ["input", "cachedInput", "cacheWrite5m", "output", "timeoutsMs"];

test("a slip of the hand finds the name that was meant", () => {
  for (const [given, meant] of [
    ["inptu", "input"],
    ["cached_input", "cachedInput"],
    ["CacheWrite5M", "cacheWrite5m"],
    ["CACHED-INPUT", "cachedInput"],
    ["timeoutMs", "timeoutsMs"],
    ["outputs", "output"],
  ] as const) {
    assert.equal(nearestName(given, FIELDS), meant);
  }
});

test("a name that is near to nothing gets no guess", () => {
  for (const given of ["weight", "", "x", "a".repeat(10_000)])
    assert.equal(nearestName(given, FIELDS), null);
  assert.equal(nearestName("b", ["a"]), null, "one letter is never near to one other letter");
  assert.equal(nearestName("anything", []), null);
});
