/**
 * Makes the bundle that a start of everything runs instead of its sources, and tries it on a
 * database of its own before any start finds it: `node tools/make-serving-bundle.mjs FOLDER`, the
 * folder of the project.
 */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { takeLock } from "./install-lock.mjs";
import {
  bundlesFolder,
  declareBundle,
  digestOf,
  findBundle,
  freeName,
  removeOtherBundles,
} from "./serving-bundle.mjs";

/**
 * Packages that a setting or a rare request asks for, and native code: they stay where they are.
 */
const APART =
  /^(?:@aws-sdk\/|@opentelemetry\/(?!api$)|@scalar\/|@simplewebauthn\/|nodemailer$|hyparquet|file-type$|mediabunny$|sharp$|node-av|pg-native$)/;
/** It comes first in what serves, and is itself of the bundle. */
const NAMES_SOURCES = "tools/name-sources.mjs";
const START = "src/main/start.ts";
/** Says which program the sandbox is; in a bundle it is one of its files. */
const SANDBOX_PROGRAM = "src/process/sandbox-program.ts";
/** Beside the modules: what decides which of them are meant. */
const ALWAYS = [
  "package.json",
  "package-lock.json",
  "tools/make-serving-bundle.mjs",
  "tools/serving-bundle.mjs",
];
const TRIAL_MS = 60_000;

/** The start that tries a bundle; null while there is none. */
let trial = null;

const root = process.argv[2] ?? "";

/**
 * Modules find files beside their own: where they ask for their place, they get that of the source.
 */
function withPlaces(path, code, folder) {
  const there = (target) =>
    `process.getBuiltinModule("node:path").join(import.meta.dirname, ${JSON.stringify(relative(folder, target))})`;
  return code
    .replaceAll(/\bimport\.meta\.dirname\b/g, () => there(dirname(path)))
    .replaceAll(
      /\bimport\.meta\.url\b/g,
      () => `process.getBuiltinModule("node:url").pathToFileURL(${there(path)}).href`,
    );
}

/** The package.json of the package that a module belongs to decides how it is read. */
function manifestOf(path) {
  const at = path.lastIndexOf("node_modules/");
  const [scope, name] = path.slice(at + "node_modules/".length).split("/");
  const folder =
    path.slice(0, at) + "node_modules/" + scope + (scope.startsWith("@") ? `/${name}` : "");
  return `${folder}/package.json`;
}

/** For each line of a file: which source's it is, and which of its lines. */
function placesOf({ code, map }, folder) {
  const sources = new Map();
  const at = [];
  const found = new SourceMap({ ...map, file: map.file ?? "", sourceRoot: "" });
  for (const [line, text] of code.split("\n").entries()) {
    const { originalSource, originalLine } = found.findEntry(line, text.length);
    if (originalSource === undefined) at.push(-1, 0);
    else {
      const source = relative(root, resolve(folder, originalSource));
      if (!sources.has(source)) sources.set(source, sources.size);
      at.push(sources.get(source), originalLine + 1);
    }
  }
  return JSON.stringify({ sources: [...sources.keys()], at });
}

/** Writes the files, and returns what they were made of and how long they are. */
async function bundle(folder) {
  /** By path from the root. */
  const inputs = new Map();
  const take = (path) => {
    const bytes = readFileSync(path);
    inputs.set(relative(root, path), digestOf(bytes));
    return bytes.toString("utf8");
  };
  for (const path of ALWAYS) take(join(root, path));
  const build = await rolldown({
    cwd: root,
    input: { start: START, sandbox: "sandbox/main.ts" },
    platform: "node",
    external: (id) => APART.test(id),
    logLevel: "silent",
    plugins: [
      {
        name: "inputs",
        load(path) {
          if (!path.startsWith("/")) return null;
          const code = take(path);
          if (path.includes("node_modules/")) {
            const manifest = manifestOf(path);
            if (!inputs.has(relative(root, manifest))) take(manifest);
            return code;
          }
          if (relative(root, path) === SANDBOX_PROGRAM)
            return `export const SANDBOX_PROGRAM = process.getBuiltinModule("node:path").join(import.meta.dirname, "sandbox.mjs");`;
          if (relative(root, path) === NAMES_SOURCES) return code;
          const placed = withPlaces(path, code, folder);
          // On the first line, so that all others stay where they are.
          return relative(root, path) === START
            ? `import "../../${NAMES_SOURCES}"; ${placed}`
            : placed;
        },
      },
    ],
  });
  const { output } = await build.write({
    dir: folder,
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name].mjs",
    sourcemap: "hidden",
  });
  await build.close();
  const chunks = output.filter(({ type }) => type === "chunk");
  for (const chunk of chunks) {
    rmSync(join(folder, `${chunk.fileName}.map`), { force: true });
    if (chunk.map !== null)
      writeFileSync(join(folder, `${chunk.fileName}.places.json`), placesOf(chunk, folder));
  }
  return {
    inputs: [...inputs].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    outputs: readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]),
  };
}

/**
 * One start on a database of its own: what does not serve is never found. Node keeps what it
 * compiled for it, so that the first start that finds it does not begin with that.
 */
async function serves(program) {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-trial-"));
  const { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR } = process.env;
  const settings = { DATA_DIR: dataDir, PORT: "0", SANDBOX_PORT: "0", LOG_LEVEL: "error" };
  const child = spawn(process.execPath, [...process.execArgv, program], {
    cwd: dataDir,
    env: { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR, ...settings },
    // It ends with the channel, should we be killed.
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  trial = child;
  const overdue = setTimeout(() => child.kill("SIGKILL"), TRIAL_MS);
  let reported = "";
  let ran = false;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    reported += text;
    if (ran || !reported.includes("Tollgate is running.")) return;
    ran = true;
    child.kill("SIGTERM");
  });
  try {
    const code = await new Promise((settle) => {
      child.on("error", () => settle(null));
      child.on("close", settle);
    });
    return ran && code === 0 && (process.send === undefined || process.connected);
  } finally {
    trial = null;
    clearTimeout(overdue);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function make() {
  if (findBundle(root) !== null) return;
  const name = freeName(root);
  const folder = join(bundlesFolder(root), name);
  try {
    const made = await bundle(folder);
    if (!(await serves(join(folder, "start.mjs")))) throw new Error("the bundle does not serve");
    declareBundle(root, name, made);
    removeOtherBundles(root, name);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

// The start that wanted it has ended, and the next one makes another. A trial is let end first: it
// has a folder and a database.
process.on("disconnect", () => {
  if (trial === null) process.exit(0);
  else trial.kill("SIGTERM");
});
process.channel?.unref();

mkdirSync(bundlesFolder(root), { recursive: true });
const lock = await takeLock({
  path: join(root, "dist", "serving.lock"),
  // Another process is at it.
  say: () => process.exit(0),
  waiting: "",
});
try {
  await make();
} finally {
  lock.release();
}
