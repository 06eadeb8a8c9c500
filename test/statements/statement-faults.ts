/** Where a statement's declaration and what the database says of it differ. */
import type { SqlType } from "../../src/db/sql-type.ts";
import type { AnyStatement } from "../../src/db/statement.ts";
import type { DescribedColumn, Description } from "../support/describe-statement.ts";
import type { Catalog, TableColumn } from "./read-catalog.ts";

/** A line for each difference. */
export function statementFaults(
  statement: AnyStatement,
  described: Description,
  catalog: Catalog,
): string[] {
  return [
    ...parameterFaults(statement, described, catalog),
    ...described.columns.flatMap((column) => columnFaults(statement, column, catalog)),
    ...nameFaults(statement, described),
  ];
}

function parameterFaults(
  { parameters }: AnyStatement,
  described: Description,
  catalog: Catalog,
): string[] {
  if (parameters.length !== described.parameters.length)
    return [`has ${described.parameters.length} parameters, ${parameters.length} are declared`];
  return parameters.flatMap((type, index) =>
    typeFaults(`$${index + 1}`, type, described.parameters[index] ?? 0, catalog),
  );
}

function columnFaults(
  { text, row }: AnyStatement,
  column: DescribedColumn,
  catalog: Catalog,
): string[] {
  const type = row[column.name];
  if (type === undefined) return [`returns ${column.name}, which is not declared`];
  return [
    ...typeFaults(column.name, type, column.dataTypeID, catalog),
    ...nullFaults(text, column.name, type, catalog.columnOf(column)),
  ];
}

function nameFaults({ row }: AnyStatement, { columns }: Description): string[] {
  const names = columns.map(({ name }) => name);
  return [
    ...Object.keys(row)
      .filter((name) => !names.includes(name))
      .map((name) => `does not return ${name}, which is declared`),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `returns ${name} twice`),
  ];
}

function typeFaults(what: string, type: SqlType, oid: number, catalog: Catalog): string[] {
  if (catalog.oidOf(type.name) !== oid)
    return [`${what} is ${catalog.nameOf(oid)}, declared as ${type.name}`];
  const labels = catalog.labelsOf(type.name);
  return type.labels !== null && labels.toSorted().join() !== type.labels.toSorted().join()
    ? [`${what} has the labels ${labels.join()}, declared are ${type.labels.join()}`]
    : [];
}

/** Of what the statement makes itself the database says nothing. */
function nullFaults(
  text: string,
  name: string,
  type: SqlType,
  column: TableColumn | null,
): string[] {
  if (column === null) return [];
  const mayBeNull = !column.notNull || isOuter(text, column.table);
  if (mayBeNull === null) return [];
  if (mayBeNull && !type.nullable && !type.present)
    return [
      `${name} may be null: sql.nullable, or sql.present where the statement leaves nulls out`,
    ];
  if (!mayBeNull && type.nullable) return [`${name} is never null`];
  if (!mayBeNull && type.present) return [`${name} is never null, sql.present says nothing`];
  return [];
}

/** Whether an outer join may leave the table's columns empty; null where the text does not show it. */
function isOuter(text: string, table: string): boolean | null {
  if (!/\b(LEFT|RIGHT|FULL)\b/.test(text)) return false;
  const named = text.split(new RegExp(`\\b${RegExp.escape(table)}\\b`)).slice(0, -1);
  return named.length === 1 && /\bLEFT JOIN\s+$/.test(named[0] ?? "") ? true : null;
}
