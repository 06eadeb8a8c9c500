/**
 * Guarantee: what is passed on of a call's arguments is always an object's text or its beginning,
 * so that no accumulator fails on it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partialParse } from "@anthropic-ai/sdk/_vendor/partial-json-parser/parser";
import fc from "fast-check";
import { pieces } from "../../../test/support/neutral-answers.ts";
import { createObjectText, type ObjectText } from "./object-text.ts";

function pass(...texts: string[]): [string, ObjectText["state"]] {
  const text = createObjectText();
  const passed = texts.map((piece) => text.add(piece)).join("");
  return [passed, text.state];
}

test("how far a text goes as an object's", () => {
  const table: [string, string, ObjectText["state"]][] = [
    ["", "", "empty"],
    [" \n\t", "", "empty"],
    ["{}", "{}", "whole"],
    [' \n{ "a" : [ ] } \n', '{ "a" : [ ] }', "whole"],
    ["{}{}", "{}", "whole"],
    ['{"a":1}, and so on', '{"a":1}', "whole"],
    ['{"a"', '{"a"', "open"],
    ['{"a":tr', '{"a":tr', "open"],
    [
      '{"a":true,"b":[null,false],"c":"\\u041f\\n\\""}',
      '{"a":true,"b":[null,false],"c":"\\u041f\\n\\""}',
      "whole",
    ],
    ['{"a":[0,-1,1.5,-0.25e10,1E+2,10]}', '{"a":[0,-1,1.5,-0.25e10,1E+2,10]}', "whole"],
    ['{"a":"две\nстроки\t"}', '{"a":"две\\nстроки\\t"}', "whole"],
    ["null", "", "broken"],
    ["[1]", "", "broken"],
    ["ls -la", "", "broken"],
    ["{'a':1}", "{", "broken"],
    ["{a:1}", "{", "broken"],
    ['{"a":1,}', '{"a":1,', "broken"],
    ['{"a" 1}', '{"a" ', "broken"],
    ['{"a":}', '{"a":', "broken"],
    ['{"a":[1}', '{"a":[1', "broken"],
    ['{"a":[,1]}', '{"a":[', "broken"],
    ['{"a":{]', '{"a":{', "broken"],
    ['{"a":01}', '{"a":0', "broken"],
    ['{"a":1.}', '{"a":1.', "broken"],
    ['{"a":1e}', '{"a":1e', "broken"],
    ['{"a":-}', '{"a":-', "broken"],
    ['{"a":+1}', '{"a":', "broken"],
    ['{"a":truth}', '{"a":tru', "broken"],
    ['{"a":True}', '{"a":', "broken"],
    ['{"a":"\\x"}', '{"a":"\\', "broken"],
    ['{"a":"\\u00g0"}', '{"a":"\\u00', "broken"],
  ];
  for (const [text, passed, state] of table) assert.deepEqual(pass(text), [passed, state], text);
});

test("the pieces in which a text comes change nothing", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
      ),
      fc.infiniteStream(fc.nat(3)),
      (text, cuts) => {
        const list: string[] = [];
        for (let at = 0; at < text.length;) {
          const length = cuts.next().value ?? 1;
          list.push(text.slice(at, at + length));
          at += length;
        }
        assert.deepEqual(pass(...list), pass(text));
      },
    ),
  );
});

test("every object's text is passed on as it is, and known to be whole at its last character and not before", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(undefined, 2),
      (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        assert.deepEqual(pass(json), [json, "whole"]);
        assert.deepEqual(pass(json.slice(0, -1)), [json.slice(0, -1), "open"]);
      },
    ),
  );
});

test("what is passed on of any text at all can be put together by the official SDK", () => {
  const signs = fc.string({
    unit: fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "a",
      "u",
      "0",
      "1",
      "-",
      ".",
      "e",
      "\n",
      "t",
      "rue",
      "П",
    ),
    maxLength: 30,
  });
  const texts = fc
    .oneof(
      signs,
      signs.map((text) => `{"a":${text}`),
      fc.json(),
    )
    .chain(pieces);
  fc.assert(
    fc.property(texts, (list) => {
      const [passed, state] = pass(...list);
      if (state === "whole") JSON.parse(passed);
      else if (passed !== "") partialParse(passed);
    }),
    { numRuns: 2000 },
  );
});
