/**
 * Guarantee: a large body says what a small one would, though its long strings are never parsed
 * whole.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fault } from "../../kernel/faults.ts";
import { LARGE_BODY_BYTES, SLICE_BYTES } from "./long-strings.ts";
import { readJsonObject, type JsonObject } from "./read-json-object.ts";

const FILLER = "a".repeat(LARGE_BODY_BYTES);

function readLarge(body: string): JsonObject & { long: NonNullable<JsonObject["long"]> } {
  const reading = readJsonObject(Buffer.from(body), [], true);
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  const { object } = reading;
  const { long } = object;
  assert.ok(long !== null);
  return Object.assign(object, { long });
}

/** As a text of the parsed body is read. */
function textOf(object: ReturnType<typeof readLarge>, value: unknown): string {
  assert.ok(typeof value === "string");
  return [...object.long.slicesOf(value, object.bytes)].join("");
}

/**
 * Characters that are hard to cut between: escapes of one and of six bytes, pairs of them,
 * characters of two to four bytes.
 */
const piece = fc.constantFrom(
  "\\n",
  '\\"',
  "\\\\",
  "\\u0041",
  "\\ud83d\\ude00",
  "\\/",
  "я",
  "中",
  "😀",
  "x",
  " ",
);

test("a long string comes out in slices as it was meant, wherever the slices are cut", () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 20, maxLength: 60 }), fc.nat(20), (pieces, shift) => {
      const unit = pieces.join("");
      const json = "x".repeat(shift) + unit.repeat(Math.ceil((3 * SLICE_BYTES) / unit.length));
      const object = readLarge(`{"a":"${json}","filler":"${FILLER}"}`);
      const slices = [...object.long.slicesOf(String(object.value["a"]), object.bytes)];
      assert.equal(slices.join(""), JSON.parse(`"${json}"`));
      assert.ok(slices.every((slice) => slice.length <= SLICE_BYTES));
      assert.equal([...object.long.check(object.bytes)].length > 3, true);
    }),
    { numRuns: 40 },
  );
});

test("short strings, the length of long ones, and texts that hold long strings as JSON", () => {
  const long = `"Она"\n${"я".repeat(5000)}`;
  const object = readLarge(
    JSON.stringify({ short: "as it is", tool: { description: long, name: "t" }, filler: FILLER }),
  );
  assert.equal(object.value["short"], "as it is");
  assert.equal(textOf(object, object.value["short"]), "as it is");
  assert.equal(textOf(object, object.value["filler"]), FILLER);
  assert.equal(object.long.lengthOf(String(object.value["filler"])), FILLER.length);
  assert.equal(
    textOf(object, JSON.stringify(object.value["tool"])),
    JSON.stringify({ description: long, name: "t" }),
  );
  assert.deepEqual(object.whole()["tool"], { description: long, name: "t" });
  object.release();
  assert.equal(textOf(object, object.value["filler"]), FILLER);
});

test("readers that look how a string begins see it, and no caller can write a stand-in", () => {
  const image = `data:image/png;base64,${"A".repeat(9000)}`;
  const first = readLarge(JSON.stringify({ image, filler: FILLER }));
  assert.ok(String(first.value["image"]).startsWith("data:image/png;base64,"));
  const forged = String(first.value["filler"]);
  const second = readLarge(JSON.stringify({ forged, filler: FILLER }));
  assert.equal(textOf(second, second.value["forged"]), forged);
});

test("a long string that is no JSON is found where it is read", () => {
  for (const bad of ["\\x", "\n", "\\u12zz", "\u0000"]) {
    const object = readLarge(
      `{"a":"${"b".repeat(70_000)}${bad}${"b".repeat(70_000)}","filler":"${FILLER}"}`,
    );
    assert.throws(
      () => [...object.long.check(object.bytes)],
      (error) => error instanceof Fault && error.status === 400,
    );
  }
});

test("what is not large, or is read by others, is parsed as it always was", () => {
  const small = readJsonObject(Buffer.from(JSON.stringify({ a: "b".repeat(5000) })), [], true);
  const task = readJsonObject(Buffer.from(JSON.stringify({ a: FILLER })), []);
  assert.ok(small.ok && small.object.long === null && task.ok && task.object.long === null);
  assert.equal(task.object.value["a"], FILLER);
});
