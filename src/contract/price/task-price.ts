/** The shape of a task price: a declarative table over the parameters of a task. */
import type { Nano } from "../../kernel/money.ts";
import type { Decimal } from "./decimal.ts";

/** unit × quantity × amount (a table by parameters) × multipliers; evaluated by price-task.ts. */
export interface TaskPrice {
  /** What one unit is, for people: `second`, `image`. */
  readonly unit: string;
  readonly quantity: TaskQuantity;
  readonly amount: AmountTable;
  readonly multiply: readonly Multiplier[];
}

export type TaskQuantity =
  | { readonly kind: "parameter"; readonly parameter: string }
  | { readonly kind: "number"; readonly value: Decimal };

export type AmountTable =
  | { readonly kind: "amount"; readonly perUnitNano: Nano }
  | {
      readonly kind: "by";
      readonly parameter: string;
      readonly values: ReadonlyMap<string, AmountTable>;
    };

export interface Multiplier {
  /** Parameter names and the values, as text, that they all must have. */
  readonly when: ReadonlyMap<string, string>;
  readonly by: Decimal;
}
