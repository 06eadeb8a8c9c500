/**
 * Protects: a reader who follows a link of the documents to a heading finds that heading there.
 * That files are there tidy sees.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = globSync(["*.md", "{docs,src,test,tools,sandbox,bench,panel}/**/*.md"], {
  cwd: ROOT,
  exclude: (path) => /(^|\/)(node_modules|results)(\/|$)/.test(path),
});

const withoutCode = (text: string): string =>
  text
    .replaceAll(/^```.*\n[^]*?^```$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""));

/** The names that headings have in addresses, as GitHub makes them. */
function anchors(path: string): string[] {
  const headings = withoutCode(readFileSync(path, "utf8")).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

assert.ok(PAGES.length >= 60);
test("every link to a heading leads to one that is there", () => {
  const dead: string[] = [];
  for (const page of PAGES) {
    for (const [, link = ""] of withoutCode(readFileSync(join(ROOT, page), "utf8")).matchAll(
      /\]\(([^)\s]+)\)/g,
    )) {
      if (/^[a-z]+:/.test(link)) continue;
      const [path = "", anchor] = decodeURIComponent(link).split("#");
      if (anchor === undefined) continue;
      const target = path === "" ? join(ROOT, page) : join(ROOT, dirname(page), path);
      if (!anchors(target).includes(anchor)) dead.push(`${page}: ${link}`);
    }
  }
  assert.deepEqual(dead, []);
});
