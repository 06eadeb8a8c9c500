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

/** Writes the id of its process beside itself. */
const TELLS_PROCESS = `import { writeFileSync } from "node:fs";\nwriteFileSync(import.meta.filename + ".pid", String(process.pid));\n`;

test("unit tests share processes, with hooks and failures of each to itself; a test of test/ and one that asks for it has its own", () => {
  using tree = treeOf({
    "src/a.test.ts": `${head}import { beforeEach } from "node:test";\n${TELLS_PROCESS}beforeEach(() => assert.fail("a hook of a"));\ntest("breaks", () => {});\nconsole.log("written by a");\n`,
    "src/b.test.ts": `${head}${TELLS_PROCESS}test("holds", () => {});\n`,
    "src/c.test.ts": `${head}${TELLS_PROCESS}test("breaks", () => assert.fail("of c"));\n`,
    "src/d.test.ts": `${head.replace("\n", "\n// Runs in a process of its own: it says so.\n")}${TELLS_PROCESS}test("holds", () => {});\n`,
    "test/e.test.ts": `${head}${TELLS_PROCESS}test("holds", () => {});\n`,
  });
  const run = runCheck(tree, "--no-static", "--no-again");
  assert.equal(run.code, 1);
  assert.equal(run.lastLine, "3 passed, 2 failed, 0 skipped", run.output);
  assert.match(run.output, /src\/a\.test\.ts › breaks\n[^─]*a hook of a[^─]*written by a/);
  assert.match(run.output, /src\/c\.test\.ts › breaks\n[^─]*of c/);
  assert.doesNotMatch(run.output, /of c[^─]*written by a/);
  assert.doesNotMatch(run.output, /because beside others/);
  const pids = ["a", "b", "c", "d"].map((name) => tree.read(`src/${name}.test.ts.pid`));
  // Two run at once.
  assert.ok(new Set(pids.slice(0, 3)).size <= 2, pids.join());
  assert.equal(pids.filter((pid) => pid === pids[3]).length, 1);
  assert.ok(!pids.includes(tree.read("test/e.test.ts.pid")));
});

/** What a test may leave behind, and what is said of it. */
const LEFT_BEHIND: Readonly<Record<string, readonly [code: string, says: string]>> = {
  "a setting": ['process.env["LEFT"] = "1"', "process.env.LEFT changed"],
  "another folder": ["process.chdir(tmpdir())", "the working folder changed"],
  "mocked timers": ["mock.timers.enable()", "globalThis.setTimeout changed"],
  "a mocked clock": ['mock.timers.enable({ apis: ["Date"] })', "globalThis.Date changed"],
  "a new global": ["Object.assign(globalThis, { left: 1 })", "globalThis.left changed"],
  "other authorities": ["tls.setDefaultCACertificates([])", "the trusted authorities changed"],
  "another console": ["console.log = () => undefined", "console.log changed"],
  "a changed module": ["fs.statSync = fs.lstatSync", "node:fs.statSync changed"],
  "a listener": ['process.on("SIGUSR2", () => undefined)', 'a listener for "SIGUSR2"'],
  "a bad exit code": ["process.exitCode = 3", "the exit code changed"],
  "a server": ["server.listen(0)", "something open (TCPServerWrap)"],
  "a timer": ["setInterval(() => undefined, 1000)", "something open (Timeout)"],
};

test("what a test leaves behind in a shared process is found, whatever it is, and reaches no other", () => {
  const imports = `import fs from "node:fs";\nimport tls from "node:tls";\nimport { createServer } from "node:net";\nimport { tmpdir } from "node:os";\nimport { mock } from "node:test";\nconst server = createServer();\nvoid [fs, tls, tmpdir, mock, server];\n`;
  using tree = treeOf({
    ...Object.fromEntries(
      Object.values(LEFT_BEHIND).map(([code], at) => [
        `src/${at}.test.ts`,
        `${head}${imports}test("leaves", () => void (${code}));\n`,
      ]),
    ),
    "src/clean.test.ts": `${head}${imports}test("closes", (t) => {\n  t.mock.timers.enable();\n  process.env["LEFT"] = "1";\n  delete process.env["LEFT"];\n  server.listen(0).close();\n});\n`,
    "look.ts": `import { fork } from "node:child_process";\nimport { once } from "node:events";\nfor (const file of process.argv.slice(2)) {\n  const child = fork("tools/check/test-host.ts", { stdio: ["ignore", "ignore", "ignore", "ipc"] });\n  child.send({ file, name: file });\n  let answer = { kind: "heard", unclear: [] };\n  while (answer.kind === "heard") [answer] = await once(child, "message");\n  child.kill();\n  console.log(answer.unclear.join());\n}\n`,
  });
  const files = [...Object.keys(LEFT_BEHIND).keys()].map((at) => tree.path(`src/${at}.test.ts`));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["look.ts", ...files, tree.path("src/clean.test.ts")],
    { cwd: tree.root, env: { ...process.env, NODE_TEST_CONTEXT: undefined }, encoding: "utf8" },
  );
  const reported = stdout.split("\n");
  for (const [at, [what, [, says]]] of Object.entries(LEFT_BEHIND).entries())
    assert.ok(reported[at]?.includes(says), `${what}: ${reported[at]} ${stderr}`);
  assert.equal(reported[files.length], "", "what was put in order again is nothing");
});

test("a file that leaves something behind counts by what it does alone, and the next one finds nothing of it", () => {
  using tree = treeOf({
    "src/a.test.ts": `${head}test("leaves", () => void (process.env["LEFT"] = "1"));\n`,
    ...Object.fromEntries(
      ["b", "c", "d"].map((name) => [
        `src/${name}.test.ts`,
        `${head}test("finds nothing", () => assert.equal(process.env["LEFT"], undefined));\n`,
      ]),
    ),
  });
  const run = runCheck(tree, "--no-static", "--no-again");
  assert.equal(run.lastLine, "4 passed, 0 failed, 0 skipped", run.output);
  assert.match(
    run.output,
    /· src\/a\.test\.ts runs in a process of its own, because beside others: process\.env\.LEFT changed\n/,
  );
});

test("a crash or a rejection that no test takes costs none of the others in a shared process", () => {
  using tree = treeOf({
    "src/a.test.ts": PASSING,
    "src/b.test.ts": `${head}test("dies", () => process.kill(process.pid, "SIGKILL"));\n`,
    "src/c.test.ts": PASSING,
    "src/d.test.ts": `${head}test("looks good", () => void setTimeout(() => Promise.reject(new Error("too late")), 20));\n`,
    "src/e.test.ts": PASSING,
  });
  const run = runCheck(tree, "--no-static", "--no-again");
  assert.equal(run.code, 1);
  assert.equal(run.lastLine, "7 passed, 2 failed, 0 skipped", run.output);
  assert.match(run.output, /src\/d\.test\.ts\n[^─]*too late/);
});

test("a file that falls silent in a shared process is left with it, and judged alone", () => {
  using tree = treeOf({
    "src/a.test.ts": `${head}test("waits", { timeout: 600_000 }, () => new Promise(() => undefined));\n`,
    "src/b.test.ts": PASSING,
    "hang.ts": `import { openHostPool } from "./tools/check/host-pool.ts";\nconst shared = openHostPool({ root: import.meta.dirname, env: process.env, signal: new AbortController().signal, silenceMs: 1500, ranAlone: (name, why) => console.log(name, why) });\nfor (const name of ["a", "b"]) console.log(JSON.stringify(await shared.run(import.meta.dirname + "/src/" + name + ".test.ts")));\nshared.close();\n`,
  });
  const { stdout } = spawnSync(process.execPath, ["hang.ts"], {
    cwd: tree.root,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    encoding: "utf8",
    timeout: 60_000,
  });
  const [why, first, second] = stdout.split("\n");
  assert.equal(why, "src/a.test.ts nothing was heard for 1.5 s");
  assert.match(first ?? "", /"passed":0,.*Nothing was heard for 1\.5 s/);
  assert.match(second ?? "", /"passed":2,"skipped":0,"failures":\[\]/);
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
