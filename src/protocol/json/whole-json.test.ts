/**
 * Guarantee: what a model wrote as JSON is kept to the digit, and what was cut off is still JSON.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { wholeJson } from "./whole-json.ts";

test("white space between tokens goes, everything else stays as it is written", () => {
  const table: [string, string | null][] = [
    [
      ' { "a" : [ 1.0 , -1e400, 12345678901234567890 ] ,\n"b":\t{ } } ',
      '{"a":[1.0,-1e400,12345678901234567890],"b":{}}',
    ],
    ['{"2": 1, "1": 2, "1": 3}', '{"2":1,"1":2,"1":3}'],
    [
      String.raw`{"a b": " \" \\ \u043f\n ", "c": "\\"}`,
      String.raw`{"a b":" \" \\ \u043f\n ","c":"\\"}`,
    ],
    ['{"__proto__": {"x": 1}}', '{"__proto__":{"x":1}}'],
    ["true", "true"],
  ];
  for (const [text, expected] of table) assert.equal(wholeJson(text), expected, text);
});

test("what was cut off ends after its last finished value", () => {
  const table: [string, string | null][] = [
    ["{", "{}"],
    ['{"a"', "{}"],
    ['{"a":', "{}"],
    ['{"a": "Ниж', "{}"],
    ['{"a": "x", "b', '{"a":"x"}'],
    ['{"a": "x", ', '{"a":"x"}'],
    ['{"a": 12', "{}"],
    ['{"a": 12,', '{"a":12}'],
    ['{"a": true', '{"a":true}'],
    ['{"a": tru', "{}"],
    ['{"a": [1, 2', '{"a":[1]}'],
    ['{"a": ["x", {"b": [1, {"c": null', '{"a":["x",{"b":[1,{"c":null}]}]}'],
    [String.raw`{"a": "x\"`, "{}"],
    ["", null],
    ["<html>", null],
    ['{"a":1}}', null],
    ['{"a":1]', null],
    ['{"a" 1,', null],
  ];
  for (const [text, expected] of table) assert.equal(wholeJson(text), expected, text);
});

test("any JSON, cut anywhere, becomes JSON; uncut it says the same", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
      fc.constantFrom(0, 1, "\t"),
      fc.nat(),
      (value, indent, cut) => {
        const text = JSON.stringify(value, null, indent);
        assert.equal(wholeJson(text), JSON.stringify(value));
        const closed = wholeJson(text.slice(0, 1 + (cut % text.length)));
        assert.ok(closed !== null && typeof JSON.parse(closed) === "object");
      },
    ),
  );
});

test("hostile texts are linear work and no exception", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", " ", "1", "t") }),
      (text) => void wholeJson(text),
    ),
  );
  assert.equal(wholeJson(`{"a":"${'\\"'.repeat(500_000)}`), "{}");
  assert.equal(wholeJson("[".repeat(100_000)), "[".repeat(100_000) + "]".repeat(100_000));
});
