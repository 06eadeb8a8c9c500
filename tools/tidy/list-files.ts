/**
 * Lists the project's own files: what git tracks or would track, or without git everything but
 * installed and made files.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";

/** Folders that are made or installed, and in no listing. */
export const MADE: ReadonlySet<string> = new Set([
  "node_modules",
  ".git",
  "data",
  "coverage",
  "dist",
]);

/** Paths from the root, with slashes, sorted. */
export function listFiles(root: string): string[] {
  return (listWithGit(root) ?? listWithoutGit(root))
    .filter((path) => isFile(join(root, path)))
    .toSorted();
}

function listWithGit(root: string): string[] | null {
  if (!existsSync(join(root, ".git"))) return null;
  try {
    const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    return execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 << 20,
    })
      .split("\0")
      .filter((path) => path !== "");
  } catch {
    // No git here, or a checkout that belongs to another user: the folder itself still tells.
    return null;
  }
}

function listWithoutGit(root: string): string[] {
  const found = globSync("**", {
    cwd: root,
    exclude: (path) => MADE.has(path.split("/").at(-1) ?? ""),
  });
  return found.map((path) => path.replaceAll("\\", "/"));
}

/** False also for a tracked file that was deleted a moment ago. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
