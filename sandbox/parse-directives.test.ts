/**
 * A directive does what it says or is refused: a typo in a test must not turn into a passing test.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDirectives, type Directives } from "./parse-directives.ts";
import { stripDirectives } from "./read-directive-words.ts";

function read(header: string, text: string, model = "m"): Directives {
  const parsed = parseDirectives(header, text, model);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.message);
  return parsed.directives;
}

function refusal(words: string): string {
  const parsed = parseDirectives(words, "", "m");
  assert.ok(!parsed.ok);
  return parsed.message;
}

test("without directives everything behaves", () => {
  const quiet = read("", "hello [[not a directive]]");
  assert.ok(
    Object.values(quiet).every((value) => value === null || value === 0 || value === false),
  );
});

test("header and text are read alike, and the text wins", () => {
  const directives = read(
    "delay=5 cut=1 hang",
    "please [[sandbox: cut=3 status=429 retry-after=2]] and [[sandbox: noDone]]",
  );
  assert.equal(directives.delayMs, 5);
  assert.equal(directives.cut, 3);
  assert.equal(directives.status, 429);
  assert.equal(directives.retryAfter, "2");
  assert.equal(directives.hang, true);
  assert.equal(directives.noDone, true);
});

test("a block for another model does not count, so one body can break one route and spare the next", () => {
  const text = "[[sandbox: model=first status=500]] [[sandbox: model=second delay=7]]";
  assert.equal(read("", text, "first").status, 500);
  assert.equal(read("", text, "first").delayMs, 0);
  assert.equal(read("", text, "second").status, null);
  assert.equal(read("", text, "second").delayMs, 7);
});

test("values with spaces are quoted, texts come in base64", () => {
  const words = `contentType="text/html; charset=utf-8" text=${Buffer.from("Привет, 👋 =").toString("base64")}`;
  assert.equal(read(words, "").contentType, "text/html; charset=utf-8");
  assert.equal(read(words, "").text, "Привет, 👋 =");
});

test("usage takes a word or figures", () => {
  assert.deepEqual(read("usage=negative", "").usage, { kind: "negative" });
  assert.deepEqual(read("usage=10,20", "").usage, {
    kind: "exact",
    prompt: 10,
    completion: 20,
    cached: 0,
    reasoning: 0,
  });
  assert.deepEqual(read("usage=10,20,3,4", "").usage, {
    kind: "exact",
    prompt: 10,
    completion: 20,
    cached: 3,
    reasoning: 4,
  });
});

test("unknown keys and bad values are refused by name", () => {
  assert.match(refusal("statsu=500"), /unknown directive "statsu"; there are delay,/);
  assert.match(refusal("constructor=1"), /unknown directive/);
  for (const words of [
    "status=99",
    "cut=-1",
    "cut",
    "hang=1",
    "usage=much",
    "usage=1",
    "usage=1,2,3,4,5",
    "text=%%%",
    "body=pdf",
    "delay=99999999",
  ]) {
    assert.match(refusal(words), /is no value for the directive/, words);
  }
});

test("directives are not quoted back", () => {
  assert.equal(stripDirectives("say hi [[sandbox: delay=1]]"), "say hi");
});
