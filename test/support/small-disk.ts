/** A small file system of a test's own, which can be full. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export interface SmallDisk {
  readonly path: string;
  /** Takes all the room that is left. */
  fill(): void;
  makeRoom(): void;
}

/** Null, and the test is skipped, where this user may not mount one. */
export function openSmallDisk(t: TestContext, sizeMegabytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMegabytes}m`, "tmpfs", path], {
      stdio: "pipe",
    });
  } catch {
    rmSync(path, { recursive: true });
    t.skip("a small file system can only be mounted as root");
    return null;
  }
  // Not `t.after`: those run in the order in which they were asked for, and what works on this disk
  // is ended by later ones.
  process.once("exit", () => {
    execFileSync("umount", ["-l", path]);
    rmSync(path, { recursive: true });
  });
  const filler = join(path, "filler");
  return {
    path,
    fill() {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    makeRoom: () => rmSync(filler, { force: true }),
  };
}
