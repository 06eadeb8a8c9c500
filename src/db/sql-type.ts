/** PostgreSQL's types as statements declare them, each with the TypeScript type of its values. */
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

declare const ENCODED: unique symbol;

/** A value in the binary form of that type: what array-params.ts makes. */
export type Encoded<Name extends string> = Buffer & { readonly [ENCODED]: Name };

/** `Out` is what a column is read as, `In` what a parameter may be given as. */
export interface SqlType<Out = unknown, In = unknown, Name extends string = string> {
  /** As PostgreSQL's `regtype` takes it. */
  readonly name: Name;
  readonly nullable: boolean;
  /** See `sql.present`. */
  readonly present: boolean;
  /** All labels, of an enum of the database. */
  readonly labels: readonly string[] | null;
  /** For the compiler alone. */
  readonly values?: { readonly out: Out; readonly in: In };
}

/** A type whose values are known more exactly than PostgreSQL says. */
interface Narrowable<Value, Name extends string> extends SqlType<
  Value,
  Value | Encoded<Name>,
  Name
> {
  as<Narrow extends Value>(): SqlType<Narrow, Narrow | Encoded<Name>, Name>;
}

/** Given as the text of a document, read as the value in it. */
interface JsonType<Name extends string> extends SqlType<unknown, string, Name> {
  as<Value>(): SqlType<Value, string, Name>;
}

function plain(name: string): SqlType<never, never, never> {
  return { name: name as never, nullable: false, present: false, labels: null };
}

function narrowable<Value, Name extends string>(name: Name): Narrowable<Value, Name> {
  const type = { ...plain(name), as: () => type };
  return type;
}

function json<Name extends string>(name: Name): JsonType<Name> {
  const type = { ...plain(name), as: () => type };
  return type;
}

function array<Out, In, Name extends string>(
  item: SqlType<Out, In, Name>,
): SqlType<readonly Out[], readonly Out[] | Encoded<`${Name}[]`>, `${Name}[]`> {
  return plain(`${item.name}[]`);
}

function nullable<Out, In, Name extends string>(
  type: SqlType<Out, In, Name>,
): SqlType<Out | null, In | null, Name> {
  return { ...type, nullable: true };
}

function present<Out, In, Name extends string>(
  type: SqlType<Out, In, Name>,
): SqlType<Out, In, Name> {
  return { ...type, present: true };
}

function enumOf<const Name extends string, const Label extends string>(
  name: Name,
  labels: readonly Label[],
): SqlType<Label, Label, Name> {
  return { ...plain(name), labels };
}

function oneOf<const Value extends string>(
  _values: readonly Value[],
): SqlType<Value, Value, "text"> {
  return plain("text");
}

/**
 * What values become is said in value-parsers.ts. `as` narrows without a check: to a brand, a
 * closed list that the statement itself makes, the shape of a document.
 */
export const sql = {
  bool: narrowable<boolean, "bool">("bool"),
  bytea: narrowable<Buffer, "bytea">("bytea"),
  date: narrowable<string, "date">("date"),
  float4: narrowable<number, "float4">("float4"),
  float8: narrowable<number, "float8">("float8"),
  int2: narrowable<number, "int2">("int2"),
  int4: narrowable<number, "int4">("int4"),
  int8: narrowable<bigint, "int8">("int8"),
  json: json("json"),
  jsonb: json("jsonb"),
  numeric: narrowable<string, "numeric">("numeric"),
  text: narrowable<string, "text">("text"),
  timestamptz: narrowable<Date, "timestamptz">("timestamptz"),
  uuid: narrowable<Uuid, "uuid">("uuid"),
  /** What a function gives that is called for its effect. */
  void: narrowable<unknown, "void">("void"),
  /** An int8 of nano-roubles. */
  nano: plain("int8") as SqlType<Nano, Nano | Encoded<"int8">, "int8">,
  /** An int8 that is given as a number, such as a LIMIT or a size; read as a bigint. */
  whole: plain("int8") as SqlType<bigint, number, "int8">,
  array,
  /** One of a list that the text column is held to by its CHECK, or by the statement. */
  oneOf,
  /** An enum of the database, with all its labels. */
  enumOf,
  nullable,
  /** Of a column that may be null in its table, and is not in the rows of this statement. */
  present,
};
