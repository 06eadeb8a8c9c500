/** Protects: rows that are taken over change their own amounts, add their models, and nothing else of the text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedCost, NewListedModel } from "../../../../src/contract/panel/upstream-list.ts";
import { withTaken } from "./take-rows.ts";

const SOURCE = `models:
  a: # ours
    cost: { input: "1", output: '2', request: 3 } # as agreed
payments: {}
`;

function cost(written: string, after: string, editable = true): ListedCost {
  const from = SOURCE.indexOf(written);
  return {
    model: "a",
    upstreamModel: "a",
    kind: "input",
    before: "1",
    after,
    percent: null,
    big: false,
    line: 3,
    from,
    to: from + written.length,
    editable,
  };
}

function model(id: string, text: string | null): NewListedModel {
  return { id, name: null, contextTokens: null, input: null, output: null, text };
}

test("amounts are written in their quotes, and what stands for several things is left alone", () => {
  const costs = [cost('"1"', "1.5"), cost("'2'", "20"), cost("3", "0")];
  const taken = withTaken(SOURCE, { costs, models: [], endOfModels: null });
  assert.equal(
    taken,
    SOURCE.replace('"1"', '"1.5"').replace("'2'", "'20'").replace("request: 3", "request: 0"),
  );
  const shared = [cost('"1"', "9", false)];
  assert.equal(withTaken(SOURCE, { costs: shared, models: [], endOfModels: null }), SOURCE);
});

test("models are written behind the last one, with amounts changed before them", () => {
  const endOfModels = SOURCE.indexOf("payments:");
  const models = [model("b", "  b: 1\n"), model("c", null), model("d", "  d: 2\n")];
  assert.equal(
    withTaken(SOURCE, { costs: [cost('"1"', "1.25")], models, endOfModels }),
    SOURCE.replace('"1"', '"1.25"').replace("payments:", "\n  b: 1\n\n  d: 2\npayments:"),
  );
  assert.equal(
    withTaken("models: # none", { costs: [], models: [model("b", "  b: 1\n")], endOfModels: 14 }),
    "models: # none\n\n  b: 1\n",
  );
});
