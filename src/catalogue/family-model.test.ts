/**
 * Guards the mapping of family ids (contract §5): prefix and tier decide, and an id that fits
 * neither maps to nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { familyModel } from "./family-model.ts";

const FAMILIES = {
  prefix: "claude",
  tiers: [
    { tier: "large", match: "opus", model: "big", listAs: "claude-opus-latest" },
    { tier: "medium", match: "sonnet", model: "middle", listAs: "claude-sonnet-latest" },
    { tier: "small", match: "haiku", model: "little", listAs: "claude-haiku-latest" },
  ],
} as const;

test("a family id stands for the model of its tier", () => {
  for (const [id, model] of [
    ["claude-opus-4-5", "big"],
    ["claude-3-7-sonnet-20250219", "middle"],
    ["claude-haiku-4-5", "little"],
    ["claude-3-opus", "big"],
    ["claude-instant-1", null],
    ["claude", null],
    ["claudeopus", null],
    ["claudex-opus-4", null],
    ["gpt-opus", null],
    ["my-claude-opus", null],
    ["CLAUDE-OPUS", null],
  ] as const) {
    assert.equal(familyModel(FAMILIES, id), model, id);
  }
  assert.equal(familyModel({ prefix: "claude", tiers: [] }, "claude-opus-4"), null);
});
