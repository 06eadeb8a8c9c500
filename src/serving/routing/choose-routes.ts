/**
 * The order in which a request tries a model's routes: by `order`, and within one order at random
 * by weight (contract §5).
 */
import type { Route } from "../../catalogue/catalogue.ts";

type Ordered = Pick<Route, "order" | "weight">;

/** Returns every route once. `random` gives numbers in [0, 1). */
export function chooseRoutes<T extends Ordered>(
  routes: readonly T[],
  random: () => number,
): readonly T[] {
  if (routes.length === 1) return routes;
  const rest = [...routes];
  const chosen: T[] = [];
  while (rest.length > 0) chosen.push(...rest.splice(nextOf(rest, random), 1));
  return chosen;
}

/** Where the next of them stands. */
function nextOf(routes: readonly Ordered[], random: () => number): number {
  let lowest = Infinity;
  let total = 0;
  for (const { order, weight } of routes) {
    if (order < lowest) total = 0;
    lowest = Math.min(lowest, order);
    if (order === lowest) total += weight;
  }
  let point = random() * total;
  let next = 0;
  for (const [index, { order, weight }] of routes.entries()) {
    if (order !== lowest) continue;
    next = index;
    point -= weight;
    if (point < 0) break;
  }
  return next;
}
