/** A measured figure: one value for each round, its median and range. */

export interface Figure {
  /** The measure it belongs to. */
  readonly measure: string;
  /** What was measured: a peer, or two of them compared. */
  readonly subject: string;
  readonly name: string;
  /** Behind the value: `µs`, `requests/s`; empty for a ratio. */
  readonly unit: string;
  /** One for each round, in their order. */
  readonly values: readonly number[];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Two figures of the same rounds, round by round: what disturbed a round disturbed both. */
export function compareRounds(
  a: readonly number[],
  b: readonly number[],
  compare: (a: number, b: number) => number,
): number[] {
  if (a.length !== b.length)
    throw new Error(`${a.length} rounds cannot be compared with ${b.length}`);
  return a.map((value, round) => compare(value, b[round] ?? Number.NaN));
}

export const quotient = (a: number, b: number): number => a / b;
export const difference = (a: number, b: number): number => a - b;
