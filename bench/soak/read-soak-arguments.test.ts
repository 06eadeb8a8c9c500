/** Protects: a soak is as long as it was asked for, and never too short to tell anything. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSoakArguments } from "./read-soak-arguments.ts";

test("without a word it is half an hour of one serving process, and each can be another", () => {
  const plain = readSoakArguments([]);
  assert.ok(plain.ok);
  assert.deepEqual(plain.value, { minutes: 30, workers: 1, json: null });
  const short = readSoakArguments(["--minutes", "3", "--workers", "2", "--json", "soak.json"]);
  assert.ok(short.ok);
  assert.deepEqual(short.value, { minutes: 3, workers: 2, json: "soak.json" });
});

test("what is no time, too short or not known is refused with how it is used", () => {
  for (const args of [
    ["--minutes", "1"],
    ["--minutes", "long"],
    ["--workers", "0"],
    ["--workers", "1.5"],
    ["--hours", "1"],
    ["3"],
  ]) {
    const reading = readSoakArguments(args);
    assert.ok(!reading.ok, args.join(" "));
    assert.match(reading.message, /usage: npm run soak/);
  }
});
