/** What the charts draw: places with a height for the eye, and the exact figure in words. */

/** One mark of a chart. */
export interface ChartPoint {
  readonly key: string;
  /** Below it: `22 нояб.`. */
  readonly label: string;
  /** It will still grow, and is drawn so. */
  readonly partial?: boolean;
  /** Where it stands; only a picture of the figure. */
  readonly value: number;
  /** The figure as people read it: in the note at it, and in the table. */
  readonly text: string;
  /** Every digit of it, where `text` is shorter: at hand in the table. */
  readonly exact?: string;
}

/** Points of one colour; all series of a chart have the same keys in the same order. */
export interface ChartSeries {
  readonly key: string;
  readonly name: string;
  readonly points: readonly ChartPoint[];
  /** All of them together, as people read it: in the table beside the picture. */
  readonly total?: string;
}

/** A height for an amount: the only place where one becomes a float. */
export function plotAmount(amount: string): number {
  return Number(amount);
}
