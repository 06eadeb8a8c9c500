/**
 * What time does to files, a bounded batch at a time, by any number of processes at once: they pass
 * over what another one has locked.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

// The usage rows are locked in the order of their ids, so that two sweepers wait for each other
// instead of deadlocking.
const EXPIRE = statement({
  text: `
  WITH due AS (
    SELECT account_id, file_id FROM files.files WHERE state = 'stored' AND expires_at <= statement_timestamp()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED),
  ended AS (
    UPDATE files.files f SET state = 'expired', ended_at = clock_timestamp() FROM due
    WHERE f.account_id = due.account_id AND f.file_id = due.file_id
    RETURNING f.name, f.account_id, f.bytes),
  sums AS (
    SELECT account_id, sum(bytes)::bigint AS bytes, count(*) AS files FROM ended GROUP BY account_id),
  locked AS (
    SELECT u.account_id FROM files.usage u WHERE u.account_id IN (SELECT account_id FROM sums) ORDER BY u.account_id FOR UPDATE),
  freed AS (
    UPDATE files.usage u SET bytes = u.bytes - sums.bytes, files = u.files - sums.files
    FROM sums JOIN locked USING (account_id) WHERE u.account_id = sums.account_id),
  removal AS (
    INSERT INTO files.removals (name) SELECT name FROM ended)
  SELECT count(*) AS count FROM ended`,
  parameters: [sql.whole],
  row: { count: sql.int8 },
});

/**
 * Ends files whose time is over, at most `limit`, and leaves their bytes to be removed. Returns how
 * many.
 */
export async function expireFiles(q: Queryable, limit: number): Promise<number> {
  const [row] = await q.run(EXPIRE, [limit]);
  return Number(row?.count ?? 0n);
}

const RECEIVING_OWNERS = statement({
  text: `SELECT DISTINCT owner_id AS "ownerId" FROM files.files WHERE state = 'receiving' ORDER BY 1 LIMIT $1`,
  parameters: [sql.whole],
  row: { ownerId: sql.uuid },
});

/** The processes that receive files, as far as the rows tell. */
export async function receivingOwners(q: Queryable, limit: number): Promise<Uuid[]> {
  const rows = await q.run(RECEIVING_OWNERS, [limit]);
  return rows.map(({ ownerId }) => ownerId);
}

const ABANDON = statement({
  text: `
  WITH abandoned AS (
    SELECT account_id, file_id FROM files.files
    WHERE state = 'receiving' AND (owner_id = ANY ($1::uuid[]) OR created_at < statement_timestamp() - $2 * interval '1 millisecond')
    LIMIT $4 FOR UPDATE SKIP LOCKED),
  dropped AS (
    DELETE FROM files.files f USING abandoned a WHERE f.account_id = a.account_id AND f.file_id = a.file_id RETURNING f.name),
  unnamed AS (
    DELETE FROM directory.files d USING dropped WHERE d.name = dropped.name)
  INSERT INTO files.removals (name, again_at) SELECT name, clock_timestamp() + $3 * interval '1 millisecond' FROM dropped RETURNING name`,
  parameters: [sql.array(sql.uuid), sql.float8, sql.float8, sql.whole],
  row: { name: sql.text },
});

/**
 * Forgets files that are received by processes taken for dead, or for longer than `olderThanMs`,
 * and leaves their bytes to be removed: now, and once more after `againMs`, when even a process
 * that only stood still has long given up. Returns how many, at most `limit`.
 */
export async function abandonReceiving(
  q: Queryable,
  what: {
    readonly deadOwners: readonly Uuid[];
    readonly olderThanMs: number;
    readonly againMs: number;
    readonly limit: number;
  },
): Promise<number> {
  return (await q.run(ABANDON, [what.deadOwners, what.olderThanMs, what.againMs, what.limit]))
    .length;
}

const CLAIM = statement({
  text: `
  UPDATE files.removals r SET due_at = clock_timestamp() + $2 * interval '1 millisecond'
  FROM (SELECT name FROM files.removals WHERE due_at <= statement_timestamp() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
  WHERE r.name = due.name RETURNING r.name`,
  parameters: [sql.whole, sql.float8],
  row: { name: sql.text },
});

/**
 * Names of objects that this process shall remove now. If it does not say within `claimMs` that it
 * has, another one will.
 */
export async function claimRemovals(
  q: Queryable,
  claim: { readonly limit: number; readonly claimMs: number },
): Promise<string[]> {
  return (await q.run(CLAIM, [claim.limit, claim.claimMs])).map(({ name }) => name);
}

const FINISH = statement({
  text: `
  WITH over AS (DELETE FROM files.removals WHERE name = ANY ($1) AND again_at IS NULL)
  UPDATE files.removals SET due_at = again_at, again_at = NULL WHERE name = ANY ($1) AND again_at IS NOT NULL`,
  parameters: [sql.array(sql.text)],
});

/** To be called when the storage has removed them. */
export async function finishRemovals(q: Queryable, names: readonly string[]): Promise<void> {
  await q.run(FINISH, [names]);
}

const FORGET = statement({
  text: `
  WITH forgotten AS (
    DELETE FROM files.files f USING (
      SELECT account_id, file_id FROM files.files
      WHERE state IN ('expired', 'deleted') AND ended_at < statement_timestamp() - $1 * interval '1 millisecond'
      ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED) old
    WHERE f.account_id = old.account_id AND f.file_id = old.file_id RETURNING f.name),
  unnamed AS (
    DELETE FROM directory.files d USING forgotten WHERE d.name = forgotten.name)
  SELECT true AS done FROM forgotten`,
  parameters: [sql.float8, sql.whole],
  row: { done: sql.bool },
});

/**
 * Forgets files that ended so long ago, at most `limit`; what they still had to be removed stays
 * named. Returns how many.
 */
export async function forgetFiles(
  q: Queryable,
  what: { readonly keptMs: number; readonly limit: number },
): Promise<number> {
  return (await q.run(FORGET, [what.keptMs, what.limit])).length;
}
