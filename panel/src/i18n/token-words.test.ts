/** Protects: tokens are counted in words that agree with the number beside them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGE_FIGURES } from "./page-figures.ts";
import { REASONS_RU } from "./reasons-ru.ts";
import { REFUSALS_RU } from "./refusals-ru.ts";
import { modelsEn } from "./texts/models.en.ts";
import { modelsRu } from "./texts/models.ru.ts";
import { operatorCatalogueEn } from "./texts/operator-catalogue.en.ts";
import { operatorCatalogueRu } from "./texts/operator-catalogue.ru.ts";
import { playgroundEn } from "./texts/playground.en.ts";
import { playgroundRu } from "./texts/playground.ru.ts";
import { requestsEn } from "./texts/requests.en.ts";
import { requestsRu } from "./texts/requests.ru.ts";

test("a bound agrees with its number in the genitive: длиннее 21 токена, 22 токенов, 5 токенов", () => {
  for (const [count, ru, en] of [
    [1, "1 токена", "1 token"],
    [21, "21 токена", "21 tokens"],
    [22, "22 токенов", "22 tokens"],
    [200_005, "200005 токенов", "200005 tokens"],
    [200_001, "200001 токена", "200001 tokens"],
  ] as const) {
    const shown = String(count);
    const reported = [
      [modelsRu.tier, modelsEn.tier],
      [modelsRu.tierCounts, modelsEn.tierCounts],
      [operatorCatalogueRu.aboveTokens, operatorCatalogueEn.aboveTokens],
      [requestsRu.tierAbove, requestsEn.tierAbove],
    ] as const;
    for (const [russian, english] of reported) {
      assert.match(russian(count, shown), new RegExp(`длиннее ${ru}(?!.)|длиннее ${ru}:`, "u"));
      assert.match(english(count, shown), new RegExp(`above ${en}(?!.)|above ${en}:`));
    }
  }
});

test("other bounds and counts agree with their numbers, too", () => {
  const larger = (limitBytes: number): string =>
    REASONS_RU.answer_too_large({ limitBytes }, PAGE_FIGURES.ru).replaceAll("\u00A0", " ");
  assert.equal(larger(21), "ответ больше 21 байта");
  assert.equal(larger(33_554_432), "ответ больше 33 554 432 байт");
  for (const [tokens, ru] of [
    [21, "21 токен"],
    [22, "22 токена"],
    [25, "25 токенов"],
  ] as const) {
    assert.equal(
      REASONS_RU.output_above_limit({ tokens, limit: 20, runs: 1 }, PAGE_FIGURES.ru),
      `ответ в ${ru} больше предела: 20`,
    );
  }
  assert.equal(
    REFUSALS_RU.days_expected({ limit: 31 }, PAGE_FIGURES.ru),
    "Выберите от 1 до 31 дня, начиная с первого.",
  );
  assert.equal(
    REFUSALS_RU.days_expected({ limit: 92 }, PAGE_FIGURES.ru),
    "Выберите от 1 до 92 дней, начиная с первого.",
  );
  assert.match(playgroundRu.imagesTooMany(21), /21 изображения /u);
});

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
