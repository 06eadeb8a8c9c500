/**
 * Protects: a start runs the bundle only while it is whole and of the very sources and packages
 * that are there; a process that runs an older one keeps it.
 */
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  utimesSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { launchScene } from "./launch-scene.ts";
import { PROJECT_ROOT, temporaryTree, type TemporaryTree } from "./temporary-tree.ts";

interface ServingBundle {
  findBundle(root: string): string | null;
  takeBundle(root: string): string | null;
  digestOf(bytes: string): string;
  declareBundle(
    root: string,
    name: string,
    of: {
      readonly inputs: readonly (readonly [path: string, digest: string])[];
      readonly outputs: readonly (readonly [name: string, bytes: number])[];
    },
  ): void;
  removeOtherBundles(root: string, kept: string): void;
}

// Plain JavaScript, without types.
const TOOL: string = "../../tools/serving-bundle.mjs";
const { findBundle, takeBundle, digestOf, declareBundle, removeOtherBundles } = (await import(
  TOOL
)) as ServingBundle;

const INPUTS = {
  "package-lock.json": "{}",
  "src/main/start.ts": "start",
  "src/kernel/money.ts": "money",
  "node_modules/thing/package.json": '{"version":"1.0.0"}',
  "node_modules/thing/index.js": "thing",
};
const OUTPUT = 'process.stdout.write("bundled");';

function declare(tree: TemporaryTree, name: string, inputs: readonly string[]): void {
  tree.write(`dist/serving/${name}/start.mjs`, OUTPUT);
  declareBundle(tree.root, name, {
    inputs: inputs.map((path) => [path, digestOf(tree.read(path))]),
    outputs: [["start.mjs", OUTPUT.length]],
  });
}

function scene(t: TestContext): TemporaryTree {
  const tree = temporaryTree(INPUTS);
  t.after(() => tree[Symbol.dispose]());
  declare(tree, "one", Object.keys(INPUTS));
  return tree;
}

test("it is found while all that it was made of is as it was, also when only the times differ", (t) => {
  const tree = scene(t);
  const folder = tree.path("dist/serving/one");
  assert.equal(findBundle(tree.root), folder);
  assert.equal(findBundle(tree.root), folder, "by the look of its inputs");
  for (const path of Object.keys(INPUTS)) utimesSync(tree.path(path), 1, 1);
  assert.equal(findBundle(tree.root), folder, "a fresh checkout of the same");
});

test("a changed, replaced or missing source, package or lock: the sources are run", (t) => {
  for (const path of Object.keys(INPUTS)) {
    const tree = scene(t);
    assert.ok(findBundle(tree.root));
    appendFileSync(tree.path(path), " ");
    assert.equal(findBundle(tree.root), null, `${path} is longer`);
    tree.write(path, INPUTS[path as keyof typeof INPUTS]);
    assert.ok(findBundle(tree.root), `${path} is as it was`);
    tree.write(path, INPUTS[path as keyof typeof INPUTS].replace(/.$/, "!"));
    // As an editor leaves it that keeps the time.
    utimesSync(tree.path(path), 1, 1);
    assert.equal(findBundle(tree.root), null, `${path} is as long as before`);
    tree.remove(path);
    assert.equal(findBundle(tree.root), null, `${path} is gone`);
  }
});

test("a file with the size and the time of the one before it is read all the same", (t) => {
  const tree = scene(t);
  utimesSync(tree.path("src/kernel/money.ts"), 1, 1);
  assert.ok(findBundle(tree.root));
  tree.write("other", "Money");
  utimesSync(tree.path("other"), 1, 1);
  renameSync(tree.path("other"), tree.path("src/kernel/money.ts"));
  assert.equal(findBundle(tree.root), null);
});

test("one that is cut short, half written or not declared is none", (t) => {
  const cut = scene(t);
  cut.write("dist/serving/one/start.mjs", OUTPUT.slice(1));
  assert.equal(findBundle(cut.root), null);
  const torn = scene(t);
  torn.write("dist/serving/one/made-of.json", torn.read("dist/serving/one/made-of.json").slice(9));
  assert.equal(findBundle(torn.root), null);
  const undeclared = temporaryTree({ ...INPUTS, "dist/serving/two/start.mjs": OUTPUT });
  t.after(() => undeclared[Symbol.dispose]());
  assert.equal(findBundle(undeclared.root), null);
  const seen = scene(t);
  seen.write("dist/serving/one/seen.json", "{");
  assert.ok(findBundle(seen.root), "what was seen is only a short way");
});

test("an older one goes when a newer one comes, unless a process that lives runs it", (t) => {
  const tree = scene(t);
  tree.write("dist/serving/one/used-by-999999999", "");
  assert.equal(takeBundle(tree.root), tree.path("dist/serving/one"));
  assert.equal(existsSync(tree.path("dist/serving/one/used-by-999999999")), false);
  tree.write("src/kernel/money.ts", "more money");
  mkdirSync(tree.path("dist/serving/dead"));
  tree.write("dist/serving/dead/used-by-999999999", "");
  declare(tree, "two", Object.keys(INPUTS));
  removeOtherBundles(tree.root, "two");
  assert.equal(findBundle(tree.root), tree.path("dist/serving/two"));
  assert.ok(existsSync(tree.path("dist/serving/one/start.mjs")), "this process runs it");
  assert.equal(existsSync(tree.path("dist/serving/dead")), false);
});

test("the launcher starts everything from a bundle that fits, and from the sources where it does not", async () => {
  using launched = launchScene();
  await launched.launch("start", "quit").ended;
  const { tree } = launched;
  declare(tree, "one", ["src/main/start.ts", "package-lock.json"]);
  const bundled = await launched.launch("start", "quit").ended;
  assert.equal(bundled.stdout, "bundled", bundled.stderr);
  const serving = launched.launch("tollgate", "serve");
  await serving.says(/ready|bundled/);
  await serving.kill();
  assert.doesNotMatch(serving.reported(), /bundled/, "a command is no start of everything");
  tree.write("src/main/start.ts", `${tree.read("src/main/start.ts")}\n`);
  const fromSources = await launched.launch("start", "quit").ended;
  assert.equal(fromSources.code, 0);
  assert.notEqual(fromSources.stdout, "bundled");
});

test("a tree that cannot be written is only read", async () => {
  using launched = launchScene();
  await launched.launch("start", "quit").ended;
  declare(launched.tree, "one", ["src/main/start.ts", "package-lock.json"]);
  const { code, stdout, stderr } = await launched.launchUnwritable("start", "quit").ended;
  assert.deepEqual([code, stdout], [0, "bundled"], stderr);
  assert.equal(existsSync(launched.tree.path("dist/serving/one/seen.json")), false);
});

test("the stack of an error in a bundle names the line of its source", async (t) => {
  const tree = temporaryTree({
    "dist/serving/one/name-sources.mjs": readFileSync(
      join(PROJECT_ROOT, "tools/name-sources.mjs"),
      "utf8",
    ),
    "dist/serving/one/start.mjs": `import "./name-sources.mjs";
export function pay() {
  throw new Error("no money");
}
try { pay(); } catch (error) { process.stdout.write(error.stack); }
`,
    "dist/serving/one/start.mjs.places.json": JSON.stringify({
      sources: ["src/kernel/money.ts"],
      at: [-1, 0, 0, 11, 0, 12, 0, 13, -1, 0],
    }),
  });
  t.after(() => tree[Symbol.dispose]());
  const { stdout } = spawnSync(process.execPath, [tree.path("dist/serving/one/start.mjs")], {
    encoding: "utf8",
  });
  const [head, own, caller] = stdout.split("\n");
  assert.equal(head, "Error: no money");
  assert.equal(own, `    at pay (${tree.path("src/kernel/money.ts")}:12)`);
  assert.match(caller ?? "", /dist\/serving\/one\/start\.mjs:5:/, "what has no source stays");
});

/** Serves until the bundle is made beside it. */
const SERVING = `import { existsSync } from "node:fs";
import { channel } from "node:diagnostics_channel";
import { join } from "node:path";
const made = join(import.meta.dirname, "../../made");
if (existsSync(made)) throw new Error("made before it served");
process.stdout.write("serving");
channel("tollgate:serving").publish({});
if (process.argv[2] !== "quit") while (!existsSync(made)) await new Promise((done) => setTimeout(done, 10));
`;
const MAKER = `import { writeFileSync } from "node:fs";
import { join } from "node:path";
writeFileSync(join(process.argv[2], "made"), "");
`;

test("behind a start from the sources the bundle is made, where there is a bundler", async () => {
  using launched = launchScene({ samePinned: true });
  await launched.launch("bench", "quit").ended;
  const { tree } = launched;
  tree.write("src/main/start.ts", SERVING);
  tree.write("tools/make-serving-bundle.mjs", MAKER);
  const without = await launched.launch("start", "quit").ended;
  assert.deepEqual([without.code, without.stdout], [0, "serving"], without.stderr);
  assert.equal(existsSync(tree.path("made")), false);
  tree.write("node_modules/rolldown/package.json", "{}");
  const { code, stdout, stderr } = await launched.launch("start").ended;
  assert.deepEqual([code, stdout], [0, "serving"], stderr);
  declare(tree, "one", ["src/main/start.ts", "package-lock.json"]);
  tree.remove("made");
  assert.equal((await launched.launch("start", "quit").ended).stdout, "bundled");
  assert.equal(existsSync(tree.path("made")), false, "one that fits is not made again");
});
