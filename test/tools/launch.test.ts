/**
 * The launcher under what users do to it: first starts at the same time, cut-off installs, no
 * network, signals, kill -9.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launchScene, RUNTIME } from "./launch-scene.ts";

test("the first run installs and runs the program with its arguments; standard output is the program's alone; the next run asks npm for nothing", async () => {
  using scene = launchScene();
  const first = await scene.launch("tollgate", "accounts", "list", "--json").ended;
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(JSON.parse(first.stdout).args, ["accounts", "list", "--json"]);
  assert.match(first.stderr, /installing… \(first run only\)/);
  assert.equal(scene.npmRuns(), 1);
  const second = await scene.launch("tollgate").ended;
  assert.equal(second.code, 0);
  assert.doesNotMatch(second.stderr, /installing/);
  assert.equal(scene.npmRuns(), 1);
});

test("with node_modules in order npm is not needed at all, so the program runs offline", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  scene.setNpm("missing");
  const { code, stderr } = await scene.launch("test", "quit").ended;
  assert.equal(code, 0, stderr);
});

test("an install by npm itself counts as well as ours", async () => {
  using scene = launchScene();
  scene.installByHand();
  assert.equal((await scene.launch("start", "quit").ended).code, 0);
  assert.equal(scene.npmRuns(), 0);
});

test("an installation without development packages is whole for what serves, and for that alone", async () => {
  using scene = launchScene();
  const packages = { "node_modules/thing": { version: "1.0.0", integrity: "sha512-one" } };
  const tool = { version: "3.0.0", integrity: "sha512-tool", dev: true };
  const toolForHere = { ...tool, optional: true, os: [process.platform] };
  scene.lock({ ...packages, "node_modules/tool": tool, "node_modules/tool-for-here": toolForHere });
  scene.installByHand();
  for (const program of ["start", "tollgate"])
    assert.equal((await scene.launch(program, "quit").ended).code, 0);
  assert.equal(scene.npmRuns(), 0);
  scene.lock({
    "node_modules/thing": { version: "2.0.0", integrity: "sha512-two" },
    "node_modules/tool": tool,
  });
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 1, "an outdated package is none that may be missing");
  scene.lock({
    "node_modules/thing": { version: "2.0.0", integrity: "sha512-two" },
    "node_modules/tool": { ...tool, version: "4.0.0" },
  });
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 2, "with one development package there, all belong there");
});

test("tests and builds install the development packages that an installation for serving lacks", async () => {
  for (const program of ["test", "bench", "build"]) {
    using scene = launchScene();
    scene.lock({
      "node_modules/thing": { version: "1.0.0", integrity: "sha512-one" },
      "node_modules/tool": { version: "3.0.0", integrity: "sha512-tool", dev: true },
    });
    scene.installByHand();
    assert.equal((await scene.launch(program, "quit").ended).code, 0);
    assert.equal(scene.npmRuns(), 1, program);
  }
});

test("where packages are missing and nothing can be written, the end is orderly and says what to run", async () => {
  using scene = launchScene();
  const { code, stdout, stderr } = await scene.launchUnwritable("start", "quit").ended;
  assert.deepEqual([code, stdout, scene.npmRuns()], [1, "", 0]);
  assert.match(
    stderr,
    /cannot be written \(EACCES\)\.\nRun npm ci as the user that the project belongs to; to serve, npm ci --omit=dev is enough/,
  );
  assert.doesNotMatch(stderr, / at /, "no stack");
});

test("a changed package-lock.json is installed before the program runs", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  scene.lock({ "node_modules/thing": { version: "2.0.0", integrity: "sha512-two" } });
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 2);
});

test("behind a link nothing is installed: what others use stays as it is", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  const [modules, elsewhere] = [
    join(scene.tree.root, "node_modules"),
    join(scene.tree.root, "elsewhere"),
  ];
  renameSync(modules, elsewhere);
  symlinkSync(elsewhere, modules);
  assert.equal((await scene.launch("start", "quit").ended).code, 0, "what fits is used");
  scene.lock({ "node_modules/thing": { version: "2.0.0", integrity: "sha512-two" } });
  const { code, stdout, stderr } = await scene.launch("start", "quit").ended;
  assert.deepEqual([code, stdout, scene.npmRuns()], [1, "", 1]);
  assert.match(stderr, /node_modules is a link/);
});

test("a workspace that joins the lock asks npm for nothing: it is in the tree, and what it needs has entries of its own", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  const thing = { "node_modules/thing": { version: "1.0.0", integrity: "sha512-one" } };
  const link = { resolved: "packages/ours", link: true };
  scene.lock({
    ...thing,
    "node_modules/ours": link,
    "packages/ours": { name: "ours", version: "0.1.0" },
  });
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 1);
  const own = { version: "1.0.0", integrity: "sha512-own" };
  scene.lock({ ...thing, "node_modules/ours": link, "packages/ours/node_modules/own": own });
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 2, "a package of its own is missing");
});

test("a package whose folder is gone is installed again", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  scene.tree.remove("node_modules/thing");
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 2);
});

test("two first starts at the same time install once, and both run", async () => {
  using scene = launchScene();
  const both = await Promise.all([
    scene.launch("start", "quit").ended,
    scene.launch("start", "quit").ended,
  ]);
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  );
  assert.equal(scene.npmRuns(), 1);
});

test("an install cut off by kill -9 is not taken for a good one, and its lock does not stay", async () => {
  using scene = launchScene();
  scene.setNpm("hangs-half-way");
  const cut = scene.launch("start", "quit");
  await scene.npmStarted();
  await cut.kill();
  scene.killNpm();
  scene.setNpm("works");
  const next = await scene.launch("start", "quit").ended;
  assert.equal(next.code, 0, next.stderr);
  assert.equal(scene.npmRuns(), 2);
});

test("an install cut off leaves no record behind that fits an older lock", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  const lock = scene.tree.read("package-lock.json");
  scene.lock({ "node_modules/thing": { version: "2.0.0", integrity: "sha512-two" } });
  scene.setNpm("hangs-half-way");
  const cut = scene.launch("start", "quit");
  await scene.npmStarted(2);
  await cut.kill();
  scene.killNpm();
  scene.tree.write("package-lock.json", lock);
  scene.setNpm("works");
  assert.equal((await scene.launch("start", "quit").ended).code, 0);
  assert.equal(scene.npmRuns(), 3);
});

test("while the npm of a killed launcher still runs, a second one waits for it instead of joining in", async () => {
  using scene = launchScene();
  scene.setNpm("hangs-half-way");
  const cut = scene.launch("start", "quit");
  await scene.npmStarted();
  await cut.kill();
  scene.setNpm("works");
  const next = scene.launch("start", "quit");
  await next.says(/another process is installing/);
  assert.equal(scene.npmRuns(), 1);
  scene.killNpm();
  assert.equal((await next.ended).code, 0);
  assert.equal(scene.npmRuns(), 2);
});

test("SIGTERM during the install ends npm too, and the program is not run", async () => {
  using scene = launchScene();
  scene.setNpm("hangs-half-way");
  const cut = scene.launch("start", "quit");
  await scene.npmStarted();
  cut.process.kill("SIGTERM");
  const { code, stdout } = await cut.ended;
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.equal(scene.npmIsAlive(), false);
});

test("an install that fails ends with 1 and what to do, and the program is not run", async () => {
  using scene = launchScene();
  scene.setNpm("fails");
  const { code, stdout, stderr } = await scene.launch("start").ended;
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /could not be installed: npm ci ended with exit code 7.*run the same command again/s,
  );
});

test("an optional package that npm cannot fetch is named once and does not make every start install", async () => {
  using scene = launchScene();
  scene.setNpm("leaves-optional-out");
  const first = await scene.launch("start", "quit").ended;
  assert.equal(first.code, 0);
  assert.match(first.stderr, /npm could not install node_modules\/for-here/);
  await scene.launch("start", "quit").ended;
  assert.equal(scene.npmRuns(), 1);
});

test("every script of the project has its program", async () => {
  using scene = launchScene();
  scene.installByHand();
  for (const program of ["start", "test", "bench", "tollgate"]) {
    const { code, stdout } = await scene.launch(program, "--some", "arguments").ended;
    assert.equal(code, 0, program);
    assert.deepEqual((JSON.parse(stdout) as { args: unknown }).args, ["--some", "arguments"]);
  }
  const { code, stderr } = await scene.launch("unknown").ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /start\|test\|bench\|torture\|build\|package\|panel-at-size\|soak\|tollgate/,
  );
});

test("what serves runs on flags for serving, in another process as in the launcher's own; tests and benchmarks do not, and a command that does one thing starts no other Node", async () => {
  for (const samePinned of [false, true]) {
    using scene = launchScene({ samePinned });
    await scene.launch("start", "quit").ended;
    for (const [program, command, serves] of [
      ["start", "quit", true],
      ["tollgate", "sandbox", true],
      ["tollgate", "quit", false],
      ["test", "quit", false],
      ["bench", "quit", false],
    ] as const) {
      const running = scene.launch(program, command);
      const { code, stdout, stderr } = await running.ended;
      assert.equal(code, 0, stderr);
      const reported = JSON.parse(stdout) as {
        flags: string[];
        arenas: string | null;
        pid: number;
        args: string[];
      };
      assert.equal(
        reported.flags.includes("--min-semi-space-size=16"),
        serves,
        `${program} ${command} ${reported.flags.join(" ")}`,
      );
      assert.equal(reported.arenas, serves ? "1" : null, `${program} ${command}`);
      assert.deepEqual(reported.args, [command]);
      const isBrief = program === "tollgate" && !serves;
      if (samePinned || isBrief)
        assert.equal(reported.pid, running.process.pid, "no process in between");
    }
  }
});

test("the exit code of the program is ours", async () => {
  using scene = launchScene();
  assert.equal((await scene.launch("start", "quit", "5").ended).code, 5);
});

test("signals are passed on to a program in another process, once each, and its end is waited for", async () => {
  using scene = launchScene();
  const running = scene.launch("start", "serve");
  await running.says(/ready/);
  running.process.kill("SIGINT");
  await running.says(/heard SIGINT/);
  running.process.kill("SIGTERM");
  const { code, stdout } = await running.ended;
  assert.equal(code, 3);
  assert.match(stdout, /heard SIGTERM/);
});

test("a program in another process hears `disconnect` when the launcher is killed -9", async () => {
  using scene = launchScene();
  const running = scene.launch("start", "serve");
  await running.says(/ready/);
  running.process.kill("SIGKILL");
  await once(running.process.stdout, "close");
  assert.match(running.reported(), /heard disconnect/);
});

test("on the pinned Node the program runs in the launcher's own process, and hears `disconnect` when npm above is killed -9", async () => {
  using scene = launchScene({ samePinned: true });
  const running = scene.launchBelowNpm("start", "serve");
  await running.says(/ready/);
  const { pid, parent } = JSON.parse(running.reported().split("\n")[0] ?? "") as {
    pid: number;
    parent: number;
  };
  assert.equal(parent, running.process.pid, "no process in between");
  assert.ok(pid > 0);
  running.process.kill("SIGKILL");
  await once(running.process.stdout, "close");
  assert.match(running.reported(), /heard disconnect/);
});

test("the pinned Node is found where npm 10 took its link away, and the link is put back for the scripts of npm", async () => {
  using scene = launchScene();
  scene.setNpm("takes-link-away");
  const { code, stderr } = await scene.launchAs("20.11.0", "start", "quit").ended;
  assert.equal(code, 0, stderr);
  assert.equal(readlinkSync(scene.tree.path("node_modules/.bin/node")), `../${RUNTIME}/bin/node`);
});

test("without a pinned runtime an old Node is refused with what to do, and a new one is used", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  scene.tree.remove(`node_modules/${RUNTIME}`);
  const old = await scene.launchAs("20.11.0", "start", "quit").ended;
  assert.equal(old.code, 1);
  assert.match(
    old.stderr,
    /no pinned Node for \w+-\w+, and this is Node 20\.11\.0\. Install Node 26/,
  );
  const fresh = await scene.launchAs("27.0.0", "start", "quit").ended;
  assert.equal(fresh.code, 0, fresh.stderr);
});

test("the project is found through a link, as npx calls it; without a command it starts everything", async () => {
  using scene = launchScene();
  symlinkSync(scene.tree.path("bin/tollgate.mjs"), scene.tree.path("linked"));
  const { code, stdout } = await scene.run(scene.tree.path("linked"), "config").ended;
  assert.equal(code, 0);
  assert.deepEqual((JSON.parse(stdout) as { args: unknown }).args, ["config"]);
  scene.tree.write("src/main/start.ts", 'console.log("everything");\n');
  const alone = await scene.run(scene.tree.path("linked")).ended;
  assert.deepEqual([alone.code, alone.stdout], [0, "everything\n"]);
  rmSync(scene.tree.path("linked"));
});

/** What the program found in NODE_COMPILE_CACHE. */
function compiledOf({ stdout }: { readonly stdout: string }): unknown {
  return (JSON.parse(stdout) as { compiled: unknown }).compiled;
}

test("what Node compiled is kept beside the packages, in a folder that is this user's alone", async () => {
  for (const samePinned of [false, true]) {
    using scene = launchScene({ samePinned });
    const folder = join(realpathSync(scene.tree.root), "node_modules/.cache/tollgate");
    for (const program of ["start", "tollgate"])
      assert.equal(compiledOf(await scene.launch(program, "quit").ended), folder, program);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.notEqual(readdirSync(folder).length, 0, "something is kept");
    for (const program of ["test", "bench"])
      assert.equal(compiledOf(await scene.launch(program, "quit").ended), null, program);
  }
});

test("the caller's own choice of where to keep it stands", async () => {
  using scene = launchScene();
  const elsewhere = scene.tree.path("elsewhere");
  const ended = await scene.launchWith({ NODE_COMPILE_CACHE: elsewhere }, "start", "quit").ended;
  assert.equal(compiledOf(ended), elsewhere);
  assert.equal(existsSync(scene.tree.path("node_modules/.cache")), false);
});

test("compiled code is neither read nor written where another could have put it, or where nothing can be written", async () => {
  using scene = launchScene();
  await scene.launch("start", "quit").ended;
  const folder = scene.tree.path("node_modules/.cache/tollgate");
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  assert.equal(compiledOf(await scene.launch("start", "quit").ended), null);
  assert.deepEqual(readdirSync(folder), []);
  rmSync(scene.tree.path("node_modules/.cache"), { recursive: true });
  scene.tree.write("node_modules/.cache", "no folder can be made here");
  const { code, stdout } = await scene.launch("start", "quit").ended;
  assert.deepEqual([code, compiledOf({ stdout })], [0, null]);
  rmSync(scene.tree.path("node_modules/.cache"));
  renameSync(scene.tree.path("node_modules"), scene.tree.path("elsewhere"));
  symlinkSync(scene.tree.path("elsewhere"), scene.tree.path("node_modules"));
  assert.equal(compiledOf(await scene.launch("start", "quit").ended), null, "behind a link");
});
