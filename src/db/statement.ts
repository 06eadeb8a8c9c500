/**
 * A statement as a value: its text, and the types of its parameters and of its row, which a test
 * holds against the database.
 */
import type { SqlType } from "./sql-type.ts";

type Columns = Readonly<Record<string, SqlType>>;

/** `Parameters` is a tuple, in the order of `$1`, `$2` …; `Row` is what each row is read as. */
export interface Statement<Parameters extends readonly unknown[], Row> {
  readonly text: string;
  readonly parameters: readonly SqlType[];
  readonly row: Columns;
  /** For the compiler alone. */
  readonly types?: (parameters: Parameters) => Row;
}

/** What its callers need not know of any statement. */
export type AnyStatement = Omit<Statement<never, unknown>, "types">;

interface Declaration<Parameters extends readonly SqlType[], Row extends Columns> {
  /** `$1` stands for the first parameter. */
  readonly text: string;
  readonly parameters?: Parameters;
  /** Every column that comes back, by its name; absent where none does. */
  readonly row?: Row;
}

/** What parameters of these types are given as: of a function that makes some of a statement's. */
export type Given<Types extends readonly SqlType[]> = {
  readonly [Index in keyof Types]: Types[Index] extends SqlType<unknown, infer In> ? In : never;
};

type Read<Row extends Columns> = {
  readonly [Name in keyof Row]: Row[Name] extends SqlType<infer Out> ? Out : never;
};

/**
 * All that modules declared when they were loaded. The one state that a module keeps: it lets a
 * test describe every statement of the program, also those that are written tomorrow. Nothing else
 * reads it.
 */
const declared: AnyStatement[] = [];

export function declaredStatements(): readonly AnyStatement[] {
  return declared;
}

/**
 * Declares a statement; at the top of a module, so that `test/statements` finds it. Nothing is
 * checked when it runs: that the declaration is true is for the test.
 */
export function statement<
  const Parameters extends readonly SqlType[] = readonly [],
  const Row extends Columns = Readonly<Record<never, never>>,
>(declaration: Declaration<Parameters, Row>): Statement<Given<Parameters>, Read<Row>> {
  const made = {
    text: declaration.text,
    parameters: declaration.parameters ?? [],
    row: declaration.row ?? {},
  };
  declared.push(made);
  return made;
}

/** A statement with its parameters, to be run by another one than who has both. */
export interface BoundStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export function bound<Parameters extends readonly unknown[], Row>(
  { text }: Statement<Parameters, Row>,
  parameters: NoInfer<Parameters>,
): BoundStatement {
  return { text, parameters };
}
