/**
 * Runs a program of the project on the pinned Node, inside this process where it already is that
 * Node. Plain JavaScript for Node 20.
 */
import { spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildPanelWhenNeeded } from "./build-panel-when-needed.mjs";
import { installWhenNeeded } from "./install-when-needed.mjs";
import { keepCompiled } from "./keep-compiled.mjs";
import { canBundle, makeBundle, takeBundle } from "./serving-bundle.mjs";

const ROOT = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));

/**
 * For what serves. Left alone, V8 begins with a young generation of 1 MB, which a few requests
 * fill, and collects it with helper threads that cost more than they help when there is so little
 * to collect. And it collects everything whenever buffers have grown by 64 MB, which six bodies
 * with images do, however small the share of memory: they are counted as what they are, a part of
 * the whole. Between two collections of everything the memory in use may become three times what
 * the last one left, about 160 MB: each of them makes some forty requests wait for tens of
 * milliseconds, and V8 on its own makes one every five to thirteen seconds at 300 requests a
 * second. Compiled code that was not run during some collections stays: what is asked for now and
 * then would be compiled anew each time.
 *
 * And no pretenuring: where many objects of one allocation site live long, as those of streams do,
 * V8 allocates all later ones of that site in the old generation, where dead ones of short requests
 * keep all that they lead to until the next collection of everything.
 *
 * And no memory reducer: after some seconds with little to do it collects everything, and with it
 * what V8 has learnt of objects of which none is alive just then, as of requests. Their compiled
 * code is thrown away, and requests that come now and then take half as long again until it is made
 * anew. Memory that was once needed stays with the process.
 */
export const SERVING_FLAGS = [
  "--min-semi-space-size=16",
  "--max-semi-space-size=32",
  "--no-parallel-scavenge",
  "--external-memory-accounted-in-global-limit",
  "--heap-growing-percent=200",
  "--no-flush-bytecode",
  "--no-allocation-site-pretenuring",
  "--no-memory-reducer",
];

/**
 * One arena of glibc's malloc for all threads of what serves: nearly all is allocated by one of
 * them, and what the others have freed in arenas of their own stays with the process.
 */
function keepOneArena() {
  process.env.MALLOC_ARENA_MAX ??= "1";
}

/** Commands that stay and serve; the others do one thing, and end. */
const SERVING_COMMANDS = ["serve", "sandbox"];

/**
 * What can be run, on which flags of Node by its arguments, what is said when the first run has to
 * install, whether it is for naught without the panel, and whether it is what production runs, which
 * takes no development packages. `build` runs nothing: it ends when the panel is built.
 */
const PROGRAMS = {
  start: {
    file: "src/main/start.ts",
    flags: () => SERVING_FLAGS,
    installing: "installing… (first start only)",
    showsPanel: () => true,
    serves: true,
  },
  test: {
    file: "tools/check.ts",
    flags: () => [],
    installing: "installing dependencies…",
    showsPanel: () => true,
    serves: false,
  },
  bench: {
    file: "bench/run.ts",
    flags: () => [],
    installing: "installing dependencies…",
    showsPanel: () => false,
    serves: false,
  },
  torture: {
    file: "test/torture/run.ts",
    flags: () => [],
    installing: "installing dependencies…",
    showsPanel: () => false,
    serves: false,
  },
  build: {
    file: null,
    flags: () => [],
    installing: "installing dependencies…",
    showsPanel: () => true,
    serves: false,
  },
  package: {
    file: "tools/make-package.ts",
    // Node's function that takes types out calls itself experimental.
    flags: () => ["--disable-warning=ExperimentalWarning"],
    installing: "installing dependencies…",
    showsPanel: () => true,
    serves: false,
  },
  "panel-at-size": {
    file: "bench/panel-at-size/run.ts",
    flags: () => [],
    installing: "installing dependencies…",
    showsPanel: () => true,
    serves: false,
  },
  soak: {
    file: "bench/soak/run.ts",
    flags: () => [],
    installing: "installing dependencies…",
    showsPanel: () => false,
    serves: false,
  },
  tollgate: {
    file: "src/main/cli.ts",
    flags: ([command]) => (SERVING_COMMANDS.includes(command) ? SERVING_FLAGS : []),
    installing: "installing… (first run only)",
    showsPanel: ([command]) => command === "serve",
    serves: true,
  },
};

/** What the gateway says when it serves (src/main/serve.ts). */
const SERVING_CHANNEL = "tollgate:serving";

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const NEEDED_NODE_MAJOR = 26;
const PARENT_WATCH_MS = 1000;
/** A start serves by then, as a rule; a launcher on another Node does not hear when it does. */
const SERVES_WITHIN_MS = 5000;

/** On standard error, so that `tollgate … --json` keeps standard output to itself. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

function giveUp(line) {
  say(line);
  process.exit(1);
}

/** Where our packages are: our own folder; or, as a package among others, theirs, too. */
function moduleFolders() {
  const around = [dirname(ROOT), dirname(dirname(ROOT))];
  return [
    join(ROOT, "node_modules"),
    ...around.filter((folder) => basename(folder) === "node_modules"),
  ];
}

function isNewEnough() {
  return Number.parseInt(process.versions.node, 10) >= NEEDED_NODE_MAJOR;
}

/**
 * The Node to run on: the pinned package of this platform, or this very Node when there is none and
 * it is new enough.
 */
function chooseRuntime() {
  const name = `${process.platform}-${process.arch}`;
  for (const folder of moduleFolders()) {
    for (const pinned of [`node-${name}`, `node-bin-${name}`]) {
      const inPackage = join(pinned, "bin", "node");
      if (!existsSync(join(folder, inPackage))) continue;
      if (folder === join(ROOT, "node_modules")) linkRuntime(inPackage);
      return realpathSync(join(folder, inPackage));
    }
  }
  return isNewEnough() ? process.execPath : null;
}

/**
 * Puts the pinned Node where npm scripts find it first. npm does so itself, but npm 10 takes the
 * link away again with the packages of other platforms, which have a command of the same name.
 */
function linkRuntime(inPackage) {
  const link = join(ROOT, "node_modules", ".bin", "node");
  if (existsSync(link)) return;
  try {
    symlinkSync(join("..", inPackage), link);
  } catch {
    // A read-only tree, or another start was faster: the program runs without the link too.
  }
}

/** What stands between npm and a program that does not take its shell's place. */
const SHELLS = ["sh", "bash", "dash", "ash", "zsh", "ksh"];

/** Whether a process is a shell, where the system tells (Linux). */
function isShell(pid) {
  try {
    return SHELLS.includes(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
  } catch {
    return false;
  }
}

/** The parent of a process, where the system tells (Linux); elsewhere null. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

/**
 * Calls `onGone` when the npm that started us is gone. A killed npm cannot pass a signal on, and
 * its orphan would keep the port and the database. Started by anything else (a service manager,
 * nohup) a change of parent means nothing.
 */
function watchParent(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  // Some shells stay between npm and us (`npx`), and outlive a killed npm. Above npm itself nothing
  // is watched: a script that ran `npm start &` and ended has started a server, not ended one.
  const above = isShell(parent) ? parentOf(parent) : null;
  const timer = setInterval(() => {
    if (process.ppid === parent && (above === null || parentOf(parent) === above)) return;
    clearInterval(timer);
    onGone();
  }, PARENT_WATCH_MS);
  timer.unref();
}

/**
 * Everything at once is run from its bundle where there is one; where there is none, or it is of
 * other sources, it is made for the next start when this one serves.
 */
async function runStart(file, args, bundle) {
  if (bundle !== null) return runHere(join(bundle, "start.mjs"), args);
  if (canBundle(ROOT))
    subscribe(SERVING_CHANNEL, () => {
      void makeBundle(ROOT, process.execPath, SERVING_FLAGS, { inBackground: true });
    });
  return runHere(file, args);
}

/**
 * Runs the program here: it finds the usual argv, and hears the end of its parent as it would over
 * a channel.
 */
async function runHere(file, args) {
  process.argv = [process.execPath, file, ...args];
  watchParent(() => process.emit("disconnect"));
  await import(pathToFileURL(file).href);
}

/**
 * TOLLGATE_BEGUN_BY says to the process that is begun anew which one it was: the same, which has
 * looked at all, and what it has found. Null: it was not.
 */
function readBegunAnew() {
  const [pid, ...bundle] = (process.env.TOLLGATE_BEGUN_BY ?? "").split(" ");
  delete process.env.TOLLGATE_BEGUN_BY;
  return pid === String(process.pid) ? { bundle: bundle.join(" ") || null } : null;
}

/**
 * Begins this process anew on these flags, under its own id; false where that cannot be, or would
 * cost us the channel to our parent.
 */
function beginAnew(runtime, flags, bundle) {
  if (typeof process.execve !== "function" || process.channel !== undefined) return false;
  process.env.TOLLGATE_BEGUN_BY = `${process.pid} ${bundle ?? ""}`;
  process.execve(runtime, [runtime, ...process.execArgv, ...flags, ...process.argv.slice(1)]);
  return true;
}

/**
 * Runs the program as a child that holds a channel to us: when we die, however we die, the channel
 * closes and the child gets `disconnect`. Signals are passed on; a child that shares our terminal
 * may so hear of Ctrl-C twice.
 */
function runAsChild(runtime, args) {
  const child = spawn(runtime, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  const forward = (signal) => child.kill(signal);
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  watchParent(() => {
    if (child.connected) child.disconnect();
  });
  child.on("error", (error) => {
    if (child.pid !== undefined) return;
    const musl =
      error.code === "ENOENT" ? " It needs glibc; on musl systems use an image with glibc." : "";
    giveUp(`The pinned Node (${runtime}) does not start here: ${error.message}.${musl}`);
  });
  child.on("exit", (code, signal) => {
    for (const name of FORWARDED_SIGNALS) process.off(name, forward);
    process.exit(signal === null ? code : 128 + constants.signals[signal]);
  });
}

/** Runs one of the programs; this process ends as the program ends. */
export async function runProgram(name, args) {
  const program = Object.hasOwn(PROGRAMS, name ?? "") ? PROGRAMS[name] : undefined;
  if (program === undefined)
    giveUp(`usage: node tools/launch.mjs ${Object.keys(PROGRAMS).join("|")} [arguments]`);
  if (process.platform === "win32")
    giveUp("Tollgate runs on Linux and macOS. On Windows, run it inside WSL.");
  const file = program.file === null ? null : join(ROOT, program.file);
  const isStart = name === "start";
  const begunAnew = readBegunAnew();
  if (begunAnew !== null)
    return isStart ? runStart(file, args, begunAnew.bundle) : runHere(file, args);
  const { serves } = program;
  const flags = program.flags(args);
  if (!(await installWhenNeeded({ root: ROOT, announcement: program.installing, serves, say })))
    process.exit(1);
  const runtime = chooseRuntime();
  if (runtime === null) {
    const here = `${process.platform}-${process.arch}`;
    giveUp(
      `There is no pinned Node for ${here}, and this is Node ${process.versions.node}. Install Node ${NEEDED_NODE_MAJOR} or newer and run this again.`,
    );
  }
  const panel = program.showsPanel(args)
    ? await buildPanelWhenNeeded({ root: ROOT, runtime, say })
    : "ready";
  // An older build is better than none where it is shown, and worse where it is packed.
  if (panel === "stopped" || (panel === "failed" && name === "package")) process.exit(1);
  if (serves || file === null) keepCompiled(ROOT);
  if (file === null) {
    if (canBundle(ROOT)) await makeBundle(ROOT, runtime, SERVING_FLAGS, { inBackground: false });
    process.exit(panel === "ready" ? 0 : 1);
  }
  // A command that does one thing and ends is not worth the start of another Node.
  const isBrief = serves && flags.length === 0;
  const same = runtime === realpathSync(process.execPath) || (isBrief && isNewEnough());
  const bundle = isStart ? takeBundle(ROOT) : null;
  if (same && flags.every((flag) => process.execArgv.includes(flag)))
    return isStart ? runStart(file, args, bundle) : runHere(file, args);
  if (flags.length > 0) keepOneArena();
  if (same && beginAnew(runtime, flags, bundle)) return;
  const run = bundle === null ? file : join(bundle, "start.mjs");
  runAsChild(runtime, [...flags, run, ...args]);
  if (isStart && bundle === null && canBundle(ROOT))
    setTimeout(() => {
      void makeBundle(ROOT, runtime, SERVING_FLAGS, { inBackground: true });
    }, SERVES_WITHIN_MS).unref();
}
