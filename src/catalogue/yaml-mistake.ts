/** Tells in plain words where a file stops being YAML. */
import { isCollection, visit } from "yaml";
import type { Document, LineCounter, YAMLParseError } from "yaml";
import type { Mistake } from "./yaml-reader.ts";

/**
 * The first place only: what a parser says after it is mostly about the same slip, which it reads on from. Null when the file is YAML.
 */
export function yamlMistake(document: Document.Parsed, lines: LineCounter, source: string): Mistake | null {
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (error === undefined) return null;
  const { offset, words } = explain(error, document, source);
  const { line, col } = lines.linePos(offset);
  return { path: "", line, message: `not valid YAML at column ${col}: ${words}` };
}

function explain(error: YAMLParseError, document: Document.Parsed, source: string): { offset: number; words: string } {
  const [offset] = error.pos;
  const opened = openBracket(document, source, offset);
  switch (error.code) {
    case "TAB_AS_INDENT":
      return { offset, words: "a tab cannot indent; use spaces" };
    case "BAD_INDENT":
      if (opened !== null) return { offset: opened, words: `this ${source.charAt(opened)} is not closed` };
      return { offset, words: "this line is indented otherwise than those that it stands with" };
    case "BLOCK_AS_IMPLICIT_KEY":
      return { offset, words: 'this value cannot have a key beside it: the next line is indented too far, or this line has a second ": "' };
    case "MULTILINE_IMPLICIT_KEY":
      return { offset, words: "a key is expected, then a colon and a space, as in key: value" };
    default:
      return { offset, words: error.message };
  }
}

/** Where the innermost { or [ begins that is still open at an offset; the parser tells only where it gave up. */
function openBracket(document: Document.Parsed, source: string, offset: number): number | null {
  let innermost: number | null = null;
  visit(document, {
    Node(_, node) {
      const [start, end] = node.range ?? [0, 0];
      if (isCollection(node) && node.flow === true && start < offset && !/[}\]]/.test(source.charAt(end - 1))) innermost = start;
    },
  });
  return innermost;
}
