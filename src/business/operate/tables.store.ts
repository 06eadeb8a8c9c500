/**
 * The tables of the database with their keys, references and triggers, by its own catalogue: names as
 * they stand in statements.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface TableKey {
  readonly name: string;
  readonly primary: boolean;
  readonly columns: readonly string[];
}

export interface TableReference {
  readonly name: string;
  /** The table that it leads to. */
  readonly to: string;
  /** Columns here, and what each refers to. */
  readonly pairs: readonly (readonly [string, string])[];
  /** Sets columns to null, or to a default, where what it leads to is deleted. */
  readonly clears: boolean;
}

export interface TableTrigger {
  readonly name: string;
  /** The table itself, or a part of it. */
  readonly on: string;
  /** The function that it calls. */
  readonly calls: string;
}

export interface TableShape {
  /** With its schema. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Primary and unique ones, partial ones too. */
  readonly keys: readonly TableKey[];
  readonly references: readonly TableReference[];
  readonly triggers: readonly TableTrigger[];
}

// Parts of a partitioned table have its keys, and triggers of their own. What an extension made is
// the extension's.
const TABLES = statement({
  text: `
  SELECT c.oid::regclass::text AS name,
    ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
    (SELECT coalesce(json_agg(json_build_object('name', (SELECT x.relname FROM pg_class x WHERE x.oid = i.indexrelid), 'primary', i.indisprimary, 'columns',
        ARRAY(SELECT a.attname FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, at)
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum ORDER BY k.at)) ORDER BY NOT i.indisprimary, i.indexrelid), '[]')
      FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique) AS keys,
    (SELECT coalesce(json_agg(json_build_object('name', quote_ident(k.conname), 'to', k.confrelid::regclass::text, 'clears', k.confdeltype IN ('n', 'd'), 'pairs',
        ARRAY(SELECT ARRAY[here.attname, there.attname] FROM unnest(k.conkey, k.confkey) AS u (here, there)
          JOIN pg_attribute here ON here.attrelid = k.conrelid AND here.attnum = u.here
          JOIN pg_attribute there ON there.attrelid = k.confrelid AND there.attnum = u.there)) ORDER BY k.oid), '[]')
      FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conparentid = 0) AS "references",
    (SELECT coalesce(json_agg(json_build_object('name', quote_ident(t.tgname), 'on', t.tgrelid::regclass::text, 'calls', t.tgfoid::regproc::text)
        ORDER BY t.tgrelid::regclass::text, t.tgname), '[]')
      FROM pg_trigger t WHERE NOT t.tgisinternal AND t.tgparentid = 0
        AND (t.tgrelid = c.oid OR t.tgrelid IN (SELECT p.relid FROM pg_partition_tree(c.oid) p))) AS triggers
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY 1`,
  row: {
    name: sql.text,
    columns: sql.array(sql.text),
    keys: sql.json.as<readonly TableKey[]>(),
    references: sql.json.as<readonly TableReference[]>(),
    triggers: sql.json.as<readonly TableTrigger[]>(),
  },
});

/** By name. */
export async function readTables(q: Queryable): Promise<TableShape[]> {
  return q.run(TABLES, []);
}
