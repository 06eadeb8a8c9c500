/**
 * The rows of files (schema `files`): received, stored, found, listed, given up. The storage itself
 * is another room's business.
 */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import { isFileName } from "./file-name.ts";
import type {
  FileFinding,
  FileRecord,
  NewFile,
  ReceivedBytes,
  StoreVerdict,
} from "./file-record.ts";

type Statements = Queryable;

const COLUMNS = `file_id AS "fileId", name, account_id AS "accountId", key_id AS "keyId", origin, file_name AS "fileName",
  content_type AS "contentType", inline, bytes, encode(sha256, 'hex') AS sha256, verdict, stored_at AS "storedAt", expires_at AS "expiresAt"`;

type FileColumns = Omit<FileRecord, "bytes"> & { readonly bytes: bigint };

function readFile(row: FileColumns): FileRecord {
  return { ...row, bytes: Number(row.bytes) };
}

/** To be committed before the first byte of it is stored: from then on a sweeper knows of it. */
export async function insertReceiving(q: Statements, file: NewFile): Promise<void> {
  const { fileId, name, accountId, keyId, origin, ownerId, fileName, contentType } = file;
  await q.query(
    `INSERT INTO files.files (file_id, name, account_id, key_id, origin, owner_id, file_name, content_type, inline)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, false)`,
    [fileId, name, accountId, keyId, origin, ownerId, fileName, contentType],
  );
}

const STORE = `
  UPDATE files.files SET state = 'stored', stored_at = clock_timestamp(), expires_at = clock_timestamp() + $3 * interval '1 second',
    bytes = $4, sha256 = $5, inline = $6, verdict = $7
  WHERE file_id = $1 AND state = 'receiving' AND owner_id = $2
  RETURNING ${COLUMNS}`;

// One row decides for all processes: the second request waits for its lock and is measured against
// what the first one left.
const TAKE_ROOM = `
  INSERT INTO files.usage AS u (account_id, bytes, files) SELECT $1, $2, 1 WHERE $2 <= $3::bigint
  ON CONFLICT (account_id) DO UPDATE SET bytes = u.bytes + excluded.bytes, files = u.files + 1 WHERE u.bytes + excluded.bytes <= $3::bigint
  RETURNING true`;

/** Makes a received file a stored one, if its account has room for it. */
export async function storeFile(
  tx: Statements,
  received: ReceivedBytes & {
    readonly fileId: Uuid;
    readonly ownerId: Uuid;
    readonly retentionSeconds: number;
    readonly quotaBytes: number;
  },
): Promise<StoreVerdict> {
  const { fileId, ownerId, retentionSeconds, bytes, sha256, inline, verdict, quotaBytes } =
    received;
  const said = verdict === null ? null : JSON.stringify(verdict, storable);
  const [row] = await tx.query<FileColumns>(STORE, [
    fileId,
    ownerId,
    retentionSeconds,
    bytes,
    sha256,
    inline,
    said,
  ]);
  if (row === undefined) return { kind: "lost" };
  const taken = await tx.query(TAKE_ROOM, [row.accountId, bytes, quotaBytes]);
  if (taken.length > 0) return { kind: "stored", file: readFile(row) };
  return { kind: "over-quota", usedBytes: await usedBytes(tx, row.accountId) };
}

/**
 * PostgreSQL refuses NUL and lone surrogates in JSON, which texts out of strangers' files may
 * carry: they become U+FFFD.
 */
function storable(_name: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value;
}

/** What an account's stored files come to now. */
export async function usedBytes(q: Statements, accountId: Uuid): Promise<number> {
  const [row] = await q.query<{ bytes: bigint }>(
    "SELECT bytes FROM files.usage WHERE account_id = $1",
    [accountId],
  );
  return Number(row?.bytes ?? 0n);
}

/** The stored files of all accounts together. */
export async function storedTotals(
  q: Statements,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const [row] = await q.query<{ files: string; bytes: string }>(
    "SELECT coalesce(sum(files), 0)::text AS files, coalesce(sum(bytes), 0)::text AS bytes FROM files.usage",
  );
  return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** Any text may be asked for. What is being received is missing for everybody. */
export async function findFile(q: Statements, name: string): Promise<FileFinding> {
  if (!isFileName(name)) return { state: "missing" };
  const [row] = await q.query<
    FileColumns & { readonly state: string; readonly over: boolean | null }
  >(
    `SELECT ${COLUMNS}, state, expires_at <= clock_timestamp() AS over FROM files.files WHERE name = $1`,
    [name],
  );
  if (row === undefined || row.state === "receiving") return { state: "missing" };
  const { state, over, ...columns } = row;
  return state === "stored" && over !== true
    ? { state: "stored", file: readFile(columns) }
    : { state: "gone" };
}

/**
 * The files of an account that are served now, newest first; `before` is the id of the last one of
 * the page before.
 */
export async function listFiles(
  q: Statements,
  page: { readonly accountId: Uuid; readonly before: Uuid | null; readonly limit: number },
): Promise<FileRecord[]> {
  const rows = await q.query<FileColumns>(
    `SELECT ${COLUMNS} FROM files.files
     WHERE account_id = $1 AND state = 'stored' AND ($2::uuid IS NULL OR file_id < $2) AND expires_at > clock_timestamp()
     ORDER BY file_id DESC LIMIT $3`,
    [page.accountId, page.before, page.limit],
  );
  return rows.map(readFile);
}

const DELETE = `
  WITH ended AS (
    UPDATE files.files SET state = 'deleted', ended_at = clock_timestamp()
    WHERE name = $1 AND account_id = $2 AND state = 'stored' RETURNING name, bytes, expires_at > clock_timestamp() AS served),
  freed AS (
    UPDATE files.usage u SET bytes = u.bytes - ended.bytes, files = u.files - 1 FROM ended WHERE u.account_id = $2),
  removal AS (
    INSERT INTO files.removals (name) SELECT name FROM ended)
  SELECT served FROM ended`;

/**
 * Ends a file of this account and leaves its bytes to be removed. False: the account has no such
 * file that is served.
 */
export async function markDeleted(
  tx: Statements,
  file: { readonly accountId: Uuid; readonly name: string },
): Promise<boolean> {
  if (!isFileName(file.name)) return false;
  const [row] = await tx.query<{ served: boolean }>(DELETE, [file.name, file.accountId]);
  return row?.served === true;
}

const DROP = `
  WITH dropped AS (DELETE FROM files.files WHERE file_id = $1 AND owner_id = $2 AND state = 'receiving' RETURNING name)
  INSERT INTO files.removals (name) SELECT name FROM dropped RETURNING name`;

/**
 * Forgets a file that its own process does not want to receive any longer and leaves its bytes to
 * be removed. False: it is not being received, so its bytes must stay, or are another process's to
 * remove.
 */
export async function dropReceiving(
  tx: Statements,
  file: { readonly fileId: Uuid; readonly ownerId: Uuid },
): Promise<boolean> {
  return (await tx.query(DROP, [file.fileId, file.ownerId])).length > 0;
}
