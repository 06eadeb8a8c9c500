/**
 * `npm test` tells the truth: what it counts ran, what failed is shown in full, and nothing that
 * ends early passes for good.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT_ROOT, temporaryTree, type TemporaryTree } from "./temporary-tree.ts";

const head =
  '/** A test file of a small tree. */\nimport assert from "node:assert/strict";\nimport { describe, test } from "node:test";\n';

/** A tree with the real tools/check.ts and these tests. A database is not asked for. */
function treeOf(files: Readonly<Record<string, string>>): TemporaryTree {
  const tree = temporaryTree(files, { modules: true });
  for (const name of ["tools/check.ts", "tools/check"])
    cpSync(join(PROJECT_ROOT, name), tree.path(name), { recursive: true });
  tree.write("package.json", '{"type":"module"}\n');
  tree.write("tmp/.keep", "");
  return tree;
}

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly lastLine: string;
}

function runCheck(tree: TemporaryTree, ...args: string[]): Run {
  // Without NODE_TEST_CONTEXT: the runner would take itself for a part of this test and run
  // nothing.
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    TEST_DATABASE_URL: "postgresql:///none",
    TMPDIR: tree.path("tmp"),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["tools/check.ts", ...args], {
    cwd: tree.root,
    env,
    encoding: "utf8",
  });
  const output = stdout + stderr;
  return { code: status, output, lastLine: output.trimEnd().split("\n").at(-1) ?? "" };
}

const PASSING = `${head}test("one", () => {});\ndescribe("suite", () => {\n  test("two", () => assert.ok(true));\n});\n`;

test("tests that pass are counted, suites are not, and the run ends with 0", () => {
  using tree = treeOf({
    "src/a.test.ts": PASSING,
    "test/b.test.ts": PASSING,
    "sandbox/c.test.ts": PASSING,
  });
  const run = runCheck(tree, "--no-static");
  assert.equal(run.code, 0, run.output);
  assert.equal(run.lastLine, "6 passed, 0 failed, 0 skipped");
});

test("a failure ends the run with 1, is counted once however deep it lies, and shows its difference and the file's output", () => {
  using tree = treeOf({
    "src/a.test.ts": PASSING,
    "src/b.test.ts": `${head}describe("outer", () => {\n  describe("inner", () => {\n    test("breaks", () => {\n      console.log("printed before");\n      assert.deepEqual({ a: 1 }, { a: 2 });\n    });\n    test("holds", () => {});\n  });\n});\ntest("skipped", { skip: true }, () => {});\ntest("to do", { todo: true }, () => {});\n`,
  });
  const run = runCheck(tree, "--no-static");
  assert.equal(run.code, 1);
  assert.equal(run.lastLine, "3 passed, 1 failed, 2 skipped");
  assert.match(run.output, /failure 1 of 1: src\/b\.test\.ts › outer › inner › breaks/);
  assert.match(run.output, /\+ {3}a: 1\n- {3}a: 2/);
  assert.match(run.output, /printed before/);
});

/** Fails when it runs for the first time in this tree. */
const UNSTEADY = `${head}import { existsSync, writeFileSync } from "node:fs";\nconst mark = import.meta.filename + ".ran";\ntest("wavers", () => {\n  const first = !existsSync(mark);\n  writeFileSync(mark, "");\n  assert.ok(!first, "the first time");\n});\ntest("holds", () => {});\n`;

test("a file that fails once and then passes alone passes as unsteady, with its failure in full, unless the first word is wanted", () => {
  using tree = treeOf({ "src/a.test.ts": PASSING, "src/b.test.ts": UNSTEADY });
  const run = runCheck(tree, "--no-static");
  assert.equal(run.code, 0, run.output);
  assert.equal(run.lastLine, "4 passed, 0 failed, 0 skipped");
  assert.match(run.output, /≈ unsteady src\/b\.test\.ts {2}2 passed/);
  assert.match(run.output, /unsteady 1 of 1: src\/b\.test\.ts › wavers\n[^]*the first time/);

  using strict = treeOf({ "src/b.test.ts": UNSTEADY });
  const once = runCheck(strict, "--no-static", "--no-again");
  assert.equal(once.code, 1);
  assert.equal(once.lastLine, "1 passed, 1 failed, 0 skipped");
});

test("four files that fail are not run again", () => {
  using tree = treeOf(
    Object.fromEntries(["a", "b", "c", "d"].map((name) => [`src/${name}.test.ts`, UNSTEADY])),
  );
  const run = runCheck(tree, "--no-static");
  assert.equal(run.code, 1);
  assert.equal(run.lastLine, "4 passed, 4 failed, 0 skipped");
});

const EARLY_ENDS: Readonly<
  Record<string, { readonly text: string; readonly says: RegExp; readonly counts: string }>
> = {
  "a file without tests": {
    text: "/** Nothing here. */\n",
    says: /there is no test in the file/,
    counts: "0 passed, 1 failed, 0 skipped",
  },
  "a file that throws when it is loaded": {
    text: `${head}throw new Error("at once");\n`,
    says: /at once/,
    counts: "0 passed, 1 failed, 0 skipped",
  },
  "a test that leaves by process.exit(0)": {
    text: `${head}test("leaves", () => process.exit(0));\ntest("never begins", () => assert.fail("must not be counted"));\n`,
    says: /ended before its tests reported/,
    counts: "0 passed, 1 failed, 0 skipped",
  },
  "an error after the test": {
    text: `${head}test("looks good", () => {\n  setTimeout(() => {\n    throw new Error("too late");\n  }, 20);\n});\n`,
    says: /too late/,
    counts: "1 passed, 1 failed, 0 skipped",
  },
  "a process that is killed": {
    text: `${head}test("dies", () => process.kill(process.pid, "SIGKILL"));\n`,
    says: /a\.test\.ts/,
    counts: "0 passed, 1 failed, 0 skipped",
  },
};

for (const [name, { text, says, counts }] of Object.entries(EARLY_ENDS)) {
  test(`${name} fails the run`, () => {
    using tree = treeOf({ "src/a.test.ts": text });
    const run = runCheck(tree, "--no-static");
    assert.equal(run.code, 1, run.output);
    assert.match(run.output, says);
    assert.equal(run.lastLine, counts);
  });
}

test("a file that keeps its process alive is ended after the silence limit, and fails", () => {
  using tree = treeOf({
    "src/a.test.ts": `${head}test("done", () => {});\nsetInterval(() => {}, 1000);\n`,
    "hang.ts": `import { runTestFile } from "./tools/check/run-test-file.ts";\nconst signal = new AbortController().signal;\nconsole.log(JSON.stringify(await runTestFile(import.meta.dirname + "/src/a.test.ts", { root: import.meta.dirname, env: process.env, signal, silenceMs: 1500 })));\n`,
  });
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { stdout } = spawnSync(process.execPath, ["hang.ts"], {
    cwd: tree.root,
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
  const outcome = JSON.parse(stdout) as { passed: number; failures: { text: string }[] };
  assert.equal(outcome.passed, 1);
  assert.equal(outcome.failures.length, 1);
  assert.match(outcome.failures[0]?.text ?? "", /Nothing was heard for 1\.5 s/);
});

test("a run without a single test fails", () => {
  using tree = treeOf({});
  const run = runCheck(tree, "--no-static");
  assert.equal(run.code, 1);
  assert.equal(run.lastLine, "0 passed, 1 failed, 0 skipped");
});

test("--only picks files by name, several by any of them, and a name that fits nothing fails", () => {
  using tree = treeOf({
    "src/ledger/a.test.ts": PASSING,
    "src/limits/c.test.ts": PASSING,
    "src/keys/b.test.ts": `${head}test("breaks", () => assert.fail("not picked"));\n`,
  });
  assert.equal(runCheck(tree, "--only", "ledger").lastLine, "2 passed, 0 failed, 0 skipped");
  assert.equal(
    runCheck(tree, "--only", "ledger", "--only", "limits").lastLine,
    "4 passed, 0 failed, 0 skipped",
  );
  const none = runCheck(tree, "--only", "legder");
  assert.equal(none.code, 1);
  assert.match(none.output, /No check and no test file has such a name/);
});

test("a static check that fails counts as one failure and shows what the tool said", () => {
  using tree = treeOf({
    "src/a.ts": "export const a: number = '';\n",
    "tsconfig.json": '{"compilerOptions":{"noEmit":true,"strict":true},"include":["src"]}\n',
  });
  const run = runCheck(tree, "--only", "types");
  assert.equal(run.code, 1);
  assert.equal(run.lastLine, "0 passed, 1 failed, 0 skipped");
  assert.match(run.output, /src\/a\.ts\(1,14\): error TS2322/);
});

test("an unknown flag is refused with the usage", () => {
  using tree = treeOf({ "src/a.test.ts": PASSING });
  const run = runCheck(tree, "--watch");
  assert.equal(run.code, 2);
  assert.match(run.output, /usage: npm test/);
});

/** Passes when four files of its kind run at the same time. */
const MEETS_THREE_OTHERS = `import { globSync, writeFileSync } from "node:fs";\nimport { setTimeout as sleep } from "node:timers/promises";\ntest("meets three others", async () => {\n  writeFileSync(import.meta.filename + ".ran", "");\n  for (let looks = 0; globSync("src/*.ran").length < 4; looks++) {\n    assert.ok(looks < 1_000, "alone");\n    await sleep(20);\n  }\n});\n`;

test("two files that say that they wait run beside two others, and all that wait are run", () => {
  const beside = head.replace("\n", "\n// Runs beside the others: it waits.\n");
  using tree = treeOf({
    "src/a.test.ts": head + MEETS_THREE_OTHERS,
    "src/b.test.ts": head + MEETS_THREE_OTHERS,
    "src/c.test.ts": beside + MEETS_THREE_OTHERS,
    "src/d.test.ts": beside + MEETS_THREE_OTHERS,
    "src/e.test.ts": beside + 'test("comes later", () => {});\n',
  });
  const run = runCheck(tree, "--no-static", "--no-again");
  assert.equal(run.lastLine, "5 passed, 0 failed, 0 skipped", run.output);
});

test("what one test file compiled the next one reads, and so do processes with an environment of their own", () => {
  using tree = treeOf({
    "src/cached.ts":
      'import { getCompileCacheDir } from "node:module";\nconsole.log(getCompileCacheDir());\n',
    "src/a.test.ts": `${head}import { spawnSync } from "node:child_process";\nimport { tollgateEnvironment } from "../support/tollgate-environment.ts";\nimport { tmpdir } from "node:os";\ntest("reads", () => {\n  const { stdout } = spawnSync(process.execPath, [import.meta.dirname + "/cached.ts"], { env: tollgateEnvironment({}), encoding: "utf8" });\n  assert.ok(stdout.startsWith(tmpdir()), stdout);\n});\n`,
  });
  cpSync(
    join(PROJECT_ROOT, "test/support/tollgate-environment.ts"),
    tree.path("support/tollgate-environment.ts"),
  );
  const run = runCheck(tree, "--no-static");
  assert.equal(run.lastLine, "1 passed, 0 failed, 0 skipped", run.output);
});

test("what tests write to the temporary folder is gone afterwards, and the developer's settings do not reach them", () => {
  using tree = treeOf({
    "src/a.test.ts": `${head}import { writeFileSync } from "node:fs";\nimport { tmpdir } from "node:os";\ntest("writes", () => {\n  writeFileSync(tmpdir() + "/left-behind", "");\n  assert.equal(process.env["DATABASE_URL"], undefined);\n  assert.equal(process.env["PORT"], undefined);\n});\n`,
  });
  process.env["DATABASE_URL"] = "postgresql:///developer";
  process.env["PORT"] = "1";
  try {
    const run = runCheck(tree, "--no-static");
    assert.equal(run.lastLine, "1 passed, 0 failed, 0 skipped", run.output);
  } finally {
    delete process.env["DATABASE_URL"];
    delete process.env["PORT"];
  }
  assert.deepEqual(readdirSync(tree.path("tmp")), [".keep"]);
});
