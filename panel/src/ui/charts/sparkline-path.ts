/** The line of a sparkline: as wide and as high as it is given, the highest figure at its top. */

/** Fewer say nothing of where it goes. */
export const SPARK_POINTS_LEAST = 7;

interface Box {
  readonly width: number;
  readonly height: number;
  /** Kept free above and below, for half of the line's thickness. */
  readonly margin: number;
}

/** Null: there are too few points. Of figures that are all 0 the line lies at the foot. */
export function sparklinePath(
  values: readonly number[],
  { width, height, margin }: Box,
): string | null {
  if (values.length < SPARK_POINTS_LEAST) return null;
  const highest = Math.max(...values);
  const step = width / (values.length - 1);
  const places = values.map((value, at) => {
    const share = highest === 0 ? 0 : Math.max(0, value) / highest;
    return `${short(at * step)} ${short(height - margin - share * (height - 2 * margin))}`;
  });
  return `M${places.join("L")}`;
}

function short(pixels: number): string {
  return String(Math.round(pixels * 10) / 10);
}
