/**
 * Guarantee: what is written for several frames together is what is written for each, and bytes
 * that came together are not copied.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Frame } from "./chat-dialect.ts";
import { joinPieces } from "./join-pieces.ts";

const frameOf = (bytes: Buffer): Frame => ({ bytes }) as Frame;

/** Writes nothing for what is empty, and something of its own for what begins with `!`. */
function write({ bytes }: Frame): Buffer | null {
  if (bytes.length === 0) return null;
  return bytes[0] === 0x21 ? Buffer.from(`changed ${bytes.toString()}`) : bytes;
}

test("any frames of any pieces, some left out and some changed: the same bytes", () => {
  const piece = fc.array(fc.string({ maxLength: 3 }), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
      const frames = pieces.flatMap((texts) => {
        const whole = Buffer.from(texts.join(""));
        let end = 0;
        return texts.map((text) => {
          const start = end;
          end += Buffer.byteLength(text);
          return frameOf(whole.subarray(start, end));
        });
      });
      const each = frames.flatMap((frame) => write(frame) ?? []);
      const joined = joinPieces(frames, { write });
      assert.deepEqual(joined, each.length === 0 ? null : Buffer.concat(each));
    }),
    { numRuns: 1000 },
  );
});

test("events of one piece are passed on as one part of it", () => {
  const piece = Buffer.from("onetwothreefour");
  const frames = [piece.subarray(3, 6), piece.subarray(6, 11)].map(frameOf);
  const joined = joinPieces(frames, { write });
  assert.equal(joined?.toString(), "twothree");
  assert.equal(joined.buffer, piece.buffer);
  assert.equal(joined.byteOffset, piece.byteOffset + 3);
});
