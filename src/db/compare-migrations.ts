/**
 * Holds the files of this program against what a database says was applied to it: what is still to
 * do, what a newer version did, and which databases are no business of this program.
 */
import type { Queryable } from "./database.ts";
import { readMigrations, type Migration } from "./read-migrations.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";
import { versionNumber } from "./version-number.ts";

interface AppliedRow {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  /** Null also where it was applied before there was such a thing. */
  readonly oldestVersion: string | null;
}

// By the row as a document: a table that an earlier version made has no such column.
export const APPLIED = statement({
  text: `SELECT number, name, checksum, to_jsonb(a) ->> 'oldest_version' AS "oldestVersion"
    FROM migrations.applied a ORDER BY number`,
  row: {
    number: sql.int4,
    name: sql.text,
    checksum: sql.text,
    oldestVersion: sql.nullable(sql.text),
  },
});

export interface Comparison {
  /** Still to be applied, in order. */
  readonly missing: readonly Migration[];
  /** Names of those that a newer version applied, which let this one run beside them. */
  readonly ahead: readonly string[];
}

/**
 * An Error when the database and the files tell different stories, or when it was brought to where
 * a program of this version may not run.
 */
export function compareMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedRow[],
  version: string,
): Comparison {
  refuseOtherEdition(migrations, applied);
  const newest = applied.at(-1);
  const newestKnown = migrations.at(-1)?.number ?? 0;
  const known = new Map(migrations.map((migration) => [migration.number, migration]));
  const ahead = applied.filter((row) => row.number > newestKnown);
  refuseTooNew(ahead, version);
  for (const row of applied) {
    if (row.number > newestKnown) continue;
    const migration = known.get(row.number);
    if (migration === undefined)
      throw new Error(
        `Migration ${row.name} was applied to this database, but its file is gone. Restore the file.`,
      );
    if (migration.checksum !== row.checksum)
      throw new Error(
        `Migration ${migration.name} was edited after it was applied to this database. Restore it and put the change in a new file.`,
      );
  }
  const missing = migrations.filter(
    (migration) => !applied.some((row) => row.number === migration.number),
  );
  const late = missing.find(
    (migration) => newest !== undefined && migration.number < newest.number,
  );
  if (late !== undefined && newest !== undefined) {
    throw new Error(
      `Migration ${late.name} is numbered below ${newest.name}, which is already applied. Give it the next free number.`,
    );
  }
  return { missing, ahead: ahead.map(({ name }) => name) };
}

/** The one that asks for the newest version is named: that one is enough for all of them. */
function refuseTooNew(ahead: readonly AppliedRow[], version: string): void {
  const silent = ahead.find((row) => row.oldestVersion === null);
  if (silent !== undefined)
    throw new Error(
      `This database is newer than this code: it has migration ${silent.name}, which is not here. Run the newer version, or restore a backup from before the upgrade.`,
    );
  let needed = { name: "", oldestVersion: version };
  for (const { name, oldestVersion } of ahead)
    if (oldestVersion !== null && isOlder(needed.oldestVersion, oldestVersion))
      needed = { name, oldestVersion };
  if (needed.name !== "")
    throw new Error(
      `This database is newer than this code: beside its migration ${needed.name} no version older than ${needed.oldestVersion} may run, and this is ${version}. Run ${needed.oldestVersion} or newer, or restore a backup from before the upgrade.`,
    );
}

function isOlder(version: string, other: string): boolean {
  return versionNumber(version) < versionNumber(other);
}

/**
 * A database that begins with another first file was made by an edition whose files were written
 * anew since: they say nothing of what would have to change in it.
 */
function refuseOtherEdition(
  migrations: readonly Migration[],
  applied: readonly AppliedRow[],
): void {
  const [first] = migrations;
  const [begun] = applied;
  if (begun === undefined || begun.number !== first?.number || begun.name === first.name) return;
  const newest = applied.at(-1) ?? begun;
  throw new Error(
    `This database was made by an earlier edition of this code: it begins with migration ${begun.name} and ends with ${newest.name}, but migrations begin with ${first.name} now, and tables of that edition are not taken over. Nothing in it was changed: go on with the version that made it, or give this one an empty database.`,
  );
}

const HAS_APPLIED = statement({
  text: "SELECT to_regclass('migrations.applied') IS NOT NULL AS there",
  row: { there: sql.bool },
});

/**
 * What `migrate` would find, of which it applies nothing. Throws what `migrate` would throw of
 * files and database.
 */
export async function lookAtMigrations(
  q: Queryable,
  options: { readonly directory: string; readonly version: string },
): Promise<Comparison> {
  const migrations = readMigrations(options.directory);
  const [found] = await q.run(HAS_APPLIED, []);
  const applied = found?.there === true ? await q.run(APPLIED, []) : [];
  return compareMigrations(migrations, applied, options.version);
}
