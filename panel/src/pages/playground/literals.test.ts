/** Protects: what is typed into a form stays one word of the shell and one literal of Python. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { inPython, inShell } from "./literals.ts";

test("the shell reads back exactly what was quoted", () => {
  for (const text of ["", "it's", '$HOME `id` \\ "x" !\n', "''", "шлагбаум"]) {
    assert.equal(
      execFileSync("sh", ["-c", `printf %s ${inShell(text)}`], { encoding: "utf8" }),
      text,
    );
  }
});

test("values become Python's own", () => {
  assert.equal(
    inPython({ on: true, off: false, none: null, list: [1, "a'b\"c"], empty: [], object: {} }),
    `{
    "on": True,
    "off": False,
    "none": None,
    "list": [
        1,
        "a'b\\"c",
    ],
    "empty": [],
    "object": {},
}`,
  );
});
