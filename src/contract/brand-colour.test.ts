/** Guards the way from an operator's colour to the palette: hue as CSS has it, chroma within bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tintOf } from "./brand-colour.ts";

test("hues are those of CSS Color 4, and no colour leaves the bounds of chroma", () => {
  // Hues of oklch() as browsers compute them for these colours.
  for (const [colour, hue] of [
    ["#ff0000", 29.2],
    ["#00ff00", 142.5],
    ["#0000ff", 264.1],
    ["#ffff00", 109.8],
  ] as const) {
    assert.deepEqual(tintOf(colour), { hue, chroma: 0.15 });
  }
  const teal = tintOf("#0F766E");
  assert.ok(teal.hue > 175 && teal.hue < 195);
  assert.ok(teal.chroma > 0.07 && teal.chroma < 0.11);
  for (const grey of ["#000000", "#808080", "#ffffff"]) assert.equal(tintOf(grey).chroma, 0.02);
});
