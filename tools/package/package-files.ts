/** Which files of the project the package has, and how each comes there. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { listFiles } from "../tidy/list-files.ts";

export interface PackageFile {
  /** In the package, with slashes. */
  readonly path: string;
  /** In the project. */
  readonly from: string;
  /**
   * `plain`: a module whose types are taken out, so that it runs from node_modules. `built`: the
   * panel's bundler made it of panel/src.
   */
  readonly how: "copied" | "plain" | "built";
}

const TYPED = /^(?:src|sandbox|packages\/[^/]+\/src)\/.+\.ts$/;
const TEST = /\.test\.ts$/;
/**
 * The command and what starts it: JavaScript already, but it names modules that are called
 * otherwise. `launch.mjs` is for the scripts of the project, and the package has none; what a
 * bundle is made by, and of, needs development packages.
 */
const LAUNCHER = /^(?:bin\/[^/]+|tools\/(?!launch\.|make-|name-)[^/]+)\.mjs$/;
const COPIED: readonly RegExp[] = [
  /^migrations\/\d{4}_[a-z0-9_-]+\.sql$/,
  /^catalogue(?:\.schema\.json|\.yaml)$/,
  /^\.env\.example$/,
  /^(?:README(?:\.ru)?|CHANGELOG|SECURITY)\.md$/,
  // Why it is as it is, is for those who change it.
  /^docs\/(?!decisions\/)/,
  // What stands around a gateway. The image is built of the package, not in it; a test of the alerts is a test.
  /^ops\/(?!image\/)(?:[\w-]+\/)*[\w-]+\.(?!test\.)[\w.]+$/,
  // The public pages have the panel's colours.
  /^panel\/src\/styles\/tokens\.css$/,
];
const BUILT = "panel/dist";
/** Says to the launcher of which sources the panel was built; there are none in the package. */
const STAMP = `${BUILT}/stamp.json`;

/** Sorted by path. The panel has to be built. */
export function packageFiles(root: string): PackageFile[] {
  return [...ownFiles(root), ...builtFiles(root)].toSorted((one, other) =>
    one.path < other.path ? -1 : 1,
  );
}

function ownFiles(root: string): PackageFile[] {
  return listFiles(root).flatMap((from): PackageFile[] => {
    if (TEST.test(from)) return [];
    if (TYPED.test(from)) return [{ path: plainName(from), from, how: "plain" }];
    if (LAUNCHER.test(from)) return [{ path: from, from, how: "plain" }];
    return COPIED.some((pattern) => pattern.test(from))
      ? [{ path: from, from, how: "copied" }]
      : [];
  });
}

/** What a module is called when its types are gone: as long as before, so that no column moves. */
export function plainName(path: string): string {
  return path.replace(/\.ts$/, ".js");
}

function builtFiles(root: string): PackageFile[] {
  return readdirSync(join(root, BUILT), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path !== STAMP)
    .map((path) => ({ path, from: path, how: "built" as const }));
}
