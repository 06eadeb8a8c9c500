/**
 * Protects an installation: a package whose bytes are not those of the lock file is refused, and
 * each package of ours has its digest there (hazards §211).
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly integrity?: string; readonly link?: boolean }>
  >;
}

const LOCK = join(import.meta.dirname, "../../package-lock.json");

test("each package that is installed from elsewhere has a SHA-512 in the lock", () => {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8")) as Lock;
  const foreign = Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  assert.ok(foreign.length > 100);
  for (const [path, { integrity }] of foreign) assert.match(integrity ?? "", /^sha512-/, path);
});

test("npm ci takes a package as it was locked, and refuses it with one byte more", () => {
  const folder = mkdtempSync(join(tmpdir(), "tampered-"));
  try {
    const npm = (...args: string[]) =>
      spawnSync("npm", [...args, "--offline", "--no-audit", "--no-fund", "--cache", "cache"], {
        cwd: folder,
        encoding: "utf8",
      });
    const pack = (): void => {
      execFileSync("tar", ["-czf", "thing.tgz", "package"], { cwd: folder });
    };
    mkdirSync(join(folder, "package"));
    const manifest = (name: string, more: object = {}): string =>
      JSON.stringify({ name, version: "1.0.0", ...more });
    writeFileSync(join(folder, "package/package.json"), manifest("thing"));
    writeFileSync(join(folder, "package/index.js"), "module.exports = 1;\n");
    pack();
    const dependencies = { thing: "file:thing.tgz" };
    writeFileSync(join(folder, "package.json"), manifest("user", { dependencies }));
    assert.equal(npm("install", "--package-lock-only").status, 0);
    const locked = npm("ci");
    assert.equal(locked.status, 0, locked.stderr);
    writeFileSync(join(folder, "package/index.js"), "module.exports = 1; \n");
    pack();
    rmSync(join(folder, "cache"), { recursive: true, force: true });
    const refused = npm("ci");
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /EINTEGRITY/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
