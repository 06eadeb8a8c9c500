/** Guarantee: what a gateway asks of PostgreSQL is counted alike, however its bytes are cut. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createQuestionCounter } from "./count-questions.ts";

function message(letter: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(body));
  return Buffer.concat([Buffer.from(letter), length, Buffer.from(body)]);
}

test("queries and syncs count, in one piece or byte by byte", () => {
  const bytes = Buffer.concat([
    message("", "\0\x03\0\0user\0S\0"),
    message("Q", "SELECT 'S'\0"),
    message("P", "\0SELECT 1\0\0\0"),
    message("S", ""),
    message("X", ""),
  ]);
  assert.equal(createQuestionCounter()(bytes), 2);
  const count = createQuestionCounter();
  const each = [...bytes].map((byte) => count(Buffer.from([byte])));
  assert.equal(
    each.reduce((sum, one) => sum + one, 0),
    2,
  );
});
