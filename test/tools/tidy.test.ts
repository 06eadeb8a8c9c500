/**
 * Every rule of tidy is seen to fail on a planted breach, at its line, and to leave look-alikes in
 * comments and strings alone.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { checkProject } from "../../tools/tidy/check-project.ts";
import { CLEAN_TREE } from "./clean-tree.ts";
import { CONTENT_BREACHES } from "./content-breaches.ts";
import { STRUCTURE_BREACHES } from "./structure-breaches.ts";
import { PROJECT_ROOT, temporaryTree } from "./temporary-tree.ts";

function runTidy(files: Readonly<Record<string, string>>): {
  readonly code: number | null;
  readonly output: string;
} {
  using tree = temporaryTree(files);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(PROJECT_ROOT, "tools/tidy.ts"), tree.root],
    { encoding: "utf8" },
  );
  return { code: status, output: stdout + stderr };
}

test("a tree in order passes, with look-alikes of every breach in its comments and strings", () => {
  const { code, output } = runTidy(CLEAN_TREE);
  assert.equal(code, 0, output);
  assert.match(output, /19 files in order/);
});

for (const { breach, files, expected } of [...STRUCTURE_BREACHES, ...CONTENT_BREACHES]) {
  test(`tidy finds ${breach}`, () => {
    using tree = temporaryTree({ ...CLEAN_TREE, ...files });
    const { findings } = checkProject(tree.root);
    assert.deepEqual(
      findings.map(({ path, line, rule }) => `${path}:${line} ${rule}`),
      [...expected].toSorted(),
      findings.map((finding) => finding.message).join("\n"),
    );
  });
}

test("a breach is printed with its place and what to do, and ends the program with 1", () => {
  const { code, output } = runTidy({
    ...CLEAN_TREE,
    "src/keys/planted.ts": "/** A planted breach. */\nexport let planted = 1;\n",
  });
  assert.equal(code, 1);
  assert.match(
    output,
    /^src\/keys\/planted\.ts:2 module-state: keep state in what a factory returns/m,
  );
});

test("a folder without source files is not taken for a project in order", () => {
  const { code, output } = runTidy({ "README.md": "nothing\n" });
  assert.equal(code, 1);
  assert.match(output, /nothing was checked/);
});

test("in a git checkout only what git tracks or would track is looked at", () => {
  using tree = temporaryTree({
    ...CLEAN_TREE,
    ".gitignore": "data/\n",
    "data/src/keys/scratch.ts": "export let scratch = 1;\n",
    "src/keys/planted.ts": "export let planted = 1;\n",
  });
  assert.equal(spawnSync("git", ["init", "-q", tree.root]).status, 0);
  const paths = new Set(checkProject(tree.root).findings.map((finding) => finding.path));
  assert.deepEqual([...paths], ["src/keys/planted.ts"]);
});
