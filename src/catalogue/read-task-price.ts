/**
 * Reads the declarative price of a task model: unit × quantity × amount table × multipliers
 * (contract §12).
 */
import type {
  AmountTable,
  Multiplier,
  TaskPrice,
  TaskQuantity,
} from "../contract/price/task-price.ts";
import { parseDecimal } from "../contract/price/decimal.ts";
import { readAmount, readFactor } from "./read-amount.ts";
import type { PricedParameters } from "./task-parameters.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";
import { meantBy, shown } from "./yaml-reader.ts";

const PRICE_FIELDS = ["unit", "quantity", "amount", "multiply"] as const;
const UNIT = /^[A-Za-z][A-Za-z0-9 ]{0,31}$/;
/** A table by one parameter inside a table by another, and so on; no real price goes deeper. */
const DEEPEST_TABLE = 6;

/**
 * `parameters`: those of the model's table; undefined when the table is not known, and names cannot
 * be checked. A value that an amount table leaves out is not sold; a value that does not exist is a
 * slip that would let a customer pay too little, so it is a mistake.
 */
export function readTaskPrice(
  reader: YamlReader,
  at: Place,
  parameters: PricedParameters | undefined,
): TaskPrice | undefined {
  const fields = reader.fields(at, PRICE_FIELDS);
  if (fields === undefined) return undefined;
  const unitPlace = reader.required(at, fields, "unit");
  const quantityPlace = reader.required(at, fields, "quantity");
  const amountPlace = reader.required(at, fields, "amount");
  const unit = unitPlace && readUnit(reader, unitPlace);
  const quantity = quantityPlace && readQuantity(reader, quantityPlace, parameters);
  const amount = amountPlace && readAmountTable(reader, amountPlace, parameters, 1);
  const multiply =
    fields.multiply === undefined ? [] : readMultipliers(reader, fields.multiply, parameters);
  if (
    unit === undefined ||
    quantity === undefined ||
    amount === undefined ||
    multiply === undefined
  )
    return undefined;
  return { unit, quantity, amount, multiply };
}

function readUnit(reader: YamlReader, at: Place): string | undefined {
  const text = reader.text(at);
  if (text === undefined || UNIT.test(text)) return text;
  reader.note(at, "expected", { what: "unit", got: shown(at) });
  return undefined;
}

function readQuantity(
  reader: YamlReader,
  at: Place,
  parameters: PricedParameters | undefined,
): TaskQuantity | undefined {
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const value = parseDecimal(text);
  if (value !== null && value.digits > 0n) return { kind: "number", value };
  if (value !== null || /^-?[\d.]/.test(text)) {
    reader.note(at, "expected", { what: "quantity", got: shown(at) });
    return undefined;
  }
  if (!checkParameter(reader, at, text, parameters)) return undefined;
  const parameter = parameters?.get(text);
  if (parameter?.isQuantity === false) reader.note(at, "not_a_quantity", { parameter: text });
  else if (parameter?.isAlwaysThere === false)
    reader.note(at, "quantity_left_out", { parameter: text });
  else return { kind: "parameter", parameter: text };
  return undefined;
}

function readAmountTable(
  reader: YamlReader,
  at: Place,
  parameters: PricedParameters | undefined,
  depth: number,
): AmountTable | undefined {
  if (!reader.isMapping(at)) {
    const perUnitNano = readAmount(reader, at);
    return perUnitNano === undefined ? undefined : { kind: "amount", perUnitNano };
  }
  if (depth > DEEPEST_TABLE) {
    reader.note(at, "too_deep", { what: "tables", max: DEEPEST_TABLE });
    return undefined;
  }
  const fields = reader.fields(at, ["by", "values"]);
  if (fields === undefined) return undefined;
  const byPlace = reader.required(at, fields, "by");
  const valuesPlace = reader.required(at, fields, "values");
  const by = byPlace && reader.text(byPlace);
  const known =
    byPlace !== undefined && by !== undefined && checkListed(reader, byPlace, by, parameters);
  const entries = valuesPlace && reader.entries(valuesPlace);
  if (valuesPlace !== undefined && entries?.length === 0)
    reader.note(valuesPlace, "none_given", { what: "amount" });
  const values = new Map<string, AmountTable>();
  for (const entry of entries ?? []) {
    if (by !== undefined && known)
      checkValue(reader, entry.at, { parameter: by, value: entry.name }, parameters);
    const table = readAmountTable(reader, entry.at, parameters, depth + 1);
    if (table !== undefined) values.set(entry.name, table);
  }
  if (
    by === undefined ||
    !known ||
    entries === undefined ||
    values.size === 0 ||
    values.size < entries.length
  )
    return undefined;
  return { kind: "by", parameter: by, values };
}

function readMultipliers(
  reader: YamlReader,
  at: Place,
  parameters: PricedParameters | undefined,
): Multiplier[] | undefined {
  const places = reader.items(at);
  if (places === undefined) return undefined;
  const multipliers: Multiplier[] = [];
  for (const place of places) {
    const fields = reader.fields(place, ["when", "by"]);
    if (fields === undefined) continue;
    const whenPlace = reader.required(place, fields, "when");
    const byPlace = reader.required(place, fields, "by");
    const when = whenPlace && readConditions(reader, whenPlace, parameters);
    const by = byPlace && readFactor(reader, byPlace);
    if (when !== undefined && by !== undefined) multipliers.push({ when, by });
  }
  return multipliers.length === places.length ? multipliers : undefined;
}

function readConditions(
  reader: YamlReader,
  at: Place,
  parameters: PricedParameters | undefined,
): Map<string, string> | undefined {
  const entries = reader.entries(at);
  if (entries === undefined) return undefined;
  if (entries.length === 0) reader.note(at, "none_given", { what: "parameter_value" });
  const conditions = new Map<string, string>();
  for (const entry of entries) {
    const value = reader.text(entry.at);
    if (!checkParameter(reader, entry.at, entry.name, parameters) || value === undefined) continue;
    if (checkValue(reader, entry.at, { parameter: entry.name, value }, parameters))
      conditions.set(entry.name, value);
  }
  return conditions.size === entries.length && conditions.size > 0 ? conditions : undefined;
}

function checkParameter(
  reader: YamlReader,
  at: Place,
  name: string,
  parameters: PricedParameters | undefined,
): boolean {
  if (parameters === undefined || parameters.has(name)) return true;
  reader.note(at, "unknown_name", { what: "parameter", name, ...meantBy(name, parameters.keys()) });
  return false;
}

/** An amount can be looked up only by what has a list of values. */
function checkListed(
  reader: YamlReader,
  at: Place,
  name: string,
  parameters: PricedParameters | undefined,
): boolean {
  if (!checkParameter(reader, at, name, parameters)) return false;
  if (parameters?.get(name)?.values !== null) return true;
  reader.note(at, "no_list_of_values", { parameter: name });
  return false;
}

function checkValue(
  reader: YamlReader,
  at: Place,
  { parameter, value }: { readonly parameter: string; readonly value: string },
  parameters: PricedParameters | undefined,
): boolean {
  const values = parameters?.get(parameter)?.values ?? null;
  if (values === null || values.includes(value)) return true;
  reader.note(at, "never_value", { parameter, value, ...meantBy(value, values) });
  return false;
}
