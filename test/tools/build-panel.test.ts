/**
 * The panel is built at the start under what users do to it: changed sources, two starts at once,
 * cut-off builds, trees that cannot be written.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { launchScene, type LaunchScene } from "./launch-scene.ts";

const built = (scene: LaunchScene): string => scene.tree.read("panel/dist/index.html");
/** What a build leaves lying about when it should not. */
const leftovers = (scene: LaunchScene): string[] =>
  readdirSync(scene.tree.path("panel")).filter((name) => /^dist./.test(name));

async function viteStarted(scene: LaunchScene, times: number): Promise<void> {
  while (scene.viteRuns().length < times) await sleep(20);
}

test("the first start builds the panel and says so; the next one does not; a changed source is built again", async () => {
  using scene = launchScene({ panel: true });
  const first = await scene.launch("start", "quit").ended;
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /building the panel…/);
  assert.deepEqual([built(scene), leftovers(scene)], ["first", []]);
  const second = await scene.launch("start", "quit").ended;
  assert.doesNotMatch(second.stderr, /building/);
  scene.tree.write("panel/index.html", "second");
  await scene.launch("start", "quit").ended;
  assert.deepEqual([built(scene), scene.viteRuns().length], ["second", 2]);
  scene.tree.write("panel/src/page.test.ts", "a test is not in a build");
  await scene.launch("start", "quit").ended;
  assert.equal(scene.viteRuns().length, 2);
  scene.tree.write("panel/src/page.tsx", "a new file");
  await scene.launch("start", "quit").ended;
  assert.equal(scene.viteRuns().length, 3);
});

test("what serves or tests the panel builds it, anything else does not wait for it", async () => {
  using scene = launchScene({ panel: true });
  for (const [program, ...args] of [
    ["tollgate", "accounts", "list"],
    ["tollgate"],
    ["bench"],
  ] as const)
    await scene.launch(program, ...args).ended;
  assert.deepEqual(scene.viteRuns(), []);
  const serving = scene.launch("tollgate", "serve");
  await serving.says(/ready/);
  await serving.kill();
  assert.equal(scene.viteRuns().length, 1);
  scene.tree.write("panel/index.html", "second");
  await scene.launch("test", "quit").ended;
  assert.equal(scene.viteRuns().length, 2);
});

test("two starts at the same time build once, and both run", async () => {
  using scene = launchScene({ panel: true });
  await scene.launch("bench", "quit").ended;
  const both = await Promise.all([
    scene.launch("start", "quit").ended,
    scene.launch("start", "quit").ended,
  ]);
  assert.deepEqual([both.map(({ code }) => code), scene.viteRuns().length], [[0, 0], 1]);
});

test("npm run build makes the panel and ends: with 0 when it is there, else with 1 and the reason", async () => {
  using scene = launchScene({ panel: true });
  const first = await scene.launch("build").ended;
  assert.deepEqual([first.code, first.stdout, built(scene)], [0, "", "first"]);
  assert.equal((await scene.launch("build").ended).code, 0);
  assert.equal(scene.viteRuns().length, 1);
  scene.tree.write("panel/index.html", "second");
  scene.setVite("fails");
  const failed = await scene.launch("build").ended;
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /main\.tsx does not parse/);
});

test("without the development packages a built panel is served as it is, and a missing one says how it is made", async () => {
  using scene = launchScene({ panel: true });
  await scene.launch("bench", "quit").ended;
  scene.tree.remove("node_modules/vite");
  const bare = await scene.launch("start", "quit").ended;
  assert.equal(bare.code, 0);
  assert.match(
    bare.stderr,
    /development packages are not installed\. Run npm ci and npm run build first\. The panel is not there/,
  );
});

test("a build that fails says why, leaves the old one standing, and the program runs", async () => {
  using scene = launchScene({ panel: true });
  scene.setVite("fails");
  const bare = await scene.launch("start", "quit").ended;
  assert.equal(bare.code, 0);
  assert.match(
    bare.stderr,
    /main\.tsx does not parse[^]*could not be built: vite ended with exit code 1.*The panel is not there/,
  );
  assert.deepEqual(leftovers(scene), []);
  scene.setVite("works");
  await scene.launch("start", "quit").ended;
  scene.tree.write("panel/index.html", "second");
  scene.setVite("fails");
  const { code, stderr } = await scene.launch("start", "quit").ended;
  assert.equal(code, 0);
  assert.match(stderr, /The panel stays as it was/);
  assert.equal(built(scene), "first");
});

test("a build cut off by kill -9 is not taken for a good one, and nothing of it stays", async () => {
  using scene = launchScene({ panel: true });
  scene.setVite("hangs-half-way");
  const cut = scene.launch("start", "quit");
  await viteStarted(scene, 1);
  await cut.kill();
  for (const pid of scene.viteRuns()) process.kill(pid, "SIGKILL");
  scene.setVite("works");
  assert.equal((await scene.launch("start", "quit").ended).code, 0);
  assert.deepEqual([built(scene), scene.viteRuns().length, leftovers(scene)], ["first", 2, []]);
});

test("SIGTERM during the build ends it, and the program is not run", async () => {
  using scene = launchScene({ panel: true });
  scene.setVite("hangs-half-way");
  const cut = scene.launch("start", "quit");
  await viteStarted(scene, 1);
  cut.process.kill("SIGTERM");
  const { code, stdout } = await cut.ended;
  assert.deepEqual([code, stdout], [1, ""]);
  assert.throws(() => process.kill(scene.viteRuns()[0] ?? 0, 0), /ESRCH/);
});

test("where nothing can be written the program runs, and what is missing is said", async () => {
  using scene = launchScene({ panel: true });
  await scene.launch("bench", "quit").ended;
  const { code, stderr } = await scene.launchUnwritable("start", "quit").ended;
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /The panel could not be built: .*panel\/dist cannot be written \(EACCES\)\. The panel is not there/,
  );
  assert.equal(existsSync(scene.tree.path("panel/dist")), false);
});

test("a project without a panel is none the worse", async () => {
  using scene = launchScene();
  const { code, stderr } = await scene.launch("start", "quit").ended;
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /panel/);
});
