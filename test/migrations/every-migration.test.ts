/** Guarantee: no migration goes out whose effect on rows that are there was not tested. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readMigrations } from "../../src/db/read-migrations.ts";

/** What a database begins with: there are no rows before it. */
const BASELINE = ["0001_baseline.sql", "0002_ledger_functions.sql"];
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
