/**
 * Guards what is said of a file that is not YAML: one slip is one line of words, at its own place.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { mistakeLine } from "./live-catalogue.ts";

test("a slip in the YAML is told once, where it is and in plain words, however much of the file it makes unreadable", () => {
  const source = readFileSync(new URL("../../catalogue.yaml", import.meta.url), "utf8");
  const indented = "    type: chat\n    displayName: Sandbox Medium\n";
  const line = source.slice(0, source.indexOf(indented)).split("\n").length;
  for (const [slip, reported] of [
    [
      "\ttype: chat\n    displayName: Sandbox Medium\n",
      `line ${line}: not valid YAML at column 1: a tab cannot indent; use spaces`,
    ],
    [
      "    type: chat\n   displayName: Sandbox Medium\n",
      `line ${line + 1}: not valid YAML at column 1: this line is indented otherwise than those that it stands with`,
    ],
    [
      "    type: chat\n      displayName: Sandbox Medium\n",
      `line ${line}: not valid YAML at column 11: this value cannot have a key beside it: the next line is indented too far, or this line has a second ": "`,
    ],
    [
      "    type:chat\n    displayName: Sandbox Medium\n",
      `line ${line}: not valid YAML at column 5: a key is expected, then a colon and a space, as in key: value`,
    ],
    [
      '    type: "chat\n    displayName: Sandbox Medium\n',
      `line ${line}: not valid YAML at column 16: Missing closing "quote`,
    ],
    [
      "    type: { a: b\n    displayName: Sandbox Medium\n",
      `line ${line}: not valid YAML at column 11: this { is not closed`,
    ],
    [
      "    type: { a: [b] }\n    price: [ { a: b }, { c: d }\n",
      `line ${line + 1}: not valid YAML at column 12: this [ is not closed`,
    ],
  ] as const) {
    const reading = readCatalogue(source.replace(indented, slip), {});
    assert.ok(!reading.ok);
    assert.deepEqual(reading.mistakes.map(mistakeLine), [reported]);
  }
});
