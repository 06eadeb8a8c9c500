/** Guarantee: what an address asks for by cost and duration is what was typed, or nothing of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { askedWeights } from "./asked-weights.ts";

const NONE = { chargedFrom: "", chargedTo: "", durationFrom: "", durationTo: "" };

test("roubles with a comma or a point, whole milliseconds, and nothing else", () => {
  assert.deepEqual(askedWeights(NONE), {});
  assert.deepEqual(
    askedWeights({ chargedFrom: "0,05", chargedTo: "12.5", durationFrom: "0", durationTo: "900" }),
    { chargedFrom: "0.05", chargedTo: "12.5", durationFromMs: 0, durationToMs: 900 },
  );
  for (const wrong of ["-1", "1e3", "1,2,3", ".5", "a", "1234567890"])
    assert.deepEqual(
      askedWeights({
        chargedFrom: wrong,
        chargedTo: wrong,
        durationFrom: wrong,
        durationTo: wrong,
      }),
      {},
      wrong,
    );
  assert.deepEqual(askedWeights({ ...NONE, durationFrom: "1.5" }), {});
});
