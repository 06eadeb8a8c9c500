/**
 * Guarantee: pointers find what the document itself has, and put values where they belong without
 * touching anything else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { putAt, valueAt, withoutGaps, type MutableJson } from "./json-pointer.ts";

test("values are found in objects, lists and JSON in texts, never in what objects inherit", () => {
  const document = { a: { "b/c": [10, { "~d": "x" }] }, text: '{"inner":["y","[1]"]}', "": 1 };
  for (const [pointer, expected] of [
    ["", document],
    ["/a/b~1c/0", 10],
    ["/a/b~1c/1/~0d", "x"],
    ["/", 1],
    ["/a/b~1c/2", undefined],
    ["/a/b~1c/01", undefined],
    ["/a/b~1c/length", undefined],
    ["/constructor", undefined],
    ["/a/__proto__", undefined],
    ["/text/inner/0", undefined],
    ["/text/length", undefined],
  ] as const)
    assert.deepEqual(valueAt(document, pointer), expected, pointer);
  assert.equal(valueAt(document, "/text/inner/0", true), "y");
  assert.deepEqual(valueAt(document, "/text/inner/1", true), [1]);
  assert.equal(valueAt(document, "/a/b~1c/1/~0d", true), "x", "a text that is no JSON stays one");
});

test("values are put: objects and lists on the way are made, `-` appends, what stands in the way stays", () => {
  const put = (document: MutableJson, pointer: string, value: MutableJson): MutableJson | false => {
    const result = putAt(document, pointer, value);
    return result === false ? false : withoutGaps(result.document);
  };
  assert.deepEqual(put({}, "/a/b/c", 1), { a: { b: { c: 1 } } });
  assert.deepEqual(put({}, "/a/0/b", 1), { a: [{ b: 1 }] });
  assert.deepEqual(put({ a: [1] }, "/a/-", 2), { a: [1, 2] });
  assert.deepEqual(put({}, "/a/-/b", 2), { a: [{ b: 2 }] });
  assert.deepEqual(put({}, "/a/3", 2), { a: [2] }, "lists have no gaps");
  assert.deepEqual(put({ a: 1 }, "", 2), 2);
  assert.equal(put({ a: "text" }, "/a/b", 2), false);
  assert.equal(put({ a: [] }, "/a/b", 2), false);
  assert.equal(put("text", "/a", 2), false);
});
