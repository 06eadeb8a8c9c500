/**
 * Protects: a table of an answer is shown as one, and nothing that only looks like a table, such as
 * code, loses a letter.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownBlocks } from "./markdown-blocks.ts";

test("a table stands between the texts around it, its sides as underlined", () => {
  assert.deepEqual(
    markdownBlocks("Before\n\n| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |\n\nAfter"),
    [
      { kind: "text", text: "Before\n" },
      {
        kind: "table",
        head: ["a", "b", "c"],
        sides: ["start", "center", "end"],
        rows: [["1", "2", "3"]],
      },
      { kind: "text", text: "\nAfter" },
    ],
  );
});

test("rows are as long as the head, and a bar after a backslash is a letter", () => {
  const [table] = markdownBlocks(String.raw`a | b
--- | ---
x \| y
1 | 2 | 3`);
  assert.ok(table?.kind === "table");
  assert.deepEqual(table.rows, [
    ["x | y", ""],
    ["1", "2"],
  ]);
});

test("a table that is still coming is one as soon as its underline is there", () => {
  assert.equal(markdownBlocks("| a | b |\n")[0]?.kind, "text");
  assert.equal(markdownBlocks("| a | b |\n|--")[0]?.kind, "text");
  assert.deepEqual(markdownBlocks("| a | b |\n|--|--|"), [
    { kind: "table", head: ["a", "b"], sides: ["start", "start"], rows: [] },
  ]);
});

test("in code, fenced or indented, nothing is a table", () => {
  for (const text of [
    "```\n| a | b |\n|---|---|\n```",
    "~~~text\n| a | b |\n|---|---|",
    "````\n```\n| a | b |\n|---|---|\n````",
    "    | a | b |\n    |---|---|",
  ])
    assert.deepEqual(markdownBlocks(text), [{ kind: "text", text }]);
  assert.equal(markdownBlocks("```\nx\n```\n| a | b |\n|---|---|")[1]?.kind, "table");
});

test("a line above a rule and a bar in a sentence are text", () => {
  for (const text of ["Title\n---\nText", "a | b\nc | d", "a | b\n---"])
    assert.deepEqual(markdownBlocks(text), [{ kind: "text", text }]);
});
