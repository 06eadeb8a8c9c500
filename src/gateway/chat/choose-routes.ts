/** The order in which a request tries a model's routes: by `order`, and within one order at random by weight (contract §5). */
import type { Route } from "../../catalogue/catalogue.ts";

/** Returns every route once. `random` gives numbers in [0, 1). */
export function chooseRoutes(routes: readonly Route[], random: () => number): Route[] {
  if (routes.length === 1) return [...routes];
  const chosen: Route[] = [];
  const orders = [...new Set(routes.map((route) => route.order))].sort((a, b) => a - b);
  for (const order of orders) {
    const rest = routes.filter((route) => route.order === order);
    while (rest.length > 0) {
      const total = rest.reduce((sum, route) => sum + route.weight, 0);
      let point = random() * total;
      let index = rest.findIndex((route) => (point -= route.weight) < 0);
      if (index < 0) index = rest.length - 1;
      chosen.push(...rest.splice(index, 1));
    }
  }
  return chosen;
}
