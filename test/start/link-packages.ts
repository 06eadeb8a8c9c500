/** Our own installed packages by another name: those that serving needs, without the network. */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

interface Entry {
  readonly dev?: boolean;
  readonly link?: boolean;
}

/**
 * A package without those inside it, which have entries of their own. Links are left out: install
 * scripts make them, and none ran here.
 */
function takePackage(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.isSymbolicLink()) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) takePackage(source, target);
    else takeFile(source, target);
  }
}

function takeFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target); // another file system
  }
}

/** Into `folder`/node_modules, as npm lays them out without development packages. */
export function linkPackages(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, Entry>;
  };
  for (const [path, { dev, link }] of Object.entries(packages)) {
    const isInstalled =
      path.startsWith("node_modules/") && link !== true && existsSync(join(ROOT, path));
    if (isInstalled && dev !== true) takePackage(join(ROOT, path), join(folder, path));
  }
}
