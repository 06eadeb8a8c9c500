/**
 * An answer in its parts: tables, which plain Markdown does not know, and all that stands between
 * them.
 */

export type ColumnSide = "start" | "center" | "end";

export interface MarkdownTable {
  readonly kind: "table";
  /** Markdown of one line each, as are the cells. */
  readonly head: readonly string[];
  readonly sides: readonly ColumnSide[];
  /** Each as long as the head. */
  readonly rows: readonly (readonly string[])[];
}

export type MarkdownBlock = { readonly kind: "text"; readonly text: string } | MarkdownTable;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const UNDERLINE = /^ {0,3}\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;
/** Four spaces make code of a line. */
const INDENTED = /^(?: {4}|\t)/;

export function markdownBlocks(text: string): readonly MarkdownBlock[] {
  const lines = text.split(/\r?\n/);
  const blocks: MarkdownBlock[] = [];
  let plain: string[] = [];
  let fence: string | null = null;
  const endPlain = (): void => {
    if (plain.some((line) => line.trim() !== ""))
      blocks.push({ kind: "text", text: plain.join("\n") });
    plain = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    fence = fenceAfter(fence, line);
    const table = fence === null ? tableAt(lines, at) : null;
    if (table === null) {
      plain.push(line);
      continue;
    }
    endPlain();
    blocks.push(table);
    // Its head, its underline, its rows.
    at += table.rows.length + 1;
  }
  endPlain();
  return blocks;
}

/** The mark of the code that is open after this line; null: none. */
function fenceAfter(open: string | null, line: string): string | null {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === null) return mark;
  const closes = line.trim() === mark && mark.startsWith(open);
  return closes ? null : open;
}

function tableAt(lines: readonly string[], at: number): MarkdownTable | null {
  const line = lines[at] ?? "";
  const below = lines[at + 1] ?? "";
  if (!line.includes("|") || INDENTED.test(line) || !UNDERLINE.test(below)) return null;
  const head = cellsOf(line);
  const marks = cellsOf(below);
  if (head.length !== marks.length) return null;
  const rest = lines.slice(at + 2);
  const end = rest.findIndex((row) => row.trim() === "" || FENCE.test(row));
  const rows = (end === -1 ? rest : rest.slice(0, end)).map((row) => {
    const cells = cellsOf(row);
    return head.map((_, column) => cells[column] ?? "");
  });
  return { kind: "table", head, sides: marks.map(sideOf), rows };
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));
}

function sideOf(mark: string): ColumnSide {
  if (!mark.endsWith(":")) return "start";
  return mark.startsWith(":") ? "center" : "end";
}
