/**
 * The project as `npm ci --omit=dev` leaves it beside a built panel, made from our own packages
 * without the network, for a user who may only read it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { linkPackages } from "./link-packages.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What the repository has and serving needs; the panel comes with its build. */
const KEPT = [
  "package.json",
  "package-lock.json",
  ".npmrc",
  "catalogue.yaml",
  "bin",
  "tools",
  "packages",
  "src",
  "sandbox",
  "migrations",
  "panel",
] as const;

export interface ProductionTree extends Disposable {
  readonly root: string;
  /**
   * Every path in it with the time of its last change: equal before and after means that nothing
   * was written.
   */
  listing(): string[];
}

function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

/**
 * No user but root may write in the folders then. Files may be the project's own by another name,
 * so their modes stay.
 */
function setFolderModes(root: string, mode: number): void {
  chmodSync(root, mode);
  for (const path of pathsBelow(root))
    if (lstatSync(join(root, path)).isDirectory()) chmodSync(join(root, path), mode);
}

export function productionTree(): ProductionTree {
  const root = mkdtempSync(join(tmpdir(), "production-"));
  for (const name of KEPT)
    cpSync(join(ROOT, name), join(root, name), {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules",
    });
  linkPackages(root);
  // npm itself writes its record of what is there, as it does at the end of `npm ci --omit=dev`.
  const args = [
    "prune",
    "--omit=dev",
    "--offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  execFileSync("npm", args, {
    cwd: root,
    stdio: "pipe",
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
  });
  setFolderModes(root, 0o555);
  return {
    root,
    listing: () => pathsBelow(root).map((path) => `${path} ${lstatSync(join(root, path)).mtimeMs}`),
    [Symbol.dispose]() {
      setFolderModes(root, 0o755);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
