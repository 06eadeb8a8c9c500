/**
 * Writes the package into a folder, as npm packs it: the project's modules without their types, the
 * built panel, and a list that says of each file what it was made of.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFiles, type PackageFile } from "./package-files.ts";
import { packageLock, packageManifest } from "./package-manifest.ts";
import { plainModule, type ModulesAround } from "./plain-module.ts";

/** Beside what comes of a file each. */
const MADE = ["package.json", "npm-shrinkwrap.json", "provenance.json"];

interface Origin {
  readonly from: string;
  readonly how: PackageFile["how"];
  /** Of the file that it was made of, hex. */
  readonly sha256: string;
}

/** The last commit, and whether something differs from it; null where there is no git. */
function commitOf(root: string): { readonly id: string; readonly changed: boolean } | null {
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  if (!existsSync(join(root, ".git"))) return null;
  try {
    return { id: git("rev-parse", "HEAD"), changed: git("status", "--porcelain") !== "" };
  } catch {
    return null;
  }
}

/**
 * `folder` is made anew. Throws where the panel is not built, and where a module imports what the
 * package has not. Made twice of the same project it is the same.
 */
export function writePackage(root: string, folder: string): void {
  if (!existsSync(join(root, "panel/dist/index.html")))
    throw new Error("The panel is not built. Run npm run build first.");
  const files = packageFiles(root);
  const tops = [...files.map(({ path }) => path), ...MADE].map((path) => path.split("/")[0] ?? "");
  const manifest = packageManifest(
    root,
    [...new Set(tops)].toSorted().filter((name) => name !== "package.json"),
  );
  const around: ModulesAround = {
    modules: new Set(files.flatMap(({ from, how }) => (how === "plain" ? [from] : []))),
    subpaths: subpathsOf(manifest.imports),
  };
  rmSync(folder, { recursive: true, force: true });
  const origins: Record<string, Origin> = {};
  for (const { path, from, how } of files) {
    const bytes = readFileSync(join(root, from));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    origins[path] = { from, how, sha256 };
    const made = how === "plain" ? plainModule(from, bytes.toString("utf8"), around) : bytes;
    put(folder, path, made);
  }
  const programs = files.map(({ path }) => path).filter((path) => path.endsWith(".sh"));
  for (const path of [...Object.values(manifest.bin), ...programs])
    chmodSync(join(folder, path), 0o755);
  const { name, version } = manifest;
  const provenance = { package: `${name}@${version}`, commit: commitOf(root), files: origins };
  put(folder, "package.json", lines(manifest));
  put(folder, "npm-shrinkwrap.json", lines(packageLock(root, manifest)));
  put(folder, "provenance.json", lines(provenance));
}

function put(folder: string, path: string, content: string | Uint8Array): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

function lines(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** `"#one/*": "./two/*"` as `#one/` and `two/`. */
function subpathsOf(imports: Readonly<Record<string, string>>): ModulesAround["subpaths"] {
  const bare = (text: string): string => text.replace(/^\.\//, "").replace(/\*$/, "");
  return new Map(Object.entries(imports).map(([from, to]) => [bare(from), bare(to)]));
}
