/** Tells in plain words where a file stops being YAML. */
import { isCollection, visit } from "yaml";
import type { Document, ErrorCode, LineCounter, YAMLParseError } from "yaml";
import type { CatalogueMistake, YamlSlip } from "../contract/catalogue/catalogue-mistake.ts";
import { mistakeAt } from "../contract/catalogue/mistake-at.ts";

interface Explanation {
  readonly offset: number;
  readonly slip: YamlSlip;
  readonly bracket?: string;
}

const SLIPS: Readonly<Partial<Record<ErrorCode, YamlSlip>>> = {
  TAB_AS_INDENT: "tab_indent",
  BAD_INDENT: "uneven_indent",
  BLOCK_AS_IMPLICIT_KEY: "key_beside_value",
  MULTILINE_IMPLICIT_KEY: "key_expected",
  MISSING_CHAR: "sign_missing",
  BAD_SCALAR_START: "bad_start",
  ALIAS_PROPS: "bad_anchor",
  BAD_ALIAS: "bad_anchor",
  MULTIPLE_ANCHORS: "bad_anchor",
  BAD_DQ_ESCAPE: "bad_escape",
  UNEXPECTED_TOKEN: "unexpected",
};

/**
 * The first place only: what a parser says after it is mostly about the same slip, which it reads
 * on from. Null when the file is YAML.
 */
export function yamlMistake(
  document: Document.Parsed,
  lines: LineCounter,
  source: string,
): CatalogueMistake | null {
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (error === undefined) return null;
  const { offset, slip, bracket = null } = explain(error, document, source);
  const { line, col } = lines.linePos(offset);
  return mistakeAt({ path: "", line }, "not_yaml", {
    column: col,
    slip,
    bracket,
    reported: error.message,
  });
}

function explain(error: YAMLParseError, document: Document.Parsed, source: string): Explanation {
  const [offset] = error.pos;
  const opened = error.code === "BAD_INDENT" ? openBracket(document, source, offset) : null;
  if (opened !== null)
    return { offset: opened, slip: "not_closed", bracket: source.charAt(opened) };
  return { offset, slip: SLIPS[error.code] ?? "other" };
}

/**
 * Where the innermost { or [ begins that is still open at an offset; the parser tells only where it
 * gave up.
 */
function openBracket(document: Document.Parsed, source: string, offset: number): number | null {
  let innermost: number | null = null;
  visit(document, {
    Node(_, node) {
      const [start, end] = node.range ?? [0, 0];
      if (
        isCollection(node) &&
        node.flow === true &&
        start < offset &&
        !/[}\]]/.test(source.charAt(end - 1))
      )
        innermost = start;
    },
  });
  return innermost;
}
