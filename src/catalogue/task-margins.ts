/**
 * What a task model sells for each choice of the parameters that decide, and what its dearest route
 * takes for it.
 */
import { multiply, type Decimal } from "../contract/price/decimal.ts";
import type { PriceAndCost } from "../contract/price/margin.ts";
import type { AmountTable, TaskPrice } from "../contract/price/task-price.ts";
import { taskPriceParts } from "../contract/price/price-task.ts";
import { divideUp, nano, NANO_PER_ROUBLE, type Nano } from "../kernel/money.ts";
import type { TaskModel } from "./catalogue.ts";
import { dearest, type SoldPart } from "./sold-part.ts";

type Choice = Readonly<Record<string, string>>;

/** A table of more choices is compared in these first ones. */
const MOST_CHOICES = 500;

/**
 * For one unit of what the price counts; a route that counts something else does not say what it
 * takes for that.
 */
export function taskMargins({ price, routes }: TaskModel): SoldPart[] {
  const costs = comparableCosts({ price, routes });
  const kinds = choicesOf([price, ...costs]).flatMap((choice): [string, PriceAndCost][] => {
    const priceNano = unitNano(price, choice);
    if (priceNano === null) return [];
    return [
      [
        nameOf(choice, price),
        { priceNano, costNano: dearest(costs.map((cost) => unitNano(cost, choice))) },
      ],
    ];
  });
  return [{ tier: null, variant: null, kinds: new Map(kinds) }];
}

/** What a route takes for what one amount of the price's table is paid for. */
export interface CostOfAmount {
  readonly choice: Choice;
  /** Null: not known. */
  readonly costNano: Nano | null;
}

const ONE_ROUBLE: AmountTable = { kind: "amount", perUnitNano: nano(NANO_PER_ROUBLE) };

/**
 * For each choice, brought down by what the price makes of one amount (its quantity where that is a
 * number, its multipliers), and rounded up: the amount at which nothing is left.
 */
export function costsOfAmounts({
  price,
  routes,
}: Pick<TaskModel, "price" | "routes">): CostOfAmount[] {
  const costs = comparableCosts({ price, routes });
  return choicesOf([price, ...costs]).flatMap((choice) => {
    const timesNano = unitNano({ ...price, amount: ONE_ROUBLE }, choice);
    if (timesNano === null || unitNano(price, choice) === null) return [];
    const known = dearest(costs.map((cost) => unitNano(cost, choice)));
    const costNano = known === null ? null : nano(divideUp(known * NANO_PER_ROUBLE, timesNano));
    return [{ choice, costNano }];
  });
}

function comparableCosts({ price, routes }: Pick<TaskModel, "price" | "routes">): TaskPrice[] {
  return routes.flatMap(({ cost }) =>
    cost === null || quantityOf(cost) !== quantityOf(price) ? [] : [cost],
  );
}

/** By choice, what both of them sell, in a unit that both count. */
export function soldByBoth(
  old: TaskPrice,
  now: TaskPrice,
): { readonly kind: string; readonly beforeNano: Nano; readonly afterNano: Nano }[] {
  if (quantityOf(old) !== quantityOf(now)) return [];
  return choicesOf([now, old]).flatMap((choice) => {
    const [beforeNano, afterNano] = [unitNano(old, choice), unitNano(now, choice)];
    return beforeNano === null || afterNano === null
      ? []
      : [{ kind: nameOf(choice, now), beforeNano, afterNano }];
  });
}

function nameOf(choice: Choice, { unit }: TaskPrice): string {
  const words = Object.entries(choice).map(([name, value]) => `${name}=${value}`);
  return words.length === 0 ? unit : words.join(", ");
}

/** What it counts; a plain number is part of the price of one task. */
function quantityOf({ quantity }: TaskPrice): string {
  return quantity.kind === "parameter" ? quantity.parameter : "";
}

/**
 * Every combination of values that one of the tables or multipliers names; of multipliers also that
 * they do not apply.
 */
function choicesOf(prices: readonly TaskPrice[]): Choice[] {
  const values = new Map<string, Set<string>>();
  const note = (parameter: string, value: string): void =>
    void values.set(parameter, (values.get(parameter) ?? new Set()).add(value));
  for (const { amount, multiply: factors } of prices) {
    noteTable(amount, note);
    for (const { when } of factors) for (const [parameter, value] of when) note(parameter, value);
  }
  for (const { multiply: factors } of prices) {
    for (const { when } of factors)
      for (const parameter of when.keys())
        if (values.get(parameter)?.size === 1) note(parameter, otherThan(values, parameter));
  }
  return [...values].reduce<Choice[]>(
    (choices, [parameter, known]) =>
      choices
        .flatMap((choice) => [...known].map((value) => ({ ...choice, [parameter]: value })))
        .slice(0, MOST_CHOICES),
    [{}],
  );
}

/** The other value of a flag; of anything else that it is another. */
function otherThan(values: ReadonlyMap<string, ReadonlySet<string>>, parameter: string): string {
  const [only = ""] = values.get(parameter) ?? [];
  if (only === "true") return "false";
  return only === "false" ? "true" : "other";
}

function noteTable(table: AmountTable, note: (parameter: string, value: string) => void): void {
  if (table.kind === "amount") return;
  for (const [value, inner] of table.values) {
    note(table.parameter, value);
    noteTable(inner, note);
  }
}

/** Null where it is not sold. */
function unitNano(price: TaskPrice, choice: Choice): Nano | null {
  const one: Decimal = { digits: 1n, scale: 0 };
  const quantity =
    price.quantity.kind === "number" ? price.quantity : { kind: "number" as const, value: one };
  const parts = taskPriceParts({ ...price, quantity }, choice);
  if (parts.kind === "unpriced") return null;
  const total = parts.multipliers.reduce(
    (sum, { by }) => multiply(sum, by),
    multiply(parts.quantity, { digits: parts.perUnitNano, scale: 0 }),
  );
  return nano(divideUp(total.digits, 10n ** BigInt(total.scale)));
}
