/** Rows of cells as lines of aligned columns, safe to show on a terminal. */

/** Columns whose number is in `right` are aligned to the right, as amounts want it. No line ends with spaces. */
export function alignColumns(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return cells.map((row) =>
    row
      .map((cell, column) => (right.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

/** Names come from outside: a control character in one could repaint the operator's terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "\u{fffd}");
}
