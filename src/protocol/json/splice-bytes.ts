/** Replaces ranges of a byte string, leaving every other byte as it is. */

/** Positions in the source, end exclusive; start equal to end inserts. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Splices may come in any order; they must not overlap. Those at the same place are applied in the order given. */
export function spliceBytes(source: Buffer, splices: readonly Splice[]): Buffer {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const { start, end, text } of splices.toSorted((a, b) => a.start - b.start)) {
    if (start < position || end < start || end > source.length) throw new RangeError("splices overlap or leave the source");
    pieces.push(source.subarray(position, start), Buffer.from(text));
    position = end;
  }
  pieces.push(source.subarray(position));
  return Buffer.concat(pieces);
}
