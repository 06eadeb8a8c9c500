/** Protects: routes are tried by order, within one order by weight, each once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../../catalogue/catalogue.ts";
import { chooseRoutes } from "./choose-routes.ts";

function route(upstream: string, order: number, weight: number): Route {
  return { upstream, model: "m", order, weight, cost: null };
}

test("a lower order is always tried first, and every route exactly once", () => {
  const routes = [route("late", 2, 100), route("a", 1, 1), route("b", 1, 1)];
  for (let i = 0; i < 20; i++) {
    const chosen = chooseRoutes(routes, () => i / 20).map((each) => each.upstream);
    assert.equal(chosen.length, 3);
    assert.equal(chosen[2], "late");
    assert.deepEqual([...chosen].sort(), ["a", "b", "late"]);
  }
});

test("within one order the first place is shared by weight", () => {
  const routes = [route("light", 1, 1), route("heavy", 1, 3)];
  const firsts = Array.from(
    { length: 100 },
    (_, i) => chooseRoutes(routes, () => i / 100)[0]?.upstream,
  );
  assert.equal(firsts.filter((name) => name === "heavy").length, 75);
});

test("what weighs in a later order takes no share of an earlier one", () => {
  const routes = [route("late", 2, 100), route("light", 1, 1), route("heavy", 1, 3)];
  const firsts = Array.from(
    { length: 100 },
    (_, i) => chooseRoutes(routes, () => i / 100)[0]?.upstream,
  );
  assert.equal(firsts.filter((name) => name === "light").length, 25);
});

test("a weight of zero is tried last, not never", () => {
  const chosen = chooseRoutes([route("zero", 1, 0), route("one", 1, 1)], () => 0);
  assert.deepEqual(
    chosen.map((each) => each.upstream),
    ["one", "zero"],
  );
});
