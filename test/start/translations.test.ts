/**
 * Protects: a reader of the Russian documents finds the same headings, commands and settings as a
 * reader of the English ones.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
/** Read by those who change the code, in the code's language. */
const FOR_ENGINEERS = [
  "architecture",
  "contract",
  "dependencies",
  "glossary",
  "guarantees",
  "hazards",
  "performance",
].map((name) => `docs/${name}.md`);
const PAGES = globSync(["README.md", "docs/*.md"], { cwd: ROOT }).filter(
  (path) => !path.endsWith(".ru.md") && !FOR_ENGINEERS.includes(path),
);

/**
 * As it is read: the text, its commands and examples without their comments, what each row of its
 * tables is about, and the levels of its headings.
 */
function read(path: string): {
  text: string;
  examples: string[];
  rows: (string | undefined)[];
  levels: number[];
} {
  const text = readFileSync(join(ROOT, path), "utf8");
  const fence = /^```.*\n[^]*?^```$/gm;
  return {
    text,
    // A comment is a text for people, and is translated.
    examples: (text.match(fence) ?? []).map((block) =>
      block.replaceAll(/(^|\s+)(#|\/\/) .*$/gm, ""),
    ),
    rows: [...text.replaceAll(fence, "").matchAll(/^\| [^|`]*(`[^`]+`)/gm)].map(([, name]) => name),
    levels: [...text.replaceAll(fence, "").matchAll(/^#+(?= )/gm)].map(([marks]) => marks.length),
  };
}

assert.ok(PAGES.includes("README.md") && PAGES.length >= 14);
for (const page of PAGES) {
  test(`${page} says the same in Russian`, () => {
    const translation = page.replace(/\.md$/, ".ru.md");
    const [english, russian] = [read(page), read(translation)];
    assert.deepEqual(russian.examples, english.examples, "commands and examples");
    assert.deepEqual(russian.levels, english.levels, "headings");
    assert.deepEqual(russian.rows, english.rows, "what the tables are about");
    for (const [from, to] of [
      [english, translation],
      [russian, page],
    ] as const)
      assert.ok(from.text.includes(`(${basename(to)})`), `a link to ${to}`);
  });
}
