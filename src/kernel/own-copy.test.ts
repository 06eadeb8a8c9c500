/** Protects: a copy keeps no more memory than it has bytes. */
import { deepEqual, equal, notEqual } from "node:assert/strict";
import { test } from "node:test";
import { ownCopy } from "./own-copy.ts";

test("a copy has the bytes of its parts in turn, and no other memory", () => {
  const parts = [Buffer.from("data: "), Buffer.alloc(0), Buffer.from('{"a":1}\n\n')];
  const copy = ownCopy(...parts);
  deepEqual(copy, Buffer.from('data: {"a":1}\n\n'));
  equal(copy.buffer.byteLength, copy.length);
  for (const part of parts) notEqual(copy.buffer, part.buffer);
  equal(ownCopy().length, 0);
});
