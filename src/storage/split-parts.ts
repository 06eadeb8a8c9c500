/** Cuts a stream into the parts of a multipart upload, in two buffers that take turns. */
import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { assert } from "../kernel/assert.ts";

export interface Part {
  /** From 1. */
  readonly number: number;
  /** Overwritten when the part after the next is asked for. */
  readonly bytes: Buffer;
  /**
   * Hex. Hashed as the bytes arrive: one call over a whole part would stop everything else for its
   * milliseconds.
   */
  readonly sha256: string;
  readonly last: boolean;
}

/** What a picture needs; only longer sources pay for a whole part. */
const FIRST_BUFFER_BYTES = 256 * 1024;

/**
 * All parts but the last are of `partBytes`; an empty source is one empty part. At most two parts
 * are in memory.
 */
export async function* splitParts(
  source: Readable,
  partBytes: number,
): AsyncGenerator<Part, void, void> {
  let current: Buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_BUFFER_BYTES, partBytes));
  let other: Buffer | null = null;
  let filled = 0;
  let number = 1;
  let hash: Hash = createHash("sha256");
  for await (const chunk of source) {
    assert(chunk instanceof Uint8Array, "the source of an object gives bytes");
    for (let taken = 0; taken < chunk.byteLength;) {
      if (filled === partBytes) {
        // Only now it is known that this part is not the last.
        yield { number, bytes: current, sha256: hash.digest("hex"), last: false };
        [current, other] = [other ?? Buffer.allocUnsafeSlow(partBytes), current];
        [filled, number, hash] = [0, number + 1, createHash("sha256")];
      } else if (filled === current.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(partBytes, current.length * 2));
        current.copy(larger);
        current = larger;
      }
      const piece = chunk.subarray(taken, taken + current.length - filled);
      current.set(piece, filled);
      hash.update(piece);
      filled += piece.byteLength;
      taken += piece.byteLength;
    }
  }
  yield { number, bytes: current.subarray(0, filled), sha256: hash.digest("hex"), last: true };
}
