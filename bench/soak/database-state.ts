/** What the database of a soaked gateway says of itself: connections, temporary files, and each table. */
import type { Db } from "../../src/db/database.ts";

export interface TableState {
  readonly name: string;
  readonly tableBytes: number;
  readonly indexBytes: number;
  readonly deadRows: number;
  /** Whether a row of it was ever changed or deleted: one where none was only grows. */
  readonly changes: boolean;
}

export interface DatabaseState {
  readonly connections: number;
  /** Since the server began. */
  readonly temporaryFiles: number;
  readonly tables: readonly TableState[];
}

export async function readDatabase(db: Db): Promise<DatabaseState> {
  const [server] = await db.query<Record<"connections" | "temporaryFiles", bigint>>(SERVER);
  const tables = await db.query<
    Record<"tableBytes" | "indexBytes" | "deadRows" | "changed", bigint> & { name: string }
  >(TABLES);
  return {
    connections: Number(server?.connections),
    temporaryFiles: Number(server?.temporaryFiles),
    tables: tables.map(({ name, tableBytes, indexBytes, deadRows, changed }) => ({
      name,
      tableBytes: Number(tableBytes),
      indexBytes: Number(indexBytes),
      deadRows: Number(deadRows),
      changes: changed > 0n,
    })),
  };
}

const SERVER = `
  SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
    (SELECT temp_files FROM pg_stat_database WHERE datname = current_database()) AS "temporaryFiles"`;
const TABLES = `
  SELECT schemaname || '.' || relname AS name, pg_table_size(relid)::bigint AS "tableBytes", pg_indexes_size(relid)::bigint AS "indexBytes",
    n_dead_tup AS "deadRows", n_tup_upd + n_tup_del AS changed
  FROM pg_stat_user_tables ORDER BY 1`;
