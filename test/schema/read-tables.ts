/** The tables of a database with their keys and references, by its own catalogue. */
import type { Db } from "../../src/db/database.ts";

export interface TableKeys {
  /** With its schema. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Primary and unique ones, partial ones too. */
  readonly keys: readonly {
    readonly name: string;
    readonly primary: boolean;
    readonly columns: readonly string[];
  }[];
  readonly references: readonly {
    readonly name: string;
    /** Columns here, and what each refers to. */
    readonly pairs: readonly (readonly [string, string])[];
  }[];
}

// Parts of a partitioned table have its keys.
const TABLES = `
  SELECT c.oid::regclass::text AS name,
    ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
    (SELECT coalesce(json_agg(json_build_object('name', (SELECT x.relname FROM pg_class x WHERE x.oid = i.indexrelid), 'primary', i.indisprimary, 'columns',
        ARRAY(SELECT a.attname FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, at)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum ORDER BY k.at)) ORDER BY NOT i.indisprimary, i.indexrelid), '[]')
      FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique) AS keys,
    (SELECT coalesce(json_agg(json_build_object('name', k.conname, 'pairs',
        ARRAY(SELECT ARRAY[here.attname, there.attname] FROM unnest(k.conkey, k.confkey) AS u (here, there)
          JOIN pg_attribute here ON here.attrelid = k.conrelid AND here.attnum = u.here
          JOIN pg_attribute there ON there.attrelid = k.confrelid AND there.attnum = u.there)) ORDER BY k.oid), '[]')
      FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f') AS "references"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
  ORDER BY 1`;

export function readTables(db: Db): Promise<TableKeys[]> {
  return db.query<TableKeys>(TABLES);
}
