/**
 * The declarative price of a task model: unit × quantity × amount table × multipliers (contract
 * §12).
 */
import Type from "typebox";
import type { TSchema, TUnsafe } from "typebox";
import { parseDecimal } from "../contract/price/decimal.ts";
import type { Multiplier, TaskQuantity } from "../contract/price/task-price.ts";
import type { Nano } from "../kernel/money.ts";
import { described, listOf, mapOf, named, orElse, TEXT, value } from "./schema-parts.ts";
import { expected, FACTOR, patterned, ROUBLES } from "./single-values.ts";

/** An amount, or where to look it up: by the values of one parameter. */
export type WrittenAmount = Nano | AmountsByValue;
export interface AmountsByValue {
  readonly by: string;
  readonly values: ReadonlyMap<string, WrittenAmount>;
}

/** A table by one parameter inside a table by another, and so on; no real price goes deeper. */
const DEEPEST_TABLE = 6;

const AGAIN: TUnsafe<WrittenAmount> = Type.Unsafe({ "~again": (): TSchema => AMOUNT });
const AMOUNT: TUnsafe<WrittenAmount> = Type.Unsafe({
  ...Type.Object({
    by: described("The parameter by whose value the amount is looked up.", TEXT),
    values: described(
      "By value of the parameter: the amount, or a table by another parameter. A value that is not here is not sold.",
      mapOf(AGAIN, { none: "amount" }),
    ),
  }),
  description: "Roubles for one unit, or a table of such by a parameter.",
  "~name": "amount",
  "~plain": ROUBLES,
  "~deepest": DEEPEST_TABLE,
});

const QUANTITY = value<TaskQuantity>(
  {
    anyOf: [
      { type: "string", pattern: "^(?!-|0+$)[^ ]" },
      { type: "number", exclusiveMinimum: 0 },
    ],
  },
  (text, found) => {
    const number = parseDecimal(text);
    if (number !== null && number.digits > 0n) return { kind: "number", value: number };
    return number !== null || /^-?[\d.]/.test(text)
      ? expected("quantity", found)
      : { kind: "parameter", parameter: text };
  },
);

const MULTIPLIER = Type.Object({
  when: described(
    "Parameters with the values, that they all must have.",
    mapOf(TEXT, { none: "parameter_value" }),
  ),
  by: described("What the price is multiplied by then.", FACTOR),
});

export const TASK_PRICE = named(
  "taskPrice",
  Type.Object(
    {
      unit: described(
        "A word for one unit, for people: second, image.",
        patterned(/^[A-Za-z][A-Za-z0-9 ]{0,31}$/, "unit"),
      ),
      quantity: described("How many units: a parameter of the table, or a number.", QUANTITY),
      amount: AMOUNT,
      multiply: described(
        "Multipliers of the price, by values of parameters; all that apply count.",
        orElse(listOf(MULTIPLIER), [] as Multiplier[]),
      ),
    },
    { description: "amount × quantity × every multiplier that applies, in roubles." },
  ),
);
