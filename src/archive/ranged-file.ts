/**
 * A stored object as Parquet readers want it: by ranges of bytes, in blocks that are fetched once and
 * kept for a while, since what belongs together lies together.
 */
import type { AsyncBuffer } from "hyparquet";
import { assert } from "../kernel/assert.ts";
import type { ObjectStorage } from "../storage/object-storage.ts";

const BLOCK_BYTES = 256 * 1024;
const BLOCKS_KEPT = 64;

/** Null: no such object. */
export async function openRangedFile(
  storage: ObjectStorage,
  key: string,
): Promise<AsyncBuffer | null> {
  const byteLength = await storage.size(key);
  if (byteLength === null) return null;
  /** By number, the one that was used last at the end. */
  const blocks = new Map<number, Promise<Uint8Array>>();

  function keep(number: number, block: Promise<Uint8Array>): void {
    blocks.delete(number);
    blocks.set(number, block);
    for (const oldest of blocks.keys()) {
      if (blocks.size <= BLOCKS_KEPT) break;
      blocks.delete(oldest);
    }
  }

  /** Blocks that are missing one beside the other are one request. */
  function fetchMissing(first: number, last: number): void {
    for (let begin = first; begin <= last; begin++) {
      if (blocks.has(begin)) continue;
      let end = begin;
      while (end < last && !blocks.has(end + 1)) end += 1;
      const fetched = readBytes(storage, key, {
        first: begin * BLOCK_BYTES,
        last: Math.min((end + 1) * BLOCK_BYTES, byteLength ?? 0) - 1,
      });
      for (let number = begin; number <= end; number++) {
        const offset = (number - begin) * BLOCK_BYTES;
        const block = fetched.then((bytes) => bytes.subarray(offset, offset + BLOCK_BYTES));
        // One that failed is not kept: the next reader asks again.
        block.catch(() => blocks.delete(number));
        keep(number, block);
      }
      begin = end;
    }
  }

  return {
    byteLength,
    async slice(start, end = byteLength) {
      if (end <= start) return new ArrayBuffer(0);
      const [first, last] = [Math.floor(start / BLOCK_BYTES), Math.floor((end - 1) / BLOCK_BYTES)];
      // More than is kept, as a whole file is read: past the blocks.
      if (last - first >= BLOCKS_KEPT / 2) {
        const bytes = await readBytes(storage, key, { first: start, last: end - 1 });
        return bytes.buffer;
      }
      fetchMissing(first, last);
      const wanted = Array.from({ length: last - first + 1 }, (_, nth) => {
        const block = blocks.get(first + nth);
        assert(block !== undefined, "a block that was asked for is on its way");
        keep(first + nth, block);
        return block;
      });
      const slice = new Uint8Array(end - start);
      for (const [nth, block] of (await Promise.all(wanted)).entries()) {
        const from = (first + nth) * BLOCK_BYTES;
        const part = block.subarray(Math.max(start - from, 0), Math.min(end - from, block.length));
        slice.set(part, Math.max(from - start, 0));
      }
      return slice.buffer;
    },
  };
}

async function readBytes(
  storage: ObjectStorage,
  key: string,
  range: { readonly first: number; readonly last: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = await storage.read(key, range);
  if (stream === null) throw new Error(`the archive's file ${key} is not there any more`);
  const bytes = new Uint8Array(range.last - range.first + 1);
  let filled = 0;
  for await (const chunk of stream) {
    assert(chunk instanceof Uint8Array, "a stored object gives bytes");
    bytes.set(chunk, filled);
    filled += chunk.byteLength;
  }
  if (filled !== bytes.length)
    throw new Error(`the archive's file ${key} is shorter than it was: ${filled} bytes of a range`);
  return bytes;
}
