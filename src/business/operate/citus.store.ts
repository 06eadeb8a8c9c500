/** What a database says of Citus: whether it is there, and where it has put each table. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement, type Statement } from "../../db/statement.ts";

export interface CitusTable {
  /** With its schema. */
  readonly name: string;
  /** `local`: known to Citus and whole on the coordinator. `other`: as no plan of ours makes one. */
  readonly kind: "distributed" | "reference" | "local" | "other";
  /** The column that it is spread by; null: none. */
  readonly by: string | null;
  /** Tables of one group lie together. */
  readonly colocation: number;
}

export interface CitusState {
  /** Of the extension in this database; null: it is not there. */
  readonly version: string | null;
  /** The server has it. */
  readonly installed: boolean;
  /** Tables that Citus knows; all others are the coordinator's own. */
  readonly tables: readonly CitusTable[];
  /** The ledger writes rows of one part a statement. */
  readonly spread: boolean;
}

const EXTENSION = statement({
  text: `SELECT (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'citus') AS version,
      EXISTS (SELECT FROM pg_available_extensions a WHERE a.name = 'citus') AS installed`,
  row: { version: sql.nullable(sql.text), installed: sql.bool },
});

const SPREAD = statement({
  text: "SELECT ledger.spread() AS spread",
  row: { spread: sql.bool },
});

// Not declared: only a database that has Citus could describe it. Reference tables are those that are
// written on all servers at once; a local table that refers to one is known, too, and is no more
// spread than before.
const TABLES: Statement<readonly [], CitusTable> = {
  text: `SELECT p.logicalrelid::text AS name,
      CASE WHEN p.partmethod = 'h' THEN 'distributed' WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN 'reference'
        WHEN p.partmethod = 'n' AND p.colocationid = 0 THEN 'local' ELSE 'other' END AS kind,
      CASE WHEN p.partkey IS NOT NULL THEN column_to_column_name(p.logicalrelid, p.partkey) END AS by,
      p.colocationid AS colocation
    FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
    WHERE NOT c.relispartition ORDER BY 1`,
  parameters: [],
  row: {
    name: sql.text,
    kind: sql.text,
    by: sql.nullable(sql.text),
    colocation: sql.int4,
  },
};

/** Of a migrated database. */
export async function readCitusState(q: Queryable): Promise<CitusState> {
  const [state] = await q.run(EXTENSION, []);
  if (state === undefined) throw new Error("the server says nothing of its extensions");
  const spread = (await q.run(SPREAD, []))[0]?.spread === true;
  return { ...state, spread, tables: state.version === null ? [] : await readCitusTables(q) };
}

export async function readCitusTables(q: Queryable): Promise<CitusTable[]> {
  return q.run(TABLES, []);
}
