/** The stored catalogue versions (schema `catalogue`): append-only, the newest one is in force. */
import { hash } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";

export interface StoredVersion extends VersionHead {
  /** As it was written, `${NAME}` unreplaced. */
  readonly source: string;
}

export interface VersionHead {
  readonly version: number;
  /** SHA-256 of the source, hex. */
  readonly digest: string;
  readonly origin: "file" | "apply";
  readonly appliedBy: string;
  readonly appliedAt: Date;
  /** What the operator who applied it had to say. */
  readonly note: string | null;
}

export interface NewVersion {
  readonly source: string;
  readonly origin: StoredVersion["origin"];
  /** Who put it in force, for the record: a command, a start, a member. */
  readonly appliedBy: string;
  readonly note?: string | null;
}

/** Heard by every process; the payload is the version. */
export const CATALOGUE_CHANNEL = "tollgate_catalogue";

const HEAD = `version, digest, origin, applied_by AS "appliedBy", applied_at AS "appliedAt", note`;
const COLUMNS = `${HEAD}, source`;

export function digestOf(source: string): string {
  return hash("sha256", source, "hex");
}

const VERSION_ROW = {
  version: sql.int4,
  digest: sql.text,
  origin: sql.oneOf(["file", "apply"]),
  appliedBy: sql.text,
  appliedAt: sql.timestamptz,
  note: sql.nullable(sql.text),
  source: sql.text,
};

const NEWEST_VERSION = statement({
  text: `SELECT ${COLUMNS} FROM catalogue.versions WHERE version > $1 ORDER BY version DESC LIMIT 1`,
  parameters: [sql.int4],
  row: VERSION_ROW,
});

/** The newest version above the given one; with 0, the version in force. */
export async function newestVersion(q: Queryable, above = 0): Promise<StoredVersion | null> {
  const rows = await q.run(NEWEST_VERSION, [above]);
  return rows[0] ?? null;
}

const FIND_VERSION = statement({
  text: `SELECT ${COLUMNS} FROM catalogue.versions WHERE version = $1`,
  parameters: [sql.int4],
  row: VERSION_ROW,
});

export async function findVersion(q: Queryable, version: number): Promise<StoredVersion | null> {
  const rows = await q.run(FIND_VERSION, [version]);
  return rows[0] ?? null;
}

const LIST_VERSIONS = statement({
  text: `SELECT ${HEAD} FROM catalogue.versions WHERE $1::integer IS NULL OR version < $1 ORDER BY version DESC LIMIT $2`,
  parameters: [sql.nullable(sql.int4), sql.whole],
  row: {
    version: sql.int4,
    digest: sql.text,
    origin: sql.oneOf(["file", "apply"]),
    appliedBy: sql.text,
    appliedAt: sql.timestamptz,
    note: sql.nullable(sql.text),
  },
});

/** Newest first, without their sources; `below`: the last one of the page before. */
export async function listVersions(
  q: Queryable,
  page: { readonly below: number | null; readonly limit: number },
): Promise<VersionHead[]> {
  return q.run(LIST_VERSIONS, [page.below, page.limit]);
}

export interface Naming {
  readonly text: string;
  readonly version: number;
  readonly appliedAt: Date;
  readonly source: string;
}

const FIRST_VERSIONS_NAMING = statement({
  text: `SELECT wanted.text, found.version, found.applied_at AS "appliedAt", found.source
       FROM unnest($1::text[], $2::integer[]) AS wanted (text, above)
      CROSS JOIN LATERAL (
        SELECT version, applied_at, source FROM catalogue.versions
         WHERE version > wanted.above AND strpos(source, wanted.text) > 0 ORDER BY version LIMIT 1) AS found`,
  parameters: [sql.array(sql.text), sql.array(sql.int4)],
  row: { text: sql.text, version: sql.int4, appliedAt: sql.timestamptz, source: sql.text },
});

/**
 * For each text the first version above the given one whose source has it anywhere; what none has
 * is not in the answer.
 */
export async function firstVersionsNaming(
  q: Queryable,
  texts: ReadonlyMap<string, number>,
): Promise<Naming[]> {
  return q.run(FIRST_VERSIONS_NAMING, [[...texts.keys()], [...texts.values()]]);
}

const NEWEST_FROM_FILE = statement({
  text: `SELECT ${COLUMNS} FROM catalogue.versions WHERE origin = 'file' ORDER BY version DESC LIMIT 1`,
  row: VERSION_ROW,
});

/** The last version that came from the CATALOGUE file. */
export async function newestFromFile(q: Queryable): Promise<StoredVersion | null> {
  const rows = await q.run(NEWEST_FROM_FILE, []);
  return rows[0] ?? null;
}

const LOCK_VERSIONS = statement({
  text: "SELECT pg_advisory_xact_lock(hashtext('tollgate catalogue versions'))",
  row: { pg_advisory_xact_lock: sql.void },
});

/**
 * Makes writers wait for each other until the transaction ends, so that a comparison with the
 * newest version stays true. Readers go on.
 */
export async function lockVersions(tx: Queryable): Promise<void> {
  // An advisory lock: the table's own locks would need privileges that an append-only table does
  // not grant.
  await tx.run(LOCK_VERSIONS, []);
}

const TELL = statement({
  text: "SELECT pg_notify($1, $2)",
  parameters: [sql.text, sql.text],
  row: { pg_notify: sql.void },
});

const APPEND_VERSION = statement({
  text: `INSERT INTO catalogue.versions (version, source, digest, origin, applied_by, note)
     SELECT coalesce(max(version), 0) + 1, $1, $2, $3, $4, $5 FROM catalogue.versions
     RETURNING ${COLUMNS}`,
  parameters: [sql.text, sql.text, sql.text, sql.text, sql.nullable(sql.text)],
  row: VERSION_ROW,
});

/** Stores the next version, in force when the transaction commits; every process is told then. */
export async function appendVersion(tx: Queryable, entry: NewVersion): Promise<StoredVersion> {
  await lockVersions(tx);
  const rows = await tx.run(APPEND_VERSION, [
    entry.source,
    digestOf(entry.source),
    entry.origin,
    entry.appliedBy,
    entry.note ?? null,
  ]);
  const stored = rows[0];
  if (stored === undefined) throw new Error("the insert returned no version");
  await tx.run(TELL, [CATALOGUE_CHANNEL, String(stored.version)]);
  return stored;
}
