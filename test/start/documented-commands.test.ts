/**
 * Protects: an operator who looks a command or a setting up finds each one that there is, with all
 * of its arguments, and none that is not.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { commandHelp } from "../../src/cli/help-text.ts";
import { describeConfig, readConfig } from "../../src/config/config.ts";

const DOCS = join(import.meta.dirname, "../../docs");

/** What stands between backticks in the first cell of each row. */
function firstCells(page: string): string[] {
  const rows = readFileSync(join(DOCS, page), "utf8").matchAll(/^\| (`[^|]+`) \|/gm);
  return [...rows].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

for (const page of ["commands.md", "commands.ru.md"])
  test(`docs/${page} has each command with its arguments as the help has them`, () => {
    const usages = COMMANDS.map((command) =>
      commandHelp(command).split("\n", 1)[0]?.replace("usage: tollgate ", ""),
    );
    assert.deepEqual(firstCells(page), usages);
  });

for (const page of ["configuration.md", "configuration.ru.md"])
  test(`docs/${page} has each setting that the gateway reads`, () => {
    const reading = readConfig({}, "/", "/");
    assert.ok(reading.ok);
    assert.deepEqual(
      firstCells(page).toSorted(),
      Object.keys(describeConfig(reading.config)).toSorted(),
    );
  });
