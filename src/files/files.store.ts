/**
 * The rows of files (schema `files`): received, stored, found, listed, given up. The storage itself
 * is another room's business.
 */
import { FILE_ORIGINS } from "../contract/enums/file-origin.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { isFileName } from "./file-name.ts";
import { FILE_PURPOSES } from "./file-record.ts";
import type {
  FileFinding,
  FileRecord,
  NewFile,
  ReceivedBytes,
  StoreVerdict,
} from "./file-record.ts";

const COLUMNS = `file_id AS "fileId", name, account_id AS "accountId", key_id AS "keyId", origin, file_name AS "fileName",
  content_type AS "contentType", inline, bytes, encode(sha256, 'hex') AS sha256, verdict, stored_at AS "storedAt", expires_at AS "expiresAt"`;

type FileColumns = Omit<FileRecord, "bytes"> & { readonly bytes: bigint };

function readFile(row: FileColumns): FileRecord {
  return { ...row, bytes: Number(row.bytes) };
}

const INSERT_RECEIVING = statement({
  text: `WITH named AS (INSERT INTO directory.files (file_id, name, account_id) VALUES ($1, $2, $3))
     INSERT INTO files.files (file_id, name, account_id, key_id, origin, owner_id, file_name, content_type, inline, purpose)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false, $9)`,
  parameters: [
    sql.uuid,
    sql.text,
    sql.uuid,
    sql.nullable(sql.uuid),
    sql.enumOf("files.origin", FILE_ORIGINS),
    sql.uuid,
    sql.text,
    sql.text,
    sql.nullable(sql.oneOf(FILE_PURPOSES)),
  ],
});

/** To be committed before the first byte of it is stored: from then on a sweeper knows of it. */
export async function insertReceiving(q: Queryable, file: NewFile): Promise<void> {
  const { fileId, name, accountId, keyId, origin, ownerId, fileName, contentType } = file;
  await q.run(INSERT_RECEIVING, [
    fileId,
    name,
    accountId,
    keyId,
    origin,
    ownerId,
    fileName,
    contentType,
    file.purpose ?? null,
  ]);
}

const FILE_ROW = {
  fileId: sql.uuid,
  name: sql.text,
  accountId: sql.uuid,
  keyId: sql.nullable(sql.uuid),
  origin: sql.enumOf("files.origin", FILE_ORIGINS),
  fileName: sql.text,
  contentType: sql.text,
  inline: sql.bool,
  bytes: sql.present(sql.int8),
  sha256: sql.text,
  verdict: sql.nullable(sql.jsonb),
  storedAt: sql.present(sql.timestamptz),
  expiresAt: sql.present(sql.timestamptz),
};

const STORE = statement({
  text: `
  UPDATE files.files SET state = 'stored', stored_at = clock_timestamp(), expires_at = clock_timestamp() + $4 * interval '1 second',
    bytes = $5, sha256 = $6, inline = $7, verdict = $8
  WHERE account_id = $1 AND file_id = $2 AND state = 'receiving' AND owner_id = $3
  RETURNING ${COLUMNS}`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.float8,
    sql.whole,
    sql.bytea,
    sql.bool,
    sql.nullable(sql.jsonb),
  ],
  row: FILE_ROW,
});

// One row decides for all processes: the second request waits for its lock and is measured against
// what the first one left.
const TAKE_ROOM = statement({
  text: `
  INSERT INTO files.usage AS u (account_id, bytes, files) SELECT $1, $2, 1 WHERE $2 <= $3::bigint
  ON CONFLICT (account_id) DO UPDATE SET bytes = u.bytes + excluded.bytes, files = u.files + 1
    WHERE u.bytes + u.kept_bytes + excluded.bytes <= $3::bigint
  RETURNING true AS done`,
  parameters: [sql.uuid, sql.whole, sql.whole],
  row: { done: sql.bool },
});

/** Makes a received file a stored one, if its account has room for it. */
export async function storeFile(
  tx: Queryable,
  received: ReceivedBytes & {
    readonly accountId: Uuid;
    readonly fileId: Uuid;
    readonly ownerId: Uuid;
    readonly retentionSeconds: number;
    readonly quotaBytes: number;
  },
): Promise<StoreVerdict> {
  const { accountId, fileId, ownerId, retentionSeconds, quotaBytes } = received;
  const { bytes, sha256, inline, verdict } = received;
  const json = verdict === null ? null : JSON.stringify(verdict, storable);
  const [row] = await tx.run(STORE, [
    accountId,
    fileId,
    ownerId,
    retentionSeconds,
    bytes,
    sha256,
    inline,
    json,
  ]);
  if (row === undefined) return { kind: "lost" };
  const taken = await tx.run(TAKE_ROOM, [accountId, bytes, quotaBytes]);
  if (taken.length > 0) return { kind: "stored", file: readFile(row) };
  return { kind: "over-quota", usedBytes: await usedBytes(tx, accountId) };
}

/**
 * PostgreSQL refuses NUL and lone surrogates in JSON, which texts out of strangers' files may
 * carry: they become U+FFFD.
 */
function storable(_name: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value;
}

const USED_BYTES = statement({
  text: "SELECT bytes + kept_bytes AS bytes FROM files.usage WHERE account_id = $1",
  parameters: [sql.uuid],
  row: { bytes: sql.int8 },
});

/** What an account's stored files, and what is kept beside them, come to now. */
export async function usedBytes(q: Queryable, accountId: Uuid): Promise<number> {
  const [row] = await q.run(USED_BYTES, [accountId]);
  return Number(row?.bytes ?? 0n);
}

const STORED_TOTALS = statement({
  text: "SELECT coalesce(sum(files), 0)::text AS files, coalesce(sum(bytes), 0)::text AS bytes FROM files.usage",
  row: { files: sql.text, bytes: sql.text },
});

/** The stored files of all accounts together. */
export async function storedTotals(
  q: Queryable,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const [row] = await q.run(STORED_TOTALS, []);
  return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) };
}

const FIND_FILE = statement({
  text: `SELECT ${COLUMNS}, state, expires_at <= clock_timestamp() AS over FROM files.files
     WHERE (account_id, file_id) = (SELECT d.account_id, d.file_id FROM directory.files d WHERE d.name = $1) AND state <> 'receiving' AND purpose IS NULL`,
  parameters: [sql.text],
  row: {
    ...FILE_ROW,
    state: sql.enumOf("files.state", ["receiving", "stored", "expired", "deleted"]),
    over: sql.bool,
  },
});

/** Any text may be asked for. What is being received, or is private, is missing for everybody. */
export async function findFile(q: Queryable, name: string): Promise<FileFinding> {
  if (!isFileName(name)) return { state: "missing" };
  const [row] = await q.run(FIND_FILE, [name]);
  if (row === undefined) return { state: "missing" };
  const { state, over, ...columns } = row;
  return state === "stored" && !over
    ? { state: "stored", file: readFile(columns) }
    : { state: "gone" };
}

const LIST_FILES = statement({
  text: `SELECT ${COLUMNS} FROM files.files
     WHERE account_id = $1 AND state = 'stored' AND ($2::uuid IS NULL OR file_id < $2) AND expires_at > clock_timestamp() AND purpose IS NULL
     ORDER BY file_id DESC LIMIT $3`,
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.whole],
  row: FILE_ROW,
});

/**
 * The files of an account that are served now, newest first; `before` is the id of the last one of
 * the page before.
 */
export async function listFiles(
  q: Queryable,
  page: { readonly accountId: Uuid; readonly before: Uuid | null; readonly limit: number },
): Promise<FileRecord[]> {
  const rows = await q.run(LIST_FILES, [page.accountId, page.before, page.limit]);
  return rows.map(readFile);
}

const DELETE = statement({
  text: `
  WITH ended AS (
    UPDATE files.files SET state = 'deleted', ended_at = clock_timestamp()
    WHERE name = $1 AND account_id = $2 AND state = 'stored' AND purpose IS NULL RETURNING name, bytes, expires_at > clock_timestamp() AS served),
  freed AS (
    UPDATE files.usage u SET bytes = u.bytes - ended.bytes, files = u.files - 1 FROM ended WHERE u.account_id = $2),
  removal AS (
    INSERT INTO files.removals (name) SELECT name FROM ended)
  SELECT served FROM ended`,
  parameters: [sql.text, sql.uuid],
  row: { served: sql.bool },
});

/**
 * Ends a file of this account and leaves its bytes to be removed. False: the account has no such
 * file that is served.
 */
export async function markDeleted(
  tx: Queryable,
  file: { readonly accountId: Uuid; readonly name: string },
): Promise<boolean> {
  if (!isFileName(file.name)) return false;
  const [row] = await tx.run(DELETE, [file.name, file.accountId]);
  return row?.served === true;
}

const DROP = statement({
  text: `
  WITH dropped AS (
    DELETE FROM files.files WHERE account_id = $1 AND file_id = $2 AND owner_id = $3 AND state = 'receiving' RETURNING name),
  unnamed AS (DELETE FROM directory.files d USING dropped WHERE d.name = dropped.name)
  INSERT INTO files.removals (name) SELECT name FROM dropped RETURNING name`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
  row: { name: sql.text },
});

/**
 * Forgets a file that its own process does not want to receive any longer and leaves its bytes to
 * be removed. False: it is not being received, so its bytes must stay, or are another process's to
 * remove.
 */
export async function dropReceiving(
  tx: Queryable,
  file: { readonly accountId: Uuid; readonly fileId: Uuid; readonly ownerId: Uuid },
): Promise<boolean> {
  return (await tx.run(DROP, [file.accountId, file.fileId, file.ownerId])).length > 0;
}
