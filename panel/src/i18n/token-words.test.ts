/** Protects: tokens are counted in words that agree with the number beside them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { modelsEn } from "./texts/models.en.ts";
import { modelsRu } from "./texts/models.ru.ts";
import { playgroundEn } from "./texts/playground.en.ts";
import { playgroundRu } from "./texts/playground.ru.ts";

test("tokens agree with their count: 1 токен, 62 токена, 11 токенов", () => {
  for (const [count, ru, en] of [
    [1, "1 токен", "1 token"],
    [62, "62 токена", "62 tokens"],
    [11, "11 токенов", "11 tokens"],
    [131_072, "131072 токена", "131072 tokens"],
  ] as const) {
    assert.equal(playgroundRu.tokens("53", count, String(count)), `53 → ${ru}`);
    assert.equal(playgroundEn.tokens("53", count, String(count)), `53 → ${en}`);
    assert.equal(playgroundRu.inputTokens(count, String(count)), `≈ ${ru} на входе`);
    assert.equal(playgroundEn.inputTokens(count, String(count)), `≈ ${en.replace(" ", " input ")}`);
    assert.equal(modelsRu.tokens(count, String(count)), ru);
    assert.equal(modelsEn.tokens(count, String(count)), en);
  }
});
