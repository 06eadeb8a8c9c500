/**
 * What a price may say about the parameters of a task: those of its table, and the values that they
 * can have.
 */
import type { TaskParameter } from "../contract/tasks/task-parameter.ts";
import { defaultOf } from "../contract/tasks/task-parameter.ts";
import { TASK_TABLES } from "../contract/tasks/task-tables.ts";
import { parseDecimal } from "../contract/price/decimal.ts";

export interface PricedParameter {
  /** Every value, as text; null: there are too many to list. */
  readonly values: readonly string[] | null;
  /** A number, or a choice among numbers. */
  readonly isQuantity: boolean;
  /** Required, or with a default: a price can count on it. */
  readonly isAlwaysThere: boolean;
}

/** By name, in the order of the table. */
export type PricedParameters = ReadonlyMap<string, PricedParameter>;

const MOST_LISTED = 1000;

const PRICED: ReadonlyMap<string, PricedParameters> = new Map(
  [...TASK_TABLES].map(([id, table]) => [
    id,
    new Map(
      Object.entries(table.parameters).map(([name, parameter]) => [
        name,
        pricedParameter(parameter),
      ]),
    ),
  ]),
);

export const TASK_TABLE_IDS: readonly string[] = [...PRICED.keys()];

/** Empty for a table that does not exist. */
export function pricedParameters(table: string): PricedParameters {
  return PRICED.get(table) ?? new Map();
}

function pricedParameter(parameter: TaskParameter): PricedParameter {
  const values = valuesOf(parameter);
  const isNumber = parameter.kind === "number" || parameter.kind === "integer";
  return {
    values,
    isQuantity:
      isNumber ||
      (parameter.kind === "choice" &&
        parameter.values.every((value) => parseDecimal(value) !== null)),
    isAlwaysThere: parameter.required === true || defaultOf(parameter) !== undefined,
  };
}

function valuesOf(parameter: TaskParameter): readonly string[] | null {
  if (parameter.kind === "choice") return parameter.values;
  if (parameter.kind === "flag") return ["true", "false"];
  if (parameter.kind !== "integer" || parameter.min === undefined || parameter.max === undefined)
    return null;
  const { min, max } = parameter;
  return max - min < MOST_LISTED
    ? Array.from({ length: max - min + 1 }, (_, index) => String(min + index))
    : null;
}
