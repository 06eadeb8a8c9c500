/**
 * Protects: what a killed run has left is removed by the next one, and what a running one uses is
 * not.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeRunFolder } from "./run-folder.ts";

test("the folder of a run that is gone goes, that of a living one stays", () => {
  const gone = join(tmpdir(), `tg-bench-${spawnSync("true").pid}-left`);
  const living = join(tmpdir(), `tg-bench-${process.pid}-used`);
  for (const folder of [gone, living]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file"), "");
  }
  const made = makeRunFolder();
  assert.ok(!existsSync(gone));
  assert.ok(existsSync(join(living, "file")));
  assert.ok(existsSync(made));
  for (const folder of [made, living]) rmSync(folder, { recursive: true });
});
