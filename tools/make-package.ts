/**
 * `npm run package`: writes the package into dist/package, and packs it by npm as
 * dist/tollgate-VERSION.tgz. Nothing is published.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { writePackage } from "./package/write-package.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = join(ROOT, "dist", "package");

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

writePackage(ROOT, FOLDER);
const args = [
  "pack",
  FOLDER,
  "--pack-destination",
  join(ROOT, "dist"),
  "--ignore-scripts",
  "--json",
];
const [packed] = JSON.parse(execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" })) as Packed[];
if (packed === undefined) throw new Error("npm packed nothing");
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(
  `dist/${packed.filename}: ${packed.entryCount} files, ${megabytes(packed.size)}, unpacked ${megabytes(packed.unpackedSize)}`,
);
