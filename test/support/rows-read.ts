/**
 * How many rows of a table, of all its partitions, some statements read: what a page or a sweep costs, whatever the machine
 * is busy with.
 */
import assert from "node:assert/strict";
import type { Tx } from "../../src/db/database.ts";

/** Read by scans and by index, whether they were wanted or not. */
export async function rowsRead(
  tx: Tx,
  table: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await readSoFar(tx, table);
  await work();
  return (await readSoFar(tx, table)) - before;
}

/**
 * By this connection, as far as it has not told it to the server's statistics, which it does
 * between transactions.
 */
async function readSoFar(tx: Tx, table: string): Promise<number> {
  const [row] = await tx.query<{ read: bigint | null }>(
    `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint AS read FROM pg_stat_xact_user_tables
     WHERE relid = $1::regclass OR relid IN (SELECT p.relid FROM pg_partition_tree($1::regclass) p)`,
    [table],
  );
  assert(row !== undefined && row.read !== null, `there is no table ${table}`);
  return Number(row.read);
}
