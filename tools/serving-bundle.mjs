/**
 * The serving program as one file of each kind, instead of some thousand modules: where it is, and
 * whether it is still of the sources and packages that are there. Plain JavaScript for Node 20.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, setPriority } from "node:os";
import {
  accessSync,
  closeSync,
  constants as access,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Of the bundles: a folder for each, and which of them is the newest. */
export function bundlesFolder(root) {
  return join(root, "dist", "serving");
}

const NEWEST = "newest";
/** In the folder of a bundle: what it was made of. It is written last of all. */
const MADE_OF = "made-of.json";
/** Beside it: how its inputs looked when they were last found to be the same. */
const SEEN = "seen.json";
const USED_BY = /^used-by-(\d+)$/;

export function digestOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** What changes with each change of a file, also one that leaves its size and its time. */
function lookAt(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? `${found.size} ${found.mtimeMs} ${found.ctimeMs} ${found.ino}` : null;
}

/** Whole: all that was written is there, to its end. */
function isWhole(folder, { outputs }) {
  return outputs.every(
    ([name, size]) => statSync(join(folder, name), { throwIfNoEntry: false })?.size === size,
  );
}

/**
 * Whether all inputs are as they were. A file that looks as when it was seen last is not read; one
 * that does not is, so that a fresh checkout of the same sources is found to be the same.
 */
function isOfThese(root, folder, { inputs }) {
  const seen = readJson(join(folder, SEEN)) ?? {};
  const looks = {};
  let changed = false;
  for (const [path, digest] of inputs) {
    const look = lookAt(join(root, path));
    if (look === null) return false;
    looks[path] = look;
    if (seen[path] === look) continue;
    if (digestOf(readFileSync(join(root, path))) !== digest) return false;
    changed = true;
  }
  if (changed) writeBriefly(join(folder, SEEN), looks);
  return true;
}

/** At once or not at all; where nothing can be written the next start reads again. */
function writeBriefly(path, value) {
  try {
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(value));
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    rmSync(`${path}.${process.pid}`, { force: true });
  }
}

function newestOf(root) {
  const folders = bundlesFolder(root);
  return join(folders, readFileSync(join(folders, NEWEST), "utf8"));
}

/** Null where there is none that fits: then the sources themselves are run. */
export function findBundle(root) {
  try {
    const folder = newestOf(root);
    const madeOf = readJson(join(folder, MADE_OF));
    return madeOf !== null && isWhole(folder, madeOf) && isOfThese(root, folder, madeOf)
      ? folder
      : null;
  } catch {
    return null;
  }
}

/**
 * The same, for this process to run: it is not taken away while this process lives. Null also where
 * a newer one came at this very moment, which may have taken it away.
 */
export function takeBundle(root) {
  const folder = findBundle(root);
  if (folder === null) return null;
  try {
    for (const { name, pid } of usersOf(folder)) if (!isAlive(pid)) rmSync(join(folder, name));
    writeFileSync(join(folder, `used-by-${process.pid}`), "");
  } catch {
    // Where it cannot be written it cannot be taken away either.
  }
  return newestOf(root) === folder ? folder : null;
}

function usersOf(folder) {
  return readdirSync(folder)
    .map((name) => ({ name, pid: Number(USED_BY.exec(name)?.[1]) }))
    .filter(({ pid }) => !Number.isNaN(pid));
}

/**
 * A name for the next one that no bundle has: one of few, since Node keeps what it compiled by the
 * path of its file.
 */
export function freeName(root) {
  let number = 1;
  while (existsSync(join(bundlesFolder(root), String(number)))) number += 1;
  return String(number);
}

/**
 * From now on it is the one that is found: what it says of its files is on the disk only when they
 * are.
 *
 * @param inputs [path from root, digest], @param outputs [name, bytes]
 */
export function declareBundle(root, name, { inputs, outputs }) {
  const folder = join(bundlesFolder(root), name);
  for (const [output] of outputs) flush(join(folder, output));
  writeFileSync(join(folder, MADE_OF), JSON.stringify({ inputs, outputs }), { flush: true });
  const newest = join(bundlesFolder(root), NEWEST);
  writeFileSync(`${newest}.${process.pid}`, name, { flush: true });
  renameSync(`${newest}.${process.pid}`, newest);
}

function flush(path) {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

function makerIn(root) {
  return join(root, "tools", "make-serving-bundle.mjs");
}

/** Whether a bundle can be made here: by the bundler, a development package, into the project. */
export function canBundle(root) {
  if (!existsSync(makerIn(root)) || !existsSync(join(root, "node_modules", "rolldown")))
    return false;
  try {
    accessSync(existsSync(join(root, "dist")) ? join(root, "dist") : root, access.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * In a process of its own, on the flags of what serves. It says nothing: without a bundle the
 * sources are run. It ends with this process, by the channel between them. Resolves when it has
 * ended; nothing needs to wait for that.
 */
export function makeBundle(root, runtime, flags, { inBackground }) {
  const stdio = ["ignore", "ignore", "ignore", "ipc"];
  const child = spawn(runtime, [...flags, makerIn(root), root], { stdio });
  if (inBackground) {
    child.unref();
    child.channel?.unref();
  }
  try {
    // What serves is not to wait behind it.
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It did not begin, has ended already, or the system does not let us.
  }
  return new Promise((resolve) => {
    child.on("error", resolve);
    child.on("exit", resolve);
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** A process that runs an older one may still ask for a part that it has not loaded yet. */
export function removeOtherBundles(root, kept) {
  const folders = bundlesFolder(root);
  for (const entry of readdirSync(folders, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === kept) continue;
    if (usersOf(join(folders, entry.name)).some(({ pid }) => isAlive(pid))) continue;
    rmSync(join(folders, entry.name), { recursive: true, force: true });
  }
}
