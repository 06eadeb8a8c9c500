/**
 * Makes panel/dist match the panel's sources, with Vite, when and only when it does not. Plain
 * JavaScript for Node 20.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "./install-lock.mjs";

const DIST = "dist";
/**
 * Says of which sources a build is; written last of all, so that it also says that the build came
 * to its end.
 */
const STAMP = "stamp.json";
const VITE = join("node_modules", "vite", "bin", "vite.js");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Every source of the panel, sorted; what is built or installed is none. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && !name.startsWith(DIST))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? sourcesIn(path) : [path];
    });
}

/**
 * Of all that a build is made of: the sources, and the packages. What is not built into it (tests,
 * notes) does not count.
 */
function digestOf(root) {
  const hash = createHash("sha256");
  const sources = sourcesIn(join(root, "panel")).filter((path) => !/\.(test\.ts|md)$/.test(path));
  for (const path of [...sources, join(root, "package-lock.json")]) {
    const bytes = readFileSync(path);
    hash.update(`${path.slice(root.length)} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}

function builtOf(panel) {
  try {
    return JSON.parse(readFileSync(join(panel, DIST, STAMP), "utf8")).sources;
  } catch {
    return null;
  }
}

/**
 * Resolves to what went wrong, or null. Its words are shown only then: a good build has nothing to
 * say.
 */
function runVite(root, runtime, target, onStarted) {
  return new Promise((resolve) => {
    const args = [
      join(root, VITE),
      "build",
      "--configLoader",
      "native",
      "--outDir",
      target,
      "--logLevel",
      "warn",
    ];
    const env = { ...process.env, NODE_ENV: "production" };
    const vite = spawn(runtime, args, {
      cwd: join(root, "panel"),
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (vite.pid !== undefined) onStarted(vite.pid);
    const reported = [];
    for (const stream of [vite.stdout, vite.stderr])
      stream.on("data", (part) => reported.push(part));
    let stopped = false;
    const stop = (signal) => {
      stopped = true;
      vite.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    const finish = (problem) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve(
        problem === null
          ? null
          : { stopped, problem, reported: Buffer.concat(reported).toString() },
      );
    };
    vite.on("error", (error) => finish(error.message));
    vite.on("close", (code, signal) =>
      finish(code === 0 ? null : `vite ended with ${signal ?? `exit code ${code}`}`),
    );
  });
}

/**
 * The new build takes the old one's place at once: a process that serves the old one has read it
 * already.
 */
function putInPlace(panel, target) {
  const old = join(panel, `${DIST}.old-${process.pid}`);
  if (existsSync(join(panel, DIST))) renameSync(join(panel, DIST), old);
  renameSync(target, join(panel, DIST));
  rmSync(old, { recursive: true, force: true });
}

/**
 * Returns `ready`, `failed`, or `stopped` when it was told to stop. A build that fails, that may
 * not write, or for which the development packages are missing is told and is no reason not to
 * start: the gateway serves the API, and the panel says what to do. Several callers at once build
 * once: the others wait for it.
 */
export async function buildPanelWhenNeeded({ root, runtime, say }) {
  const panel = join(root, "panel");
  if (!existsSync(join(panel, "index.html"))) return "ready";
  const digest = digestOf(root);
  if (builtOf(panel) === digest) return "ready";
  const going = existsSync(join(panel, DIST, "index.html"))
    ? "The panel stays as it was built before."
    : "The panel is not there until it is built; the API is.";
  if (!existsSync(join(root, VITE))) {
    say(
      `The panel could not be built: the development packages are not installed. Run npm ci and npm run build first. ${going}`,
    );
    return "failed";
  }
  let lock;
  try {
    lock = await takeLock({
      path: join(panel, `${DIST}.lock`),
      say,
      waiting: "another process is building the panel; waiting for it…",
    });
  } catch (error) {
    say(
      `The panel could not be built: ${join(panel, DIST)} cannot be written (${error.code}). ${going}`,
    );
    return "failed";
  }
  const target = join(panel, `${DIST}.next-${process.pid}`);
  try {
    if (builtOf(panel) === digest) return "ready";
    say("building the panel…");
    for (const name of readdirSync(panel)) {
      if (/^dist\.(next|old)-/.test(name))
        rmSync(join(panel, name), { recursive: true, force: true });
    }
    const failure = await runVite(root, runtime, target, lock.addProcess);
    if (failure !== null) {
      if (!failure.stopped)
        say(
          `${failure.reported.trimEnd()}\nThe panel could not be built: ${failure.problem}. ${going}`,
        );
      return failure.stopped ? "stopped" : "failed";
    }
    writeFileSync(join(target, STAMP), `${JSON.stringify({ sources: digest })}\n`);
    putInPlace(panel, target);
    return "ready";
  } catch (error) {
    say(`The panel could not be built: ${error.message}. ${going}`);
    return "failed";
  } finally {
    rmSync(target, { recursive: true, force: true });
    lock.release();
  }
}
