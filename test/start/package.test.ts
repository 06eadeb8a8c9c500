/**
 * Protects: the package is the project without its tests, of each of its files it is known what it
 * was made of, and in an empty folder it serves everything, from node_modules as npm lays it out.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { parseSync } from "oxc-parser";
import sharp from "sharp";
import { writePackage } from "../../tools/package/write-package.ts";
import { runInShell, secretIn, startTollgate } from "../support/start-tollgate.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { linkPackages } from "./link-packages.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Made of several files of the project. */
const MADE = ["npm-shrinkwrap.json", "package.json", "provenance.json"];

interface Manifest {
  readonly private?: boolean;
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
  readonly scripts?: object;
}

interface Provenance {
  readonly files: Readonly<
    Record<string, { readonly from: string; readonly how: string; readonly sha256: string }>
  >;
}

const folder = mkdtempSync(join(tmpdir(), "package-"));
// PostgreSQL runs under another user where we are root.
chmodSync(folder, 0o711);
/** As npm installs it: the package beside those that it brings along. */
const installed = join(folder, "node_modules", "tollgate");
const command = join(installed, "bin/tollgate.mjs");
before(() => {
  linkPackages(folder);
  writePackage(ROOT, installed);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function readPackaged(path: string): string {
  return readFileSync(join(installed, path), "utf8");
}

/** Paths, sorted; without what Node keeps of them. */
function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules/.cache/"))
    .toSorted();
}

test("no test is in it, and of each file it says what it was made of", () => {
  const { files } = JSON.parse(readPackaged("provenance.json")) as Provenance;
  assert.deepEqual(filesBelow(installed), [...Object.keys(files), ...MADE].toSorted());
  for (const [path, { from, how, sha256 }] of Object.entries(files)) {
    assert.doesNotMatch(path, /\.test\.|\.ts$|^(?:test|bench|tools\/.+\/)/);
    assert.match(
      path,
      /^(?:bin|docs|migrations|ops|packages|panel\/dist|panel\/src\/styles|sandbox|src|tools)\/|^[^/]+$/,
    );
    const bytes = readFileSync(join(ROOT, from));
    assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256, from);
    if (how !== "plain")
      assert.ok(bytes.equals(readFileSync(join(installed, path))), `${path} is as it was`);
  }
  const sources = globSync("{src,sandbox,packages/*/src}/**/*.ts", { cwd: ROOT });
  const plain = new Set(Object.values(files).map(({ from }) => from));
  const missing = sources.filter((path) => !path.endsWith(".test.ts") && !plain.has(path));
  assert.deepEqual(missing, [], "every module is there");
  // The image is built of the package, so nothing that builds it is in it.
  const ops = globSync("ops/**/*.*", { cwd: ROOT }).filter(
    (path) => !/^ops\/image\/|\.test\.|\/\.git/.test(path),
  );
  assert.ok(ops.length >= 20);
  for (const path of ops) assert.ok(path in files, path);
  assert.ok((statSync(join(installed, "ops/compose/prepare.sh")).mode & 0o111) !== 0);
});

test("each line of a module is where it was in its source, and each module that it names is there", () => {
  const { files } = JSON.parse(readPackaged("provenance.json")) as Provenance;
  const modules = Object.entries(files).filter(([, { how }]) => how === "plain");
  assert.ok(modules.length > 1_000);
  for (const [path, { from }] of modules) {
    const [source, made] = [readFileSync(join(ROOT, from), "utf8"), readPackaged(path)];
    assert.equal(made.split("\n").length, source.split("\n").length, path);
    const { module, errors } = parseSync(path, made, { sourceType: "module" });
    assert.deepEqual(errors, [], path);
    for (const { moduleRequest } of module.staticImports) {
      const { value } = moduleRequest;
      if (value.startsWith("."))
        assert.ok(existsSync(join(installed, path, "..", value)), `${path}: ${value}`);
    }
  }
});

test("it brings every package that it imports, in the version that the tests ran on, and none that only development needs", () => {
  const manifest = JSON.parse(readPackaged("package.json")) as Manifest;
  const { packages } = JSON.parse(readPackaged("npm-shrinkwrap.json")) as {
    packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
  };
  const brought = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const [name, version] of Object.entries(brought))
    assert.equal(packages[`node_modules/${name}`]?.version, version, name);
  for (const [path, entry] of Object.entries(packages)) assert.ok(entry.dev !== true, path);
  const { private: isPrivate, devDependencies, scripts } = manifest;
  assert.deepEqual([isPrivate, devDependencies, scripts], [undefined, undefined, undefined]);
  for (const path of filesBelow(installed).filter((each) =>
    /^(?:src|sandbox|packages)\/.+\.js$/.test(each),
  )) {
    const { module } = parseSync(path, readPackaged(path), { sourceType: "module" });
    for (const { moduleRequest } of module.staticImports) {
      const { value } = moduleRequest;
      if (/^(?:\.|#|node:)/.test(value)) continue;
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(value)?.[0] ?? "";
      assert.ok(name in brought, `${path} imports ${value}`);
    }
  }
});

test("npm packs what was written, and nothing is written another time", () => {
  const args = ["pack", installed, "--dry-run", "--json", "--offline", "--ignore-scripts"];
  const [packed] = JSON.parse(
    execFileSync("npm", args, {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  ) as { files: readonly { path: string }[] }[];
  assert.deepEqual(packed?.files.map(({ path }) => path).toSorted(), filesBelow(installed));
  const again = join(folder, "again");
  writePackage(ROOT, again);
  assert.deepEqual(filesBelow(again), filesBelow(installed));
  for (const path of filesBelow(installed))
    assert.equal(readFileSync(join(again, path), "utf8"), readPackaged(path), path);
});

test(
  "in an empty folder it serves API, panel and docs on a database of its own, and finds it all again",
  { timeout: 240_000 },
  async () => {
    const place = join(folder, "place");
    mkdirSync(place);
    chmodSync(place, 0o711);
    const code = filesBelow(join(folder, "node_modules"));
    const first = await startTollgate(place, { DATA_DIR: undefined }, command);
    assert.doesNotMatch(first.text, /installing|building|could not/);
    for (const path of ["/readyz", "/panel/", "/docs", "/openapi.json", "/en"])
      assert.equal((await fetch(`${first.url}${path}`)).status, 200, path);
    assert.match(await runInShell(`${first.curl} -sS`), /data: \[DONE\]/);

    const headers = { "x-api-key": secretIn(first.text) ?? "" };
    const ask = async (path: string, init: RequestInit = {}): Promise<Record<string, string>> => {
      const answer = await fetch(first.url + path, {
        ...init,
        headers: { ...headers, ...(init.headers as object) },
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      return (JSON.parse(text) as { data: Record<string, string> }).data;
    };
    // Pictures are looked into by a process that may read the program and its packages alone, and
    // made by one of the sandbox's.
    const picture = await sharp({
      create: { width: 64, height: 48, channels: 3, background: "teal" },
    })
      .png()
      .toBuffer();
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(picture)]), "photo.png");
    const { url } = await ask("/v1/storage/upload", { method: "POST", body: form });
    const { taskId } = await ask("/v1/tasks/nano-banana-2", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: "A fox.", imageUrls: [url] }),
    });
    const { state } = await ask(`/v1/tasks/${taskId}?wait=60`);
    assert.equal(state, "completed");

    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [command, "accounts", "list", "--json"],
      { cwd: place, env: tollgateEnvironment({}), encoding: "utf8", timeout: 60_000 },
    );
    assert.equal(status, 0, stderr);
    const [account] = JSON.parse(stdout) as { accountId: string }[];
    assert.ok(account !== undefined && first.text.includes(account.accountId));
    assert.equal(await first.stop(), 0);

    const second = await startTollgate(place, { DATA_DIR: undefined }, command);
    assert.ok(second.text.includes(account.accountId), "the same account");
    assert.equal(await second.stop(), 0);
    assert.ok(existsSync(join(place, "data/postgres")), "what it keeps is in the folder");
    assert.deepEqual(filesBelow(join(folder, "node_modules")), code, "no file is written there");
  },
);

const asked = process.env["TEST_NPM_INSTALL"] !== undefined;

test(
  "npm installs what was packed, and it runs",
  { skip: asked ? false : "needs a registry: set TEST_NPM_INSTALL", timeout: 600_000 },
  (t) => {
    // Beside no other: npm installs into the next folder above that has packages.
    const user = mkdtempSync(join(tmpdir(), "package-user-"));
    t.after(() => rmSync(user, { recursive: true, force: true }));
    const npm = (...args: string[]): string =>
      execFileSync("npm", args, { cwd: user, encoding: "utf8", stdio: ["ignore", "pipe", 2] });
    npm("pack", installed, "--ignore-scripts");
    const tarball = `./${globSync("*.tgz", { cwd: user })[0] ?? ""}`;
    npm("install", tarball, "--ignore-scripts", "--no-audit", "--no-fund");
    const { version } = JSON.parse(readPackaged("package.json")) as Manifest;
    assert.equal(npm("exec", "--", "tollgate", "--version").trim(), version);
    const catalogue = join(user, "node_modules/tollgate/catalogue.yaml");
    assert.match(npm("exec", "--", "tollgate", "catalogue", "check", catalogue), /in order/);
  },
);
