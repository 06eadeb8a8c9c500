/**
 * Guarantee: no migration goes out whose effect on rows that are there was not tested, or that does
 * not say which versions may run beside it.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readMigrations } from "../../src/db/read-migrations.ts";
import { versionNumber } from "../../src/db/version-number.ts";
import { VERSION } from "../../src/process/project-root.ts";

/** What a database begins with: there are no rows before it. */
const BASELINE = ["0001_baseline.sql", "0002_ledger_functions.sql"];
/** They were applied before there was such a line, and an applied one never changes. */
const LAST_WITHOUT_VERSION = 14;
const MIGRATIONS = join(import.meta.dirname, "../../migrations");

test("each migration after the baseline has a test in test/migrations, by its number", () => {
  const tests = readdirSync(import.meta.dirname);
  const untested = readMigrations(MIGRATIONS)
    .map(({ name }) => name)
    .filter((name) => !BASELINE.includes(name))
    .filter(
      (name) =>
        !tests.some((file) => file.startsWith(name.slice(0, 4)) && file.endsWith(".test.ts")),
    );
  assert.deepEqual(untested, []);
});

test("each later migration names the oldest version that may run beside it, which is not above ours", () => {
  const wrong = readMigrations(MIGRATIONS)
    .filter(({ number }) => number > LAST_WITHOUT_VERSION)
    .filter(
      ({ oldestVersion }) =>
        oldestVersion === null || versionNumber(oldestVersion) > versionNumber(VERSION),
    )
    .map(({ name }) => name);
  assert.deepEqual(wrong, []);
});
