/** Protects: the size that is measured is the one that was asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSizeArguments } from "./read-size-arguments.ts";

test("without a word it is the size of the promise, and each part can be another one", () => {
  const plain = readSizeArguments([]);
  assert.ok(plain.ok);
  assert.deepEqual(plain.value.size, {
    requests: 1_000_000,
    accounts: 10_000,
    keys: 1_000,
    tasks: 20_000,
  });
  assert.deepEqual([plain.value.times, plain.value.browser, plain.value.plans], [5, true, false]);
  const small = readSizeArguments(["--requests", "2000", "--tasks", "0", "--no-browser"]);
  assert.ok(small.ok);
  assert.equal(small.value.size.requests, 2000);
  assert.equal(small.value.size.tasks, 0);
  assert.equal(small.value.browser, false);
});

test("what is no number, or is not known, is refused with how it is used", () => {
  for (const args of [["--requests", "many"], ["--accounts", "0"], ["--keys", "1.5"], ["--big"]]) {
    const reading = readSizeArguments(args);
    assert.ok(!reading.ok, args.join(" "));
    assert.match(reading.message, /usage: npm run panel-at-size/);
  }
});
