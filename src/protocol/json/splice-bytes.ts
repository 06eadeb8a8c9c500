/** Replaces ranges of a byte string, leaving every other byte as it is. */

/** Positions in bytes, end exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Start equal to end inserts. */
export interface Splice extends ByteRange {
  readonly text: string;
}

/**
 * Splices may come in any order; they must not overlap. Those at the same place are applied in the
 * order given.
 */
export function spliceBytes(source: Buffer, splices: readonly Splice[]): Buffer {
  const ordered = splices.length === 1 ? splices : splices.toSorted((a, b) => a.start - b.start);
  let size = source.length;
  let position = 0;
  for (const { start, end, text } of ordered) {
    if (start < position || end < start || end > source.length)
      throw new RangeError("splices overlap or leave the source");
    size += Buffer.byteLength(text) - (end - start);
    position = end;
  }
  const result = Buffer.allocUnsafe(size);
  let written = 0;
  position = 0;
  for (const { start, end, text } of ordered) {
    written += source.copy(result, written, position, start);
    written += result.write(text, written);
    position = end;
  }
  source.copy(result, written, position);
  return result;
}
