/** Tables as CSV that spreadsheets open without harm: UTF-8 with its mark, commas, and no cell that begins a formula. */

/** Told by its first bytes, or old spreadsheets read Cyrillic as something else. */
const UTF8_MARK = "\uFEFF";

/** `text` is somebody's words; `figure` is written by us: a number, a time, a word of a fixed list. */
export type CsvCell = { readonly text: string | null } | { readonly figure: string | number | null };

/** The head, then the rows in pieces as they come. */
export async function* csvLines(head: readonly string[], rows: AsyncIterable<readonly (readonly CsvCell[])[]>): AsyncGenerator<string> {
  yield UTF8_MARK + line(head.map((title) => ({ figure: title })));
  for await (const some of rows) yield some.map(line).join("");
}

function line(cells: readonly CsvCell[]): string {
  return `${cells.map(written).join(",")}\r\n`;
}

/** A spreadsheet takes what begins with one of these for a formula, and formulas can send what they see elsewhere. */
const FORMULA = /^[\s\0]*[=+\-@|%\t\r\n]/;

function written(cell: CsvCell): string {
  const content = "text" in cell ? (cell.text ?? "") : String(cell.figure ?? "");
  const safe = "text" in cell && FORMULA.test(content) ? `'${content}` : content;
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
