/**
 * Reads the numbered migration files of a folder, each with the checksum that pins it once applied.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isVersion } from "./version-number.ts";

export interface Migration {
  /** The file's number; files run in its order. */
  readonly number: number;
  /** The file's name, e.g. `0001_baseline.sql`. */
  readonly name: string;
  readonly sql: string;
  /**
   * SHA-256 of the text with Unix line ends, hex: a checkout on another system is the same
   * migration.
   */
  readonly checksum: string;
  /**
   * Of the program: older ones neither run on while it is applied nor start after it. Null: it says
   * nothing, and no program that does not have the file starts.
   */
  readonly oldestVersion: string | null;
}

/** What the migrations come to; lies beside them to be read. */
const SUMMARY = "schema.sql";
const FILE_NAME = /^(\d{4})_[a-z0-9_-]+\.sql$/;
const OLDEST_VERSION = /^-- Oldest version that may run beside it: *(.*)$/m;

/**
 * The folder's migrations in order. Throws on a file name without a number, on a number used twice
 * and on an oldest version that is none.
 */
export function readMigrations(directory: string): Migration[] {
  const migrations: Migration[] = [];
  for (const name of readdirSync(directory).toSorted()) {
    if (!name.endsWith(".sql") || name === SUMMARY) continue;
    const number = FILE_NAME.exec(name)?.[1];
    if (number === undefined)
      throw new Error(`Migration ${name} is not named like 0001_what-it-does.sql; rename it.`);
    const sql = readFileSync(join(directory, name), "utf8").replaceAll("\r\n", "\n");
    const previous = migrations.at(-1);
    if (previous?.number === Number(number))
      throw new Error(
        `Migrations ${previous.name} and ${name} have the same number; give one the next free number.`,
      );
    migrations.push({
      number: Number(number),
      name,
      sql,
      checksum: createHash("sha256").update(sql).digest("hex"),
      oldestVersion: oldestVersionIn(name, sql),
    });
  }
  return migrations;
}

function oldestVersionIn(name: string, text: string): string | null {
  const version = OLDEST_VERSION.exec(text)?.[1]?.trim();
  if (version === undefined) return null;
  if (!isVersion(version))
    throw new Error(
      `Migration ${name} names "${version}" as the oldest version that may run beside it; write one like 0.2.0.`,
    );
  return version;
}
