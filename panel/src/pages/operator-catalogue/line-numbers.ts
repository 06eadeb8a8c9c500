/** The numbers beside the lines of a text. */

export function lineNumbers(text: string): string {
  return text
    .split("\n")
    .map((_, at) => at + 1)
    .join("\n");
}

/** Where a line (from 1) begins and ends in the text. */
export function placeOfLine(text: string, line: number): readonly [start: number, end: number] {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return [start, start + (lines[line - 1]?.length ?? 0)];
}
