/**
 * A small project with the real launcher, a stand-in for npm, and a program that tells what happens
 * to it.
 */
import { once } from "node:events";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { chmodSync, cpSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { PROJECT_ROOT, temporaryTree, type TemporaryTree } from "./temporary-tree.ts";

type NpmMood =
  | "works"
  | "fails"
  | "hangs-half-way"
  | "leaves-optional-out"
  | "takes-link-away"
  | "missing";
type Packages = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Launched {
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
  /** kill -9; its own children go on, and may hold its streams open. */
  kill(): Promise<void>;
  /** Both streams so far. */
  reported(): string;
  /** Waits until either stream has said this. */
  says(text: RegExp): Promise<void>;
}

export interface LaunchScene extends Disposable {
  readonly tree: TemporaryTree;
  launch(program: string, ...args: string[]): Launched;
  /** With more in its environment. */
  launchWith(more: NodeJS.ProcessEnv, program: string, ...args: string[]): Launched;
  /** As `npm start` does it: the process returned is the npm, the launcher its child. */
  launchBelowNpm(program: string, ...args: string[]): Launched;
  /** The launcher believes that it runs on this version of Node. */
  launchAs(version: string, program: string, ...args: string[]): Launched;
  /**
   * As in a tree that this user may only read; root may write anywhere, so the launcher is told so
   * by its own file system.
   */
  launchUnwritable(program: string, ...args: string[]): Launched;
  run(script: string, ...args: string[]): Launched;
  setNpm(mood: NpmMood): void;
  lock(packages: Packages): void;
  installByHand(): void;
  npmRuns(): number;
  /** Waits until npm has run so many times, the running one included. */
  npmStarted(times?: number): Promise<void>;
  npmIsAlive(): boolean;
  killNpm(): void;
  setVite(mood: "works" | "fails" | "hangs-half-way"): void;
  /** Process ids of the bundler's runs. */
  viteRuns(): readonly number[];
}

const HERE = {
  version: "1.0.0",
  integrity: "sha512-here",
  optional: true,
  os: [process.platform],
  cpu: process.arch,
};
const ELSEWHERE = {
  version: "1.0.0",
  integrity: "sha512-else",
  optional: true,
  os: ["!linux", "!darwin"],
};
const THING = { version: "1.0.0", integrity: "sha512-one" };

/** The runtime package of this platform, and a Node in it that is not the path that runs us. */
export const RUNTIME = `node-${process.platform}-${process.arch}`;
const PINNED = `#!/bin/sh\nexec "${process.execPath}" "$@"\n`;

/**
 * Runs when it is imported, as the real programs do: `quit [CODE]`, `serve`, or tells its
 * arguments.
 */
const PROGRAM = `/** A program that tells what happens to it. */
const [mode, code] = process.argv.slice(2);
console.log(JSON.stringify({ args: process.argv.slice(2), flags: process.execArgv, pid: process.pid, parent: process.ppid, compiled: process.env.NODE_COMPILE_CACHE ?? null, arenas: process.env.MALLOC_ARENA_MAX ?? null }));
if (mode === "quit") process.exitCode = Number(code ?? 0);
if (mode === "serve") {
  const alive = setInterval(() => {}, 1000);
  process.on("SIGINT", () => console.log("heard SIGINT"));
  process.on("SIGTERM", () => { console.log("heard SIGTERM"); process.exit(3); });
  process.on("disconnect", () => { console.log("heard disconnect"); clearInterval(alive); });
  console.log("ready");
}
`;

/**
 * Stands in for npm: notes that it ran, then installs what the lock says, or what its mood lets it.
 */
const NPM = `#!/bin/sh
exec "$REAL_NODE" "$NPM_STAND_IN" "$@"
`;
const NPM_STAND_IN = `/** A stand-in for npm. */
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
const mood = readFileSync(process.env.NPM_MOOD, "utf8");
if (process.argv[2] !== "ci" || !process.argv.includes("--ignore-scripts")) throw new Error("unexpected " + process.argv.slice(2));
appendFileSync(process.env.NPM_LOG, process.pid + "\\n");
if (mood === "fails") process.exit(7);
console.log("added some packages");
// Killed half-way, npm leaves some packages and their record.
rmSync(mood === "hangs-half-way" ? "node_modules/.bin" : "node_modules", { recursive: true, force: true });
mkdirSync("node_modules/.bin", { recursive: true });
if (mood === "hangs-half-way") await new Promise((resolve) => setTimeout(resolve, 60_000));
await new Promise((resolve) => setTimeout(resolve, 300));
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const installed = {};
for (const [path, entry] of Object.entries(packages)) {
  if (path === "" || path.endsWith("elsewhere") || (mood === "leaves-optional-out" && entry.optional)) continue;
  mkdirSync(path, { recursive: true });
  writeFileSync(path + "/package.json", "{}");
  installed[path] = entry;
}
cpSync(process.env.VITE_STAND_IN, "node_modules/vite/bin/vite.js");
writeFileSync("node_modules/vite/package.json", '{"type":"module"}');
const runtime = "node-" + process.platform + "-" + process.arch;
cpSync(process.env.PINNED_NODE, "node_modules/" + runtime + "/bin/node", { verbatimSymlinks: true });
if (mood !== "takes-link-away") symlinkSync("../" + runtime + "/bin/node", "node_modules/.bin/node");
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: installed }));
`;

/**
 * Stands in for the panel's bundler: notes that it ran, then copies the page, or does what its mood
 * says.
 */
const VITE_STAND_IN = `/** A stand-in for the bundler. */
import { appendFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
const mood = readFileSync(process.env.VITE_MOOD, "utf8");
const target = process.argv[process.argv.indexOf("--outDir") + 1];
appendFileSync(process.env.VITE_LOG, process.pid + "\\n");
mkdirSync(target, { recursive: true });
if (mood === "hangs-half-way") await new Promise((resolve) => setTimeout(resolve, 60_000));
if (mood === "fails") throw new Error("main.tsx does not parse");
await new Promise((resolve) => setTimeout(resolve, 300));
cpSync("index.html", target + "/index.html");
`;

interface SceneOptions {
  readonly samePinned?: boolean;
  /** With a panel to build. */
  readonly panel?: boolean;
}

export function launchScene({ samePinned = false, panel = false }: SceneOptions = {}): LaunchScene {
  const tree = temporaryTree({
    ...(panel ? { "panel/index.html": "first", "panel/src/main.tsx": "first" } : {}),
    "stand-in/vite.mjs": VITE_STAND_IN,
    "stand-in/vite-log": "",
    "stand-in/vite-mood": "works",
    "package.json": '{"type":"module"}\n',
    "src/main/start.ts": PROGRAM,
    "src/main/cli.ts": PROGRAM,
    "tools/check.ts": PROGRAM,
    "bench/run.ts": PROGRAM,
    "stand-in/bin/npm": NPM,
    "stand-in/npm.mjs": NPM_STAND_IN,
    "stand-in/log": "",
    "stand-in/mood": "works",
    // Another path than the Node that runs the launcher, so that the program needs a process of its
    // own.
    "stand-in/node": PINNED,
  });
  chmodSync(tree.path("stand-in/bin/npm"), 0o755);
  chmodSync(tree.path("stand-in/node"), 0o755);
  if (samePinned) symlinkSync(process.execPath, tree.path("stand-in/pinned"));
  for (const name of [
    "launch.mjs",
    "run-program.mjs",
    "install-when-needed.mjs",
    "install-lock.mjs",
    "build-panel-when-needed.mjs",
    "keep-compiled.mjs",
    "serving-bundle.mjs",
  ]) {
    cpSync(join(PROJECT_ROOT, "tools", name), tree.path(`tools/${name}`));
  }
  cpSync(join(PROJECT_ROOT, "bin"), tree.path("bin"), { recursive: true });

  const env: NodeJS.ProcessEnv = {
    HOME: process.env["HOME"],
    REAL_NODE: process.execPath,
    NPM_STAND_IN: tree.path("stand-in/npm.mjs"),
    NPM_LOG: tree.path("stand-in/log"),
    NPM_MOOD: tree.path("stand-in/mood"),
    VITE_STAND_IN: tree.path("stand-in/vite.mjs"),
    VITE_LOG: tree.path("stand-in/vite-log"),
    VITE_MOOD: tree.path("stand-in/vite-mood"),
    PINNED_NODE: tree.path(samePinned ? "stand-in/pinned" : "stand-in/node"),
    PATH: [tree.path("stand-in/bin"), "/usr/bin", "/bin"].join(delimiter),
  };
  const running = new Set<Launched["process"]>();

  function begin(command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Launched {
    const child = spawn(command, args, {
      cwd: tree.root,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    let stdout = "";
    let stderr = "";
    const waiting = new Set<() => void>();
    const wake = (): void => {
      for (const check of [...waiting]) check();
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      wake();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      wake();
    });
    const { promise: ended, resolve } = Promise.withResolvers<{
      code: number | null;
      stdout: string;
      stderr: string;
    }>();
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code, stdout, stderr });
      wake();
    });
    return {
      process: child,
      ended,
      async kill() {
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      },
      reported: () => stdout + stderr,
      async says(text) {
        const { promise, resolve: found, reject } = Promise.withResolvers<void>();
        const check = (): void => {
          if (text.test(stdout + stderr)) found();
          else if (!running.has(child))
            reject(new Error(`ended without saying ${text}: ${stdout}${stderr}`));
        };
        waiting.add(check);
        check();
        await promise;
        waiting.delete(check);
      },
    };
  }

  const launcher = tree.path("tools/launch.mjs");
  function npmPids(): number[] {
    return readFileSync(tree.path("stand-in/log"), "utf8").split("\n").filter(Boolean).map(Number);
  }
  function viteRuns(): number[] {
    return readFileSync(tree.path("stand-in/vite-log"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map(Number);
  }
  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }
  function killNpm(): void {
    for (const pid of npmPids()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  }
  function lock(packages: Packages): void {
    const all = {
      "": {},
      "node_modules/for-here": HERE,
      "node_modules/elsewhere": ELSEWHERE,
      ...packages,
    };
    tree.write("package-lock.json", JSON.stringify({ packages: all }));
  }
  lock({ "node_modules/thing": THING });

  return {
    tree,
    launch: (program, ...args) => begin(process.execPath, [launcher, program, ...args]),
    launchWith: (more, program, ...args) =>
      begin(process.execPath, [launcher, program, ...args], more),
    launchBelowNpm(program, ...args) {
      // A parent that starts the launcher as npm does, and passes its output on.
      const npm = `require("node:child_process").spawn(process.execPath, ${JSON.stringify([launcher, program, ...args])}, { stdio: "inherit" })`;
      return begin(process.execPath, ["--eval", npm], { npm_lifecycle_event: "start" });
    },
    launchAs(version, program, ...args) {
      const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
      return begin(process.execPath, [
        "--import",
        `data:text/javascript,${encodeURIComponent(pretend)}`,
        launcher,
        program,
        ...args,
      ]);
    },
    launchUnwritable(program, ...args) {
      const refuse = `import fs from "node:fs";
        import { syncBuiltinESMExports } from "node:module";
        fs.writeFileSync = () => { throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" }); };
        syncBuiltinESMExports();`;
      return begin(process.execPath, [
        "--import",
        `data:text/javascript,${encodeURIComponent(refuse)}`,
        launcher,
        program,
        ...args,
      ]);
    },
    run: (script, ...args) => begin(process.execPath, [script, ...args]),
    setNpm(mood) {
      tree.write("stand-in/mood", mood);
      if (mood === "missing") tree.remove("stand-in/bin/npm");
    },
    lock,
    installByHand() {
      tree.write("node_modules/thing/package.json", "{}");
      tree.write("node_modules/for-here/package.json", "{}");
      tree.write(`node_modules/${RUNTIME}/bin/node`, PINNED);
      chmodSync(tree.path(`node_modules/${RUNTIME}/bin/node`), 0o755);
      tree.write("node_modules/.bin/.keep", "");
      tree.write(
        "node_modules/.package-lock.json",
        JSON.stringify({
          packages: { "node_modules/thing": THING, "node_modules/for-here": HERE },
        }),
      );
    },
    npmRuns: () => npmPids().length,
    async npmStarted(times = 1) {
      while (npmPids().length < times) await sleep(20);
    },
    npmIsAlive: () => npmPids().some(isAlive),
    killNpm,
    setVite: (mood) => tree.write("stand-in/vite-mood", mood),
    viteRuns,
    [Symbol.dispose]() {
      for (const child of running) child.kill("SIGKILL");
      killNpm();
      for (const pid of viteRuns()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
      tree[Symbol.dispose]();
    },
  };
}
