/**
 * Tables as CSV that spreadsheets open without harm: UTF-8 with its mark, the separators of their
 * language, and no cell that begins a formula.
 */
import type { Language } from "../../../contract/enums/language.ts";

/** Told by its first bytes, or old spreadsheets read Cyrillic as something else. */
const UTF8_MARK = "\uFEFF";

/**
 * `text` is a person's words; `figure` is written by us: a number, a time, a word of a fixed list.
 */
export type CsvCell =
  | { readonly text: string | null }
  | { readonly figure: string | number | null };

/**
 * Whose spreadsheets it is for: those of most of Europe split cells at semicolons, and take `1.50`
 * for a day in May unless it is `1,50`.
 */

const SEPARATORS: Readonly<Record<Language, string>> = { en: ",", ru: ";" };

/** The head, then the rows in pieces as they come. */
export async function* csvLines(
  language: Language,
  head: readonly string[],
  rows: AsyncIterable<readonly (readonly CsvCell[])[]>,
): AsyncGenerator<string> {
  const line = (cells: readonly CsvCell[]): string =>
    `${cells.map((cell) => written(cell, language)).join(SEPARATORS[language])}\r\n`;
  yield UTF8_MARK + line(head.map((title) => ({ figure: title })));
  for await (const some of rows) yield some.map(line).join("");
}

/**
 * A spreadsheet takes what begins with one of these for a formula, and formulas can send what they
 * see elsewhere.
 */
const FORMULA = /^[\s\0]*[=+\-@|%\t\r\n]/;

const DECIMAL = /^(-?\d+)\.(\d+)$/;

function written(cell: CsvCell, language: Language): string {
  const figure = "figure" in cell ? String(cell.figure ?? "") : "";
  const content =
    "text" in cell
      ? (cell.text ?? "")
      : language === "ru"
        ? figure.replace(DECIMAL, "$1,$2")
        : figure;
  const safe = "text" in cell && FORMULA.test(content) ? `'${content}` : content;
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
