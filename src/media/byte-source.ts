/**
 * Reads a file by ranges, keeps what was read a while, reads further ahead while it is read in
 * order, and counts.
 */

export interface ByteSource {
  /** Of the whole file. */
  readonly bytes: number;
  /** The bytes first..last, both inclusive, which must lie in the file. */
  read(first: number, last: number): Promise<Uint8Array>;
  /** How many bytes were fetched so far. */
  fetched(): number;
}

/** Gets the bytes first..last, both inclusive, from where they lie. */
export type ReadRange = (first: number, last: number) => Promise<Uint8Array>;

/** The file could not be read. This says nothing about the file. */
export class SourceError extends Error {
  override name = "SourceError";
}

/** A parser went through the file over and over. */
export class ReadBudgetError extends Error {
  override name = "ReadBudgetError";
}

const BLOCK_BYTES = 64 * 1024;
const KEPT_BLOCKS = 128;
/**
 * A reader that goes through the file in order gets more at once, up to this: an object store is
 * asked dozens of times, not thousands.
 */
const MOST_BLOCKS_AT_ONCE = 32;

export function createByteSource(bytes: number, readRange: ReadRange): ByteSource {
  const kept = new Map<number, Uint8Array>();
  const budget = 2 * bytes + 16 * BLOCK_BYTES;
  let fetchedBytes = 0;
  let nextBlock = -1;
  let window = 1;

  async function load(block: number, until: number): Promise<Uint8Array> {
    window = block === nextBlock ? Math.min(window * 2, MOST_BLOCKS_AT_ONCE) : 1;
    const end = Math.min(
      Math.max(block + window, Math.min(until + 1, block + MOST_BLOCKS_AT_ONCE)) * BLOCK_BYTES,
      bytes,
    );
    const first = block * BLOCK_BYTES;
    if (fetchedBytes + (end - first) > budget)
      throw new ReadBudgetError("the file is read over and over");
    const data = await readRange(first, end - 1);
    if (data.length !== end - first)
      throw new SourceError(`asked for ${end - first} bytes, got ${data.length}`);
    fetchedBytes += data.length;
    for (let at = 0; at < data.length; at += BLOCK_BYTES) {
      kept.delete(block + at / BLOCK_BYTES);
      kept.set(block + at / BLOCK_BYTES, data.subarray(at, at + BLOCK_BYTES));
    }
    for (const old of kept.keys()) {
      if (kept.size <= KEPT_BLOCKS) break;
      kept.delete(old);
    }
    nextBlock = Math.ceil(end / BLOCK_BYTES);
    return data.subarray(0, BLOCK_BYTES);
  }

  return {
    bytes,
    fetched: () => fetchedBytes,
    async read(first, last) {
      if (!(first >= 0 && first <= last && last < bytes))
        throw new RangeError(`bytes ${first}–${last} do not lie in a file of ${bytes}`);
      const lastBlock = Math.floor(last / BLOCK_BYTES);
      const out = new Uint8Array(last - first + 1);
      for (let block = Math.floor(first / BLOCK_BYTES); block <= lastBlock; block++) {
        const data = kept.get(block) ?? (await load(block, lastBlock));
        const start = block * BLOCK_BYTES;
        const part = data.subarray(Math.max(first - start, 0), last - start + 1);
        out.set(part, start + Math.max(first - start, 0) - first);
      }
      return out;
    },
  };
}
