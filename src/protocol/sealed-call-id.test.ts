/**
 * Guarantee: a seal on a tool call survives the id that carries it, whatever its signs, and no
 * other id is changed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCallId, sealCallId } from "./sealed-call-id.ts";

test("what was sealed is read back, in signs that the vendor takes", () => {
  const ids = fc.stringMatching(/^[\w-]{1,20}$/).filter((id) => !id.includes("__seal_"));
  const seals = fc.string({ unit: "grapheme", minLength: 1 }).filter((seal) => seal.isWellFormed());
  fc.assert(
    fc.property(ids, seals, (id, seal) => {
      const carried = sealCallId(id, seal);
      assert.match(carried, /^[\w-]+$/);
      assert.deepEqual(readCallId(carried), { id, seal });
    }),
  );
});

test("an id that carries nothing stays as it is", () => {
  assert.equal(sealCallId("call_1", undefined), "call_1");
  for (const id of [
    "",
    "call_1",
    "call_1__seal_",
    "call_1__seal_+/==",
    "call_1__seal_a",
    "x__seal_c2Vhb_",
  ])
    assert.deepEqual(readCallId(id), { id, seal: null }, id);
});
