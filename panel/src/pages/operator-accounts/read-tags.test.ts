/** Protects: tags are kept as they were meant, each once, and no more than there may be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_TAGS, readTags } from "./read-tags.ts";

test("tags stand apart by commas; spaces around them, repeats and empty ones are nothing", () => {
  assert.deepEqual(readTags(" vip,  школа № 57 ,vip,, "), ["vip", "школа № 57"]);
  assert.deepEqual(readTags(""), []);
});

test("too many, or one too long, are not taken", () => {
  const many = Array.from({ length: MOST_TAGS + 1 }, (_, at) => `t${at}`);
  assert.equal(readTags(many.join(",")), null);
  assert.deepEqual(readTags(many.slice(1).join(","))?.length, MOST_TAGS);
  assert.equal(readTags("a".repeat(41)), null);
});
