/**
 * The package.json of the package, and the exact versions of all that it brings along, made from
 * those of the project: what only development needs is left out, what its own packages need is its
 * own.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Versions = Readonly<Record<string, string>>;

interface ProjectManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Versions;
  readonly imports: Versions;
  readonly bin: Versions;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
}

export interface PackageManifest extends Required<ProjectManifest> {
  readonly type: "module";
  readonly files: readonly string[];
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

function readJson(root: string, path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/** `files`: what the package has, by the first part of each path. */
export function packageManifest(root: string, files: readonly string[]): PackageManifest {
  const own = readJson(root, "package.json") as ProjectManifest;
  const parts = globSync("packages/*/package.json", { cwd: root })
    .toSorted()
    .map((path) => readJson(root, path) as ProjectManifest);
  const { name, version, description, license, engines, imports, bin } = own;
  return {
    name,
    version,
    type: "module",
    description,
    license,
    engines,
    imports,
    bin,
    files,
    dependencies: together([own, ...parts].map(({ dependencies }) => dependencies)),
    optionalDependencies: together(
      [own, ...parts].map(({ optionalDependencies }) => optionalDependencies),
    ),
  };
}

function together(all: readonly (Versions | undefined)[]): Versions {
  const found = new Map<string, string>();
  for (const [name, version] of all.flatMap((versions) => Object.entries(versions ?? {}))) {
    const other = found.get(name);
    if (other !== undefined && other !== version)
      throw new Error(`${name} is wanted as ${other} and as ${version}; choose one`);
    found.set(name, version);
  }
  return Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * As npm-shrinkwrap.json, which npm keeps to where the package is installed: every package comes in
 * the version, and with the digest, that the tests ran on.
 */
export function packageLock(root: string, manifest: PackageManifest): object {
  const { lockfileVersion, packages } = readJson(root, "package-lock.json") as Lock;
  const kept = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.includes("node_modules/") && dev !== true && link !== true,
  );
  const astray = kept.find(([path]) => !path.startsWith("node_modules/"));
  if (astray !== undefined)
    throw new Error(`${astray[0]} has no place in the package; give all the same version of it`);
  const { name, version, license, engines, bin, dependencies, optionalDependencies } = manifest;
  return {
    name,
    version,
    lockfileVersion,
    requires: true,
    packages: {
      "": { name, version, license, dependencies, bin, engines, optionalDependencies },
      ...Object.fromEntries(kept.map(([path, entry]) => [path, forUsers(entry)])),
    },
  };
}

/** What development and an option both bring is the option's alone here. */
function forUsers({ devOptional, ...entry }: LockedPackage): object {
  return devOptional === true ? { ...entry, optional: true } : entry;
}
