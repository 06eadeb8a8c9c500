/**
 * Guarantee: the scanner finds each member of the object itself exactly where it lies, whatever
 * strings and nesting hold.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LONG_STRING_BYTES, scanObject } from "./scan-object.ts";

const BOUNDS = { maxDepth: 100, maxValues: 100_000 };
/** The keys of the objects below. */
const ALL = ["a", "b", "c"];

/** JSON texts with white space where it may be. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, " \t") ?? "null";
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("every member is found with the bytes of its value", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
      fc.boolean(),
      (object, wide) => {
        const bytes = Buffer.from(wide ? spaced(object) : JSON.stringify(object));
        const scan = scanObject(bytes, Object.keys(object), BOUNDS);
        assert.ok(scan !== null);
        const parsed = JSON.parse(bytes.toString()) as Record<string, unknown>;
        assert.deepEqual(
          scan.members.map(({ key, start, end }) => [
            key,
            JSON.parse(bytes.toString("utf8", start, end)),
          ]),
          Object.entries(parsed)
            .map(([key, value]) => [key, value])
            .toSorted(([a], [b]) => order(scan.members, a) - order(scan.members, b)),
        );
        assert.equal(scan.depth, depthOf(parsed));
        assert.equal(scan.empty, scan.members.length === 0);
        assert.equal(bytes[scan.close], 0x7d);
      },
    ),
    { numRuns: 500 },
  );
});

function order(members: readonly { key: string }[], key: unknown): number {
  return members.findIndex((member) => member.key === key);
}

test("strings of quotes and backslashes of any length are skipped as a whole", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("\\", '"', "a", "\n", "я"), maxLength: 400 }),
      (text) => {
        const bytes = Buffer.from(
          `{"a":${JSON.stringify(text)},"b":[${JSON.stringify(text)}],"c":1}`,
        );
        const keys = scanObject(bytes, ALL, BOUNDS)?.members.map(({ key }) => key);
        assert.deepEqual(keys, ["a", "b", "c"]);
      },
    ),
    { numRuns: 500 },
  );
});

test("a string that ends with backslashes ends where it ends, however long it is", () => {
  for (let letters = 0; letters < 120; letters++) {
    for (let slashes = 0; slashes < 5; slashes++) {
      const text = "a".repeat(letters) + "\\".repeat(slashes);
      const bytes = Buffer.from(JSON.stringify({ a: text, b: `${text}"` }));
      const scan = scanObject(bytes, ALL, BOUNDS);
      const values = scan?.members.map(
        ({ start, end }) => JSON.parse(bytes.toString("utf8", start, end)) as unknown,
      );
      assert.deepEqual(values, [text, `${text}"`]);
    }
  }
});

test("escaped keys are read as what they say, and duplicates are all reported", () => {
  const scan = scanObject(
    Buffer.from(String.raw`{"mod\u0065l":1,"model":2,"x":{"model":3}}`),
    ["model"],
    BOUNDS,
  );
  assert.deepEqual(
    scan?.members.map(({ key }) => key),
    ["model", "model"],
  );
});

test("what breaks off or is no object gives null", () => {
  for (const text of ["", " ", "[1]", "1", '{"a":1', '{"a":"', '{"a', '{"a":[1}', '{"a":"\\']) {
    assert.equal(scanObject(Buffer.from(text), ALL, BOUNDS), null, text);
  }
});

test("too deep and too much is noticed before the end is reached", () => {
  const deep = scanObject(Buffer.from(`{"a":${"[".repeat(1000)}`), ALL, {
    maxDepth: 50,
    maxValues: 1000,
  });
  assert.equal(deep?.depth, 51);
  const much = scanObject(Buffer.from(`{"a":[${"{},".repeat(1000)}`), ALL, {
    maxDepth: 50,
    maxValues: 100,
  });
  assert.equal(much?.values, 101);
});

test("long strings are reported wherever they are", () => {
  const long = "a".repeat(LONG_STRING_BYTES);
  const bytes = Buffer.from(JSON.stringify({ a: "short", b: [{ c: long }] }));
  const [range] = scanObject(bytes, ALL, BOUNDS)?.longStrings ?? [];
  assert.equal(bytes.toString("utf8", range?.start, range?.end), JSON.stringify(long));
});
