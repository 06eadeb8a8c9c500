/**
 * Protects: the load generator's percentiles are those of what it measured, to 0.1 %, from
 * microseconds to minutes.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compileNative, NoCompiler } from "./compile-native.ts";
import type { Times } from "./load.ts";

const PROGRAM = `
#include <stdlib.h>
#include "histogram.h"
int main(void) {
  static struct histogram h;
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) histogram_add(&h, atoll(line));
  printf("{");
  histogram_print("times", &h);
  printf("}");
}`;

function hasCompiler(): boolean {
  try {
    compileNative();
    return true;
  } catch (error) {
    if (error instanceof NoCompiler) return false;
    throw error;
  }
}

/** Spread evenly over the orders of magnitude, the same each time. */
function someTimes(count: number): number[] {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor(10 ** ((state / 2_147_483_647) * 8));
  });
}

test(
  "percentiles of the histogram are those of the values",
  { skip: hasCompiler() ? false : "there is no C compiler here" },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "histogram-"));
    try {
      writeFileSync(join(folder, "check.c"), PROGRAM);
      execFileSync("cc", [
        "-O1",
        "-I",
        import.meta.dirname,
        "-o",
        join(folder, "check"),
        join(folder, "check.c"),
      ]);
      for (const values of [
        [7],
        [0, 127, 2047, 2048, 2049, 4095, 4096],
        someTimes(10_000),
        [...someTimes(99), 3_600_000_000],
      ]) {
        const { times } = JSON.parse(
          execFileSync(join(folder, "check"), { input: values.join("\n"), encoding: "utf8" }),
        ) as { times: Times };
        const sorted = values.toSorted((a, b) => a - b);
        const exact = (share: number): number =>
          sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
        const near = (found: number, share: number): void => {
          const wanted = exact(share);
          assert.ok(
            Math.abs(found - wanted) <= wanted * 0.001,
            `${found} for ${wanted} at ${share} of ${values.length}`,
          );
        };
        near(times.p50, 0.5);
        near(times.p90, 0.9);
        near(times.p99, 0.99);
        assert.equal(times.count, values.length);
        assert.equal(times.max, Math.max(...values));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
