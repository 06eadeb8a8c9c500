/** The stored catalogue versions (schema `catalogue`): append-only, the newest one is in force. */
import { hash } from "node:crypto";
import type { Queryable } from "../db/database.ts";

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

/** The newest version above the given one; with 0, the version in force. */
export async function newestVersion(q: Queryable, above = 0): Promise<StoredVersion | null> {
  const rows = await q.query<StoredVersion>(
    `SELECT ${COLUMNS} FROM catalogue.versions WHERE version > $1 ORDER BY version DESC LIMIT 1`,
    [above],
  );
  return rows[0] ?? null;
}

export async function findVersion(q: Queryable, version: number): Promise<StoredVersion | null> {
  const rows = await q.query<StoredVersion>(
    `SELECT ${COLUMNS} FROM catalogue.versions WHERE version = $1`,
    [version],
  );
  return rows[0] ?? null;
}

/** Newest first, without their sources; `below`: the last one of the page before. */
export async function listVersions(
  q: Queryable,
  page: { readonly below: number | null; readonly limit: number },
): Promise<VersionHead[]> {
  return q.query<VersionHead>(
    `SELECT ${HEAD} FROM catalogue.versions WHERE $1::integer IS NULL OR version < $1 ORDER BY version DESC LIMIT $2`,
    [page.below, page.limit],
  );
}

export interface Naming {
  readonly text: string;
  readonly version: number;
  readonly appliedAt: Date;
  readonly source: string;
}

/**
 * For each text the first version above the given one whose source has it anywhere; what none has
 * is not in the answer.
 */
export async function firstVersionsNaming(
  q: Queryable,
  texts: ReadonlyMap<string, number>,
): Promise<Naming[]> {
  return q.query<Naming>(
    `SELECT wanted.text, found.version, found.applied_at AS "appliedAt", found.source
       FROM unnest($1::text[], $2::integer[]) AS wanted (text, above)
      CROSS JOIN LATERAL (
        SELECT version, applied_at, source FROM catalogue.versions
         WHERE version > wanted.above AND strpos(source, wanted.text) > 0 ORDER BY version LIMIT 1) AS found`,
    [[...texts.keys()], [...texts.values()]],
  );
}

/** The last version that came from the CATALOGUE file. */
export async function newestFromFile(q: Queryable): Promise<StoredVersion | null> {
  const rows = await q.query<StoredVersion>(
    `SELECT ${COLUMNS} FROM catalogue.versions WHERE origin = 'file' ORDER BY version DESC LIMIT 1`,
  );
  return rows[0] ?? null;
}

/**
 * Makes writers wait for each other until the transaction ends, so that a comparison with the
 * newest version stays true. Readers go on.
 */
export async function lockVersions(tx: Queryable): Promise<void> {
  // An advisory lock: the table's own locks would need privileges that an append-only table does
  // not grant.
  await tx.query("SELECT pg_advisory_xact_lock(hashtext('tollgate catalogue versions'))");
}

/** Stores the next version, in force when the transaction commits; every process is told then. */
export async function appendVersion(tx: Queryable, entry: NewVersion): Promise<StoredVersion> {
  await lockVersions(tx);
  const rows = await tx.query<StoredVersion>(
    `INSERT INTO catalogue.versions (version, source, digest, origin, applied_by, note)
     SELECT coalesce(max(version), 0) + 1, $1, $2, $3, $4, $5 FROM catalogue.versions
     RETURNING ${COLUMNS}`,
    [entry.source, digestOf(entry.source), entry.origin, entry.appliedBy, entry.note ?? null],
  );
  const stored = rows[0];
  if (stored === undefined) throw new Error("the insert returned no version");
  await tx.query("SELECT pg_notify($1, $2)", [CATALOGUE_CHANNEL, String(stored.version)]);
  return stored;
}
