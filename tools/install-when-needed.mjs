/**
 * Makes node_modules match package-lock.json, with `npm ci`, when and only when it does not. Plain
 * JavaScript for Node 20.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, sep } from "node:path";
import { takeLock } from "./install-lock.mjs";

/**
 * npm writes its own record of the tree last of all, so its presence also says that the install
 * came to its end.
 */
const HIDDEN_LOCK = join("node_modules", ".package-lock.json");
/**
 * Ours: which lock was installed to the end, for the case that npm silently left optional packages
 * out.
 */
const STAMP = join("node_modules", ".tollgate-install.json");
/**
 * Scripts of packages are never needed; a production setting of the caller must not leave the tools
 * out.
 */
const NPM_ARGS = [
  "ci",
  "--ignore-scripts",
  "--include=dev",
  "--include=optional",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
];

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** Whether a package's `os` or `cpu` (a name, or a list of names and `!names`) takes in ours. */
function fits(names, value) {
  if (names === undefined) return true;
  const list = [names].flat();
  if (list.includes(`!${value}`)) return false;
  return list.includes(value) || list.every((entry) => entry.startsWith("!"));
}

/**
 * The packages of the lock that this platform needs and node_modules lacks, or holds in another
 * version. `required` must be there; `optional` may be missing for good (npm does not fail when it
 * cannot fetch one). Where `serves`, an installation that was made without development packages
 * (`npm ci --omit=dev`) needs none: it has not a single one.
 */
function missingPackages(root, serves) {
  const wanted = Object.entries(readJson(join(root, "package-lock.json"))?.packages ?? {});
  const present = readJson(join(root, HIDDEN_LOCK))?.packages ?? {};
  const forServing =
    serves && !wanted.some(([path, entry]) => entry.dev === true && present[path] !== undefined);
  const missing = { required: [], optional: [] };
  for (const [path, entry] of wanted) {
    // The project itself and its workspaces are in the tree; what they need has entries of its own.
    if (!path.includes("node_modules/") || entry.link || (forServing && entry.dev === true))
      continue;
    const optional = entry.optional === true || entry.devOptional === true;
    if (optional && present[path] === undefined) {
      const bound = entry.os !== undefined || entry.cpu !== undefined;
      // Variants by C library are left to the tools themselves; entries bound to nothing belong to
      // packages of other platforms.
      if (
        !bound ||
        entry.libc !== undefined ||
        !fits(entry.os, process.platform) ||
        !fits(entry.cpu, process.arch)
      )
        continue;
    }
    const same =
      present[path]?.version === entry.version && present[path]?.integrity === entry.integrity;
    if (!same || !existsSync(join(root, path, "package.json")))
      missing[optional ? "optional" : "required"].push(path);
  }
  return missing;
}

/**
 * Which lock on which platform: node_modules carried to another machine does not count as
 * installed.
 */
function fingerprint(root) {
  const digest = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${digest} ${process.platform}-${process.arch}`;
}

function isInstalled(root, serves) {
  const missing = missingPackages(root, serves);
  if (missing.required.length > 0) return false;
  return (
    missing.optional.length === 0 || readJson(join(root, STAMP))?.installed === fingerprint(root)
  );
}

/**
 * npm deletes node_modules, so it must not run on the Node in there: the search path goes without
 * it.
 */
function pathWithoutModules() {
  const own = `${sep}node_modules${sep}.bin`;
  const kept = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.endsWith(own));
  return kept.some((entry) => existsSync(join(entry, "node")))
    ? kept.join(delimiter)
    : process.env.PATH;
}

/**
 * Runs npm with its progress on standard error. Resolves to what went wrong, or null. Signals that
 * reach us end it too.
 */
function runNpmCi(root, onStarted) {
  return new Promise((resolve) => {
    const npm = spawn("npm", NPM_ARGS, {
      cwd: root,
      stdio: ["ignore", 2, 2],
      env: { ...process.env, PATH: pathWithoutModules() },
    });
    if (npm.pid !== undefined) onStarted(npm.pid);
    const forward = (signal) => npm.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    const finish = (problem) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(problem);
    };
    npm.on("error", (error) =>
      finish(error.code === "ENOENT" ? "npm is not in PATH" : error.message),
    );
    npm.on("exit", (code, signal) =>
      finish(code === 0 ? null : `npm ci ended with ${signal ?? `exit code ${code}`}`),
    );
  });
}

/**
 * The lock, or null where the project's folder cannot be written: that is said, with what to do.
 */
async function lockInstall(root, say) {
  try {
    return await takeLock({
      path: join(root, "node_modules.lock"),
      say,
      waiting: "another process is installing the dependencies; waiting for it…",
    });
  } catch (error) {
    const whose = "as the user that the project belongs to";
    say(
      `node_modules does not match package-lock.json, and ${root} cannot be written (${error.code}).`,
    );
    say(`Run npm ci ${whose}; to serve, npm ci --omit=dev is enough.`);
    return null;
  }
}

/**
 * Returns true when node_modules is ready. Several callers at once install once: the others wait
 * for it. An install that is cut off leaves no record behind and is begun anew by the next caller.
 * Offline and intact, npm is never started, and nothing is written.
 *
 * @param serves whether an installation without development packages will do
 */
export async function installWhenNeeded({ root, announcement, serves, say }) {
  if (isInstalled(root, serves)) return true;
  // npm would empty the folder behind the link, which other projects may use.
  if (lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    say(
      "node_modules is a link, and what it leads to does not match package-lock.json. Remove the link, or run npm ci where it leads to.",
    );
    return false;
  }
  const lock = await lockInstall(root, say);
  if (lock === null) return false;
  try {
    if (isInstalled(root, serves)) return true;
    say(announcement);
    rmSync(join(root, HIDDEN_LOCK), { force: true });
    const problem = await runNpmCi(root, lock.addProcess);
    if (problem !== null) {
      say(
        `The dependencies could not be installed: ${problem}. See the lines above, then run the same command again.`,
      );
      return false;
    }
    const missing = missingPackages(root, false);
    if (missing.required.length > 0) {
      say(
        `npm ci ended well but these are missing: ${missing.required.join(", ")}. Delete node_modules and run the same command again.`,
      );
      return false;
    }
    if (missing.optional.length > 0)
      say(
        `npm could not install ${missing.optional.join(", ")} for this platform; going on without.`,
      );
    writeFileSync(join(root, STAMP), `${JSON.stringify({ installed: fingerprint(root) })}\n`);
    return true;
  } finally {
    lock.release();
  }
}
