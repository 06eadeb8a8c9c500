/** Protects: the benchmark does what it is told, or says what it does not understand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "./read-arguments.ts";

function read(...args: string[]) {
  const reading = readArguments(args);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.value;
}

test("both forms have their rounds, which can be changed", () => {
  assert.deepEqual(read(), { quick: false, only: null, rounds: 5, json: null });
  assert.deepEqual(read("--quick"), { quick: true, only: null, rounds: 3, json: null });
  assert.equal(read("--rounds", "2").rounds, 2);
  assert.equal(read("--json", "somewhere.json").json, "somewhere.json");
});

test("a measure is named by the beginning of its name, with spaces or hyphens", () => {
  const names = (...args: string[]) => read(...args).only?.map(({ name }) => name);
  assert.deepEqual(names("--only", "whole-answers"), ["whole answers"]);
  assert.deepEqual(names("--only", "big ledger", "--only", "streams"), ["big ledger", "streams"]);
});

test("what is not understood is refused with the names of the measures", () => {
  for (const args of [
    ["--only", "nothing"],
    ["--rounds", "0"],
    ["--rounds", "many"],
    ["--fast"],
    ["whole"],
  ]) {
    const reading = readArguments(args);
    assert.ok(!reading.ok, args.join(" "));
    assert.match(reading.message, /usage: .*"whole answers"/s);
  }
});
