/** Columns of the archive's files: what each is in Parquet, and what its values are here. */
import type { SchemaElement } from "hyparquet";
import type { Uuid } from "../kernel/ids.ts";

export interface Column<Value = unknown> {
  /** In the file, and in the table that it comes from. */
  readonly name: string;
  readonly element: SchemaElement;
  /** For the compiler alone. */
  readonly values?: Value;
}

export type Columns = Readonly<Record<string, Column>>;

export type RowOf<Of extends Columns> = {
  readonly [Key in keyof Of]: Of[Key] extends Column<infer Value> ? Value : never;
};

const BYTES_OF_UUID = 16;

function column<Value>(name: string, type: Omit<SchemaElement, "name">): Column<Value> {
  return { name, element: { ...type, name, repetition_type: "REQUIRED" } };
}

export const uuid = (name: string): Column<Uuid> =>
  column(name, {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: BYTES_OF_UUID,
    logical_type: { type: "UUID" },
  });

export const int8 = (name: string): Column<bigint> => column(name, { type: "INT64" });

export const int4 = (name: string): Column<number> => column(name, { type: "INT32" });

/** JSON is a text, too: as it was written. */
export const text = (name: string): Column<string> =>
  column(name, {
    type: "BYTE_ARRAY",
    converted_type: "UTF8",
    logical_type: { type: "STRING" },
  });

/** Microseconds since 1970, as PostgreSQL keeps them: a Date would lose three digits. */
export const moment = (name: string): Column<bigint> =>
  column(name, {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  });

export function optional<Value>({ name, element }: Column<Value>): Column<Value | null> {
  return { name, element: { ...element, repetition_type: "OPTIONAL" } };
}

/** What a file's footer says of its columns. */
export function schemaOf(columns: Columns): SchemaElement[] {
  const elements = Object.values(columns).map(({ element }) => element);
  return [{ name: "entries", num_children: elements.length }, ...elements];
}
