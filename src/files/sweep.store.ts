/**
 * What time does to files, a bounded batch at a time, by any number of processes at once: they pass
 * over what another one has locked.
 */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Queryable;

// The usage rows are locked in the order of their ids, so that two sweepers wait for each other
// instead of deadlocking.
const EXPIRE = `
  WITH due AS (
    SELECT file_id FROM files.files WHERE state = 'stored' AND expires_at <= statement_timestamp()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED),
  ended AS (
    UPDATE files.files f SET state = 'expired', ended_at = clock_timestamp() FROM due WHERE f.file_id = due.file_id
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
  SELECT count(*) AS count FROM ended`;

/**
 * Ends files whose time is over, at most `limit`, and leaves their bytes to be removed. Returns how
 * many.
 */
export async function expireFiles(q: Statements, limit: number): Promise<number> {
  const [row] = await q.query<{ count: bigint }>(EXPIRE, [limit]);
  return Number(row?.count ?? 0n);
}

/** The processes that receive files, as far as the rows tell. */
export async function receivingOwners(q: Statements, limit: number): Promise<Uuid[]> {
  const rows = await q.query<{ ownerId: Uuid }>(
    `SELECT DISTINCT owner_id AS "ownerId" FROM files.files WHERE state = 'receiving' ORDER BY 1 LIMIT $1`,
    [limit],
  );
  return rows.map(({ ownerId }) => ownerId);
}

const ABANDON = `
  WITH abandoned AS (
    SELECT file_id FROM files.files
    WHERE state = 'receiving' AND (owner_id = ANY ($1::uuid[]) OR created_at < statement_timestamp() - $2 * interval '1 millisecond')
    LIMIT $4 FOR UPDATE SKIP LOCKED),
  dropped AS (
    DELETE FROM files.files f USING abandoned WHERE f.file_id = abandoned.file_id RETURNING f.name)
  INSERT INTO files.removals (name, again_at) SELECT name, clock_timestamp() + $3 * interval '1 millisecond' FROM dropped RETURNING name`;

/**
 * Forgets files that are received by processes taken for dead, or for longer than `olderThanMs`,
 * and leaves their bytes to be removed: now, and once more after `againMs`, when even a process
 * that only stood still has long given up. Returns how many, at most `limit`.
 */
export async function abandonReceiving(
  q: Statements,
  what: {
    readonly deadOwners: readonly Uuid[];
    readonly olderThanMs: number;
    readonly againMs: number;
    readonly limit: number;
  },
): Promise<number> {
  return (await q.query(ABANDON, [what.deadOwners, what.olderThanMs, what.againMs, what.limit]))
    .length;
}

const CLAIM = `
  UPDATE files.removals r SET due_at = clock_timestamp() + $2 * interval '1 millisecond'
  FROM (SELECT name FROM files.removals WHERE due_at <= statement_timestamp() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
  WHERE r.name = due.name RETURNING r.name`;

/**
 * Names of objects that this process shall remove now. If it does not say within `claimMs` that it
 * has, another one will.
 */
export async function claimRemovals(
  q: Statements,
  claim: { readonly limit: number; readonly claimMs: number },
): Promise<string[]> {
  return (await q.query<{ name: string }>(CLAIM, [claim.limit, claim.claimMs])).map(
    ({ name }) => name,
  );
}

const FINISH = `
  WITH over AS (DELETE FROM files.removals WHERE name = ANY ($1) AND again_at IS NULL)
  UPDATE files.removals SET due_at = again_at, again_at = NULL WHERE name = ANY ($1) AND again_at IS NOT NULL`;

/** To be called when the storage has removed them. */
export async function finishRemovals(q: Statements, names: readonly string[]): Promise<void> {
  await q.query(FINISH, [names]);
}

const FORGET = `
  DELETE FROM files.files f USING (
    SELECT file_id FROM files.files
    WHERE state IN ('expired', 'deleted') AND ended_at < statement_timestamp() - $1 * interval '1 millisecond'
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED) old
  WHERE f.file_id = old.file_id RETURNING true`;

/**
 * Forgets files that ended so long ago, at most `limit`; what they still had to be removed stays
 * named. Returns how many.
 */
export async function forgetFiles(
  q: Statements,
  what: { readonly keptMs: number; readonly limit: number },
): Promise<number> {
  return (await q.query(FORGET, [what.keptMs, what.limit])).length;
}
