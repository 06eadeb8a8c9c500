/**
 * Holds a task's price against the parameters of its table: a value that an amount table leaves out
 * is not sold, and one that does not exist is a slip that would let a customer pay too little.
 */
import type { Static } from "typebox";
import type { AmountTable, TaskPrice } from "../contract/price/task-price.ts";
import { wholeOf } from "./read-by-schema.ts";
import type { Draft, Found } from "./schema-parts.ts";
import type { PricedParameters } from "./task-parameters.ts";
import type { TASK_PRICE, WrittenAmount } from "./task-price-schema.ts";
import { meantBy } from "./yaml-reader.ts";

type WrittenPrice = Static<typeof TASK_PRICE>;

/**
 * `parameters`: those of the model's table; undefined when the table is not known, and names cannot
 * be checked. Undefined after a mistake.
 */
export function compileTaskPrice(
  draft: Draft<WrittenPrice>,
  parameters: PricedParameters | undefined,
  { at, reader }: Found,
): TaskPrice | undefined {
  const before = reader.gaps();
  if (parameters !== undefined) {
    checkQuantity(draft, parameters, { at: reader.child(at, "quantity"), reader });
    checkAmount(draft.amount, parameters, { at: reader.child(at, "amount"), reader });
    draft.multiply?.forEach((multiplier, index) => {
      for (const [name, value] of multiplier?.when ?? []) {
        const found = { at: reader.child(at, "multiply", index, "when", name), reader };
        if (isParameter(name, parameters, found)) checkValue(name, value, parameters, found);
      }
    });
  }
  const price = wholeOf<WrittenPrice>(draft);
  return price === undefined || reader.gaps() > before
    ? undefined
    : { ...price, amount: compileAmount(price.amount) };
}

function compileAmount(amount: WrittenAmount): AmountTable {
  if (typeof amount === "bigint") return { kind: "amount", perUnitNano: amount };
  const values = [...amount.values].map(([value, inner]) => [value, compileAmount(inner)] as const);
  return { kind: "by", parameter: amount.by, values: new Map(values) };
}

function checkQuantity(
  { quantity }: Draft<WrittenPrice>,
  parameters: PricedParameters,
  found: Found,
): void {
  const parameter = quantity?.kind === "parameter" ? quantity.parameter : undefined;
  if (parameter === undefined || !isParameter(parameter, parameters, found)) return;
  const { isQuantity, isAlwaysThere } = parameters.get(parameter) ?? {};
  if (isQuantity === false) found.reader.note(found.at, "not_a_quantity", { parameter });
  else if (isAlwaysThere === false) found.reader.note(found.at, "quantity_left_out", { parameter });
}

function checkAmount(
  amount: Draft<WrittenAmount> | undefined,
  parameters: PricedParameters,
  { at, reader }: Found,
): void {
  if (amount === undefined || typeof amount === "bigint") return;
  const { by, values } = amount;
  const isKnown =
    by !== undefined && isListed(by, parameters, { at: reader.child(at, "by"), reader });
  for (const [value, inner] of values ?? []) {
    const found = { at: reader.child(at, "values", value), reader };
    if (isKnown) checkValue(by, value, parameters, found);
    checkAmount(inner, parameters, found);
  }
}

function isParameter(name: string, parameters: PricedParameters, { at, reader }: Found): boolean {
  if (parameters.has(name)) return true;
  reader.note(at, "unknown_name", { what: "parameter", name, ...meantBy(name, parameters.keys()) });
  return false;
}

/** An amount can be looked up only by what has a list of values. */
function isListed(name: string, parameters: PricedParameters, found: Found): boolean {
  if (!isParameter(name, parameters, found)) return false;
  if (parameters.get(name)?.values !== null) return true;
  found.reader.note(found.at, "no_list_of_values", { parameter: name });
  return false;
}

function checkValue(
  parameter: string,
  value: string | undefined,
  parameters: PricedParameters,
  { at, reader }: Found,
): void {
  const values = parameters.get(parameter)?.values ?? null;
  if (value !== undefined && values !== null && !values.includes(value))
    reader.note(at, "never_value", { parameter, value, ...meantBy(value, values) });
}
