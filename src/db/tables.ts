/** The tables as Kysely sees them; kept by hand, next to the migrations that make them. */
import type { ColumnType, Generated } from "kysely";

/** One row per applied migration file; written by migrate.ts only. */
interface AppliedMigrationsTable {
  number: number;
  name: string;
  checksum: string;
  applied_at: Generated<ColumnType<Date, never, never>>;
}

/** Names carry the schema: `ledger.accounts`. Column types are what database.ts returns: bigint, Date, uuid and numeric as string. */
export interface Tables {
  "migrations.applied": AppliedMigrationsTable;
}
