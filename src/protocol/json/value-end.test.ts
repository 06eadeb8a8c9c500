/** Guarantee: what ends as a JSON value is one, and nothing else does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JSON_DEPTH_LIMIT } from "../../kernel/limits.ts";
import { NO_JSON, skipSpace, valueEnd } from "./value-end.ts";

/** Whether the whole text is one value, by the bytes alone. */
function isValue(text: string): boolean {
  const bytes = Buffer.from(text);
  const end = valueEnd(bytes, skipSpace(bytes, 0));
  return end !== NO_JSON && skipSpace(bytes, end) === bytes.length;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("exactly what JSON.parse takes is a value, also where one byte is wrong or missing", () => {
  const signs = fc.constantFrom(...'"\\{}[]:,-+.0123eEtrufalsn/b\t\n\u0001я ', "\u0000");
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.boolean(),
      fc.option(fc.tuple(fc.nat(), fc.nat({ max: 2 }), signs)),
      (value, wide, change) => {
        let text = wide ? JSON.stringify(value, null, "\t") : JSON.stringify(value);
        if (change !== null) {
          const at = change[0] % (text.length + 1);
          text = text.slice(0, at) + change[2] + text.slice(at + change[1]);
        }
        assert.equal(isValue(text), parses(text), text);
      },
    ),
    { numRuns: 5000 },
  );
});

test("numbers, escapes and words are taken as JSON has them", () => {
  const texts = [
    ..."0 -0 01 -01 1. .5 1.5 -1.5e+10 1E5 1e 1e+ 1.e5 - + 0x1 1e5.5 NaN Infinity".split(" "),
    ...["true", "tru", "truee", "null", "nul", "nulll", "false", "fals", "falsee", "", " ", "'a'"],
    ...["[]", "[ ]", "[,]", "[1,]", "[1 2]", "{}", "{ }", "{,}", '{"a":1,}', '{"a" 1}', "{a:1}"],
    ...[..."\"\\/bfnrtu0ax'"].map((sign) => `"\\${sign}"`),
    ...["0", "00", "041", "0041", "00g1", "D800", "00-1", "123"].map((hex) => `"\\u${hex}"`),
    ...[
      '"',
      '"a',
      '"\\',
      '"\\"',
      '"\n"',
      '"\u007f"',
      '"\u2028"',
      "1 1",
      '"a" "b"',
      "[1]]",
      "\u{FEFF}1",
    ],
  ];
  for (const text of texts) assert.equal(isValue(text), parses(text), text);
});

test("a long string ends at its own quote, whatever is in it", () => {
  const parts = fc.constantFrom('\\"', "\\\\", "\\n", "a".repeat(300), "я", "\n", '"', "\\");
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
      const text = `["${pieces.join("")}",1]`;
      assert.equal(isValue(text), parses(text), text);
    }),
    { numRuns: 3000 },
  );
});

test("what is nested too deep is none", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.ok(isValue(nested(JSON_DEPTH_LIMIT)));
  assert.ok(!isValue(nested(JSON_DEPTH_LIMIT + 2)));
  assert.ok(!isValue(nested(1_000_000)));
});
