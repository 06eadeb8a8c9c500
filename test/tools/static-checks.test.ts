/**
 * Every checker that we did not write is seen to fail on a planted fault: one that silently checks
 * nothing would pass for ever.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Outcome } from "../../tools/check/outcome.ts";
import { runStaticCheck, STATIC_CHECKS } from "../../tools/check/static-checks.ts";
import { PROJECT_ROOT, temporaryTree, type TemporaryTree } from "./temporary-tree.ts";

const CONFIGS = [
  "tsconfig.json",
  "panel/tsconfig.json",
  ".oxlintrc.json",
  ".oxfmtrc.json",
  "knip.json",
];

const CLEAN = {
  "package.json":
    JSON.stringify(
      { name: "mini", type: "module", private: true, workspaces: ["panel"] },
      null,
      2,
    ) + "\n",
  "panel/package.json": `${JSON.stringify({ name: "mini-panel", type: "module", private: true, devDependencies: { react: "19" } }, null, 2)}\n`,
  "panel/src/main.tsx": `/** Starts the mini panel. */\nimport { createElement } from "react";\nimport { Greeting } from "./ui/greeting.tsx";\n\ndocument.title = String(createElement(Greeting).type);\n`,
  "panel/src/ui/greeting.tsx": `/** Greets people in the mini panel. */\nimport type { ReactNode } from "react";\n\nexport function Greeting(): ReactNode {\n  return <p>hello</p>;\n}\n`,
  "src/main/start.ts": `/** Starts the mini project. */\nimport { greet } from "../kernel/greeting.ts";\n\nconsole.log(await greet("you"));\n`,
  "src/main/cli.ts": `/** The mini project's command line. */\nimport { greet } from "../kernel/greeting.ts";\n\nconsole.log(await greet("cli"));\n`,
  "src/kernel/greeting.ts": `/** Greets people, later. */\n\nexport function greet(name: string): Promise<string> {\n  return Promise.resolve(\`hello \${name}\`);\n}\n`,
};

function cleanTree(): TemporaryTree {
  const configs = Object.fromEntries(
    CONFIGS.map((name) => [name, readFileSync(join(PROJECT_ROOT, name), "utf8")]),
  );
  return temporaryTree({ ...CLEAN, ...configs }, { modules: true });
}

async function run(name: string, tree: TemporaryTree): Promise<Outcome> {
  const check = STATIC_CHECKS.find((one) => one.name === name);
  assert.ok(check !== undefined, `there is a check called ${name}`);
  return await runStaticCheck(check, tree.root, new AbortController().signal);
}

function text(outcome: Outcome): string {
  return outcome.failures.map((failure) => failure.text).join("\n");
}

interface Plant {
  readonly check: string;
  readonly fault: string;
  readonly path: string;
  readonly text: string;
  /** What the checker must say. */
  readonly says: RegExp;
}

const opening = "/** A planted fault. */\n";
const PLANTS: readonly Plant[] = [
  {
    check: "types",
    fault: "a type error",
    path: "src/kernel/planted.ts",
    text: `${opening}export const planted: number = "text";\n`,
    says: /src\/kernel\/planted\.ts\(2,14\): error TS2322/,
  },
  {
    check: "types",
    fault: "an unchecked index",
    path: "src/kernel/planted.ts",
    text: `${opening}const list = [1];\nexport const planted: number = list[0];\n`,
    says: /TS2322/,
  },
  {
    check: "types",
    fault: "syntax that Node cannot strip",
    path: "src/kernel/planted.ts",
    text: `${opening}export enum Planted {\n  A,\n}\n`,
    says: /TS1294/,
  },
  {
    check: "lint",
    fault: "a floating promise, which only the types show",
    path: "src/kernel/planted.ts",
    text: `${opening}import { greet } from "./greeting.ts";\n\nexport function planted(): void {\n  greet("nobody waits");\n}\n`,
    says: /no-floating-promises/,
  },
  {
    check: "lint",
    fault: "an async function where its promise is lost",
    path: "src/kernel/planted.ts",
    text: `${opening}import { greet } from "./greeting.ts";\n\nexport function planted(names: string[]): void {\n  names.forEach(async (name) => {\n    await greet(name);\n  });\n}\n`,
    says: /no-misused-promises/,
  },
  {
    check: "panel",
    fault: "a type error in a component",
    path: "panel/src/ui/greeting.tsx",
    text: CLEAN["panel/src/ui/greeting.tsx"].replace("<p>hello</p>", "<p title={5}>hello</p>"),
    says: /panel\/src\/ui\/greeting\.tsx\(5,13\): error TS2322/,
  },
  {
    check: "types",
    fault: "a type error in a test of the panel",
    path: "panel/src/ui/planted.test.ts",
    text: `${opening}export const planted: number = "text";\n`,
    says: /planted\.test\.ts\(2,14\): error TS2322/,
  },
  {
    check: "lint",
    fault: "a hook that is called now and then",
    path: "panel/src/ui/greeting.tsx",
    text: `${opening}import { useState } from "react";\nimport type { ReactNode } from "react";\n\nexport function Greeting(): ReactNode {\n  if (document.title === "x") useState(1);\n  return <p>hello</p>;\n}\n`,
    says: /rules-of-hooks/,
  },
  {
    check: "lint",
    fault: "a picture that says nothing to a screen reader",
    path: "panel/src/ui/greeting.tsx",
    text: CLEAN["panel/src/ui/greeting.tsx"].replace("<p>hello</p>", '<img src="x" />'),
    says: /alt-text/,
  },
  {
    check: "lint",
    fault: "HTML pasted into a page",
    path: "panel/src/ui/greeting.tsx",
    text: CLEAN["panel/src/ui/greeting.tsx"].replace(
      "<p>hello</p>",
      '<p dangerouslySetInnerHTML={{ __html: "x" }} />',
    ),
    says: /no-danger/,
  },
  {
    check: "format",
    fault: "a misformatted component",
    path: "panel/src/ui/greeting.tsx",
    text: CLEAN["panel/src/ui/greeting.tsx"].replace("<p>hello</p>", "<p  >hello</p>"),
    says: /panel\/src\/ui\/greeting\.tsx/,
  },
  {
    check: "unused",
    fault: "a component that no page uses",
    path: "panel/src/ui/planted.tsx",
    text: `${opening}export const Planted = () => <p>hello</p>;\n`,
    says: /Unused files[\s\S]*panel\/src\/ui\/planted\.tsx/,
  },
  {
    check: "lint",
    fault: "any",
    path: "src/kernel/planted.ts",
    text: `${opening}export function planted(value: any): string {\n  return String(value);\n}\n`,
    says: /no-explicit-any/,
  },
  {
    check: "lint",
    fault: "a value of type any from outside",
    path: "src/kernel/planted.ts",
    text: `${opening}export function planted(): string {\n  return JSON.parse("{}").name;\n}\n`,
    says: /no-unsafe-(return|member-access)/,
  },
  {
    check: "lint",
    fault: "a non-null assertion",
    path: "src/kernel/planted.ts",
    text: `${opening}export function planted(list: string[]): string {\n  return list[0]!;\n}\n`,
    says: /no-non-null-assertion/,
  },
  {
    check: "lint",
    fault: "a switch that forgets a case",
    path: "src/kernel/planted.ts",
    text: `${opening}export function planted(kind: "a" | "b"): number {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 0;\n}\n`,
    says: /switch-exhaustiveness-check/,
  },
  {
    check: "lint",
    fault: "await of what is no promise",
    path: "src/kernel/planted.ts",
    text: `${opening}export async function planted(): Promise<number> {\n  return await 1;\n}\n`,
    says: /await-thenable/,
  },
  {
    check: "lint",
    fault: "a loose comparison",
    path: "src/kernel/planted.ts",
    text: `${opening}export function planted(value: unknown): boolean {\n  return value == 1;\n}\n`,
    says: /eqeqeq/,
  },
  {
    check: "format",
    fault: "a misformatted file",
    path: "src/kernel/planted.ts",
    text: `${opening}export const planted = {a:1}\n`,
    says: /src\/kernel\/planted\.ts/,
  },
  {
    check: "unused",
    fault: "a file that nothing imports",
    path: "src/kernel/planted.ts",
    text: `${opening}export const planted = 1;\n`,
    says: /Unused files[\s\S]*src\/kernel\/planted\.ts/,
  },
  {
    check: "unused",
    fault: "an export that nothing uses",
    path: "src/kernel/greeting.ts",
    text: `${CLEAN["src/kernel/greeting.ts"]}\nexport const planted = 1;\n`,
    says: /Unused exports[\s\S]*planted/,
  },
  {
    check: "unused",
    fault: "a dependency that nothing imports",
    path: "package.json",
    text: `${JSON.stringify({ name: "mini", type: "module", private: true, dependencies: { yaml: "2.9.1" } }, null, 2)}\n`,
    says: /Unused dependencies[\s\S]*yaml/,
  },
  {
    check: "unused",
    fault: "a package that is not declared",
    path: "src/main/start.ts",
    text: `${CLEAN["src/main/start.ts"]}\nimport "yaml";\n`,
    says: /Unlisted dependencies[\s\S]*yaml/,
  },
];

test("a clean tree passes every check, so that a failure below is the planted fault's", async () => {
  using tree = cleanTree();
  for (const { name } of STATIC_CHECKS) {
    if (name === "tidy") continue; // tidy.test.ts
    const outcome = await run(name, tree);
    assert.equal(outcome.passed, 1, `${name}: ${text(outcome)}`);
  }
});

for (const plant of PLANTS) {
  test(`${plant.check} fails on ${plant.fault}`, async () => {
    using tree = cleanTree();
    tree.write(plant.path, plant.text);
    const outcome = await run(plant.check, tree);
    assert.equal(outcome.passed, 0);
    assert.match(text(outcome), plant.says);
  });
}

test("a checker that cannot be started counts as failed, not as passed", async () => {
  using tree = cleanTree();
  const outcome = await runStaticCheck(
    { name: "gone", command: ["no-such-tool"] },
    tree.root,
    new AbortController().signal,
  );
  assert.equal(outcome.passed, 0);
  assert.match(text(outcome), /ENOENT/);
});
