/** What a database's own catalog says of the types and the columns that statements touch. */
import type { Client } from "pg";
import type { AnyStatement } from "../../src/db/statement.ts";
import type { DescribedColumn } from "../support/describe-statement.ts";

export interface TableColumn {
  /** With its schema. */
  readonly table: string;
  readonly notNull: boolean;
}

export interface Catalog {
  /** Undefined: no such type. */
  oidOf(typeName: string): number | undefined;
  nameOf(oid: number): string;
  labelsOf(typeName: string): readonly string[];
  /** Null: it is made by the statement. */
  columnOf(column: DescribedColumn): TableColumn | null;
}

/** Of the types that these statements name, and of every table. */
export async function readCatalog(
  client: Client,
  statements: readonly AnyStatement[],
): Promise<Catalog> {
  const names = new Set(
    statements
      .flatMap(({ parameters, row }) => [...parameters, ...Object.values(row)])
      .map(({ name }) => name),
  );
  const types = await client.query<{ name: string; oid: number | null; labels: string[] }>(
    `SELECT n.name, to_regtype(n.name)::oid AS oid,
       ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = to_regtype(n.name) ORDER BY e.enumsortorder) AS labels
     FROM unnest($1::text[]) AS n (name)`,
    [[...names]],
  );
  const all = await client.query<{ oid: number; name: string }>(
    "SELECT oid, format_type(oid, NULL) AS name FROM pg_type",
  );
  const columns = await client.query<TableColumn & { tableId: number; columnId: number }>(
    `SELECT a.attrelid AS "tableId", a.attnum AS "columnId", a.attnotnull AS "notNull", a.attrelid::regclass::text AS table
     FROM pg_attribute a WHERE a.attnum > 0`,
  );
  const byName = new Map(types.rows.map((type) => [type.name, type]));
  const byOid = new Map(all.rows.map(({ oid, name }) => [oid, name]));
  const byPlace = new Map(
    columns.rows.map((column) => [`${column.tableId} ${column.columnId}`, column]),
  );
  return {
    oidOf: (name) => byName.get(name)?.oid ?? undefined,
    nameOf: (oid) => byOid.get(oid) ?? String(oid),
    labelsOf: (name) => byName.get(name)?.labels ?? [],
    columnOf: ({ tableID, columnID }) => byPlace.get(`${tableID} ${columnID}`) ?? null,
  };
}
