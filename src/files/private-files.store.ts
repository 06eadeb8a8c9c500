/** The rows of private files: found, listed and ended by their account alone, by their id. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { FILE_PURPOSES, type FilePurpose } from "./file-record.ts";

export interface PrivateFile {
  readonly fileId: Uuid;
  readonly accountId: Uuid;
  /** Under which its bytes lie in the storage. */
  readonly name: string;
  readonly fileName: string;
  readonly purpose: FilePurpose;
  readonly bytes: number;
  readonly storedAt: Date;
  readonly expiresAt: Date;
}

const COLUMNS = `file_id AS "fileId", account_id AS "accountId", name, file_name AS "fileName", purpose, bytes, stored_at AS "storedAt",
  expires_at AS "expiresAt"`;

const ROW = {
  fileId: sql.uuid,
  accountId: sql.uuid,
  name: sql.text,
  fileName: sql.text,
  purpose: sql.present(sql.oneOf(FILE_PURPOSES)),
  bytes: sql.present(sql.int8),
  storedAt: sql.present(sql.timestamptz),
  expiresAt: sql.present(sql.timestamptz),
};

const FIND = statement({
  text: `SELECT ${COLUMNS} FROM files.files
     WHERE account_id = $1 AND file_id = $2 AND state = 'stored' AND purpose IS NOT NULL AND expires_at > clock_timestamp()`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** Null: the account has no such file, or it is over. */
export async function findPrivateFile(
  q: Queryable,
  accountId: Uuid,
  fileId: Uuid,
): Promise<PrivateFile | null> {
  const [row] = await q.run(FIND, [accountId, fileId]);
  return row === undefined ? null : { ...row, bytes: Number(row.bytes) };
}

const LIST = statement({
  text: `SELECT ${COLUMNS} FROM files.files
     WHERE account_id = $1 AND state = 'stored' AND purpose = ANY ($2::text[]) AND ($3::uuid IS NULL OR file_id < $3) AND expires_at > clock_timestamp()
     ORDER BY file_id DESC LIMIT $4`,
  parameters: [sql.uuid, sql.array(sql.oneOf(FILE_PURPOSES)), sql.nullable(sql.uuid), sql.whole],
  row: ROW,
});

/** Newest first. */
export async function listPrivateFiles(
  q: Queryable,
  page: {
    readonly accountId: Uuid;
    readonly purposes: readonly FilePurpose[];
    /** The last one of the page before. */
    readonly before: Uuid | null;
    readonly limit: number;
  },
): Promise<PrivateFile[]> {
  const { accountId, purposes, before, limit } = page;
  const rows = await q.run(LIST, [accountId, purposes, before, limit]);
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

const DELETE = statement({
  text: `
  WITH ended AS (
    UPDATE files.files SET state = 'deleted', ended_at = clock_timestamp()
    WHERE account_id = $1 AND file_id = $2 AND state = 'stored' AND purpose IS NOT NULL RETURNING name, bytes),
  freed AS (
    UPDATE files.usage u SET bytes = u.bytes - ended.bytes, files = u.files - 1 FROM ended WHERE u.account_id = $1),
  removal AS (
    INSERT INTO files.removals (name) SELECT name FROM ended)
  SELECT name FROM ended`,
  parameters: [sql.uuid, sql.uuid],
  row: { name: sql.text },
});

/**
 * Ends a private file and leaves its bytes to be removed, under the name that is returned. Null:
 * there is none.
 */
export async function markPrivateDeleted(
  tx: Queryable,
  accountId: Uuid,
  fileId: Uuid,
): Promise<string | null> {
  const [row] = await tx.run(DELETE, [accountId, fileId]);
  return row?.name ?? null;
}

const KEEP = statement({
  text: `UPDATE files.files SET expires_at = greatest(expires_at, clock_timestamp() + $3 * interval '1 second')
     WHERE account_id = $1 AND file_id = $2 AND state = 'stored'`,
  parameters: [sql.uuid, sql.uuid, sql.float8],
});

/** What is read for so long lives so long. */
export async function keepFileFor(
  q: Queryable,
  accountId: Uuid,
  fileId: Uuid,
  seconds: number,
): Promise<void> {
  await q.run(KEEP, [accountId, fileId, seconds]);
}
