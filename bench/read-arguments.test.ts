/** Protects: the benchmark does what it is told, or says what it does not understand. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readArguments } from "./read-arguments.ts";

function read(...args: string[]) {
  const reading = readArguments(args);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.value;
}

test("both forms have their rounds, which can be changed", () => {
  assert.deepEqual(read(), {
    quick: false,
    only: null,
    rounds: 5,
    json: null,
    against: null,
  });
  assert.deepEqual(read("--quick"), { ...read(), quick: true, rounds: 3 });
  assert.equal(read("--rounds", "2").rounds, 2);
  assert.equal(read("--json", "somewhere.json").json, "somewhere.json");
});

test("a measure is named by the beginning of its name, with spaces or hyphens", () => {
  const names = (...args: string[]) => read(...args).only?.map(({ name }) => name);
  assert.deepEqual(names("--only", "whole-answers"), ["whole answers"]);
  assert.deepEqual(names("--only", "big ledger", "--only", "streams"), ["big ledger", "streams"]);
});

test("another checkout is one that is there and installed", () => {
  const root = join(import.meta.dirname, "..");
  assert.equal(read("--against", root).against?.root, root);
  const reading = readArguments(["--against", import.meta.dirname]);
  assert.ok(!reading.ok);
  assert.match(reading.message, /is no checkout of Tollgate/);
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
