/**
 * Asserts that a Russian page says a mistake of the catalogue in Russian, with the names and
 * figures of the English sentence.
 */
import assert from "node:assert/strict";
import { catalogueSentence } from "../../panel/src/i18n/catalogue-sentence.ts";
import type { CatalogueMistake } from "../../src/contract/catalogue/catalogue-mistake.ts";

/**
 * Three Latin words in a row are a sentence; quotes, brackets and lists are what the file says or
 * should say.
 */
const ENGLISH = /[a-z]+ [a-z]+ [a-z]+/i;
const AS_WRITTEN = /«[^»]*»|\{[^{}]*\}|\[[^[\]]*\]|есть: .*/gsu;

export function assertWordedInRussian(mistake: CatalogueMistake): void {
  const reported = catalogueSentence("ru", mistake);
  assert.match(reported, /[а-яё]{3}/u, `${mistake.code}: ${reported}`);
  assert.doesNotMatch(reported.replaceAll(AS_WRITTEN, ""), ENGLISH, `${mistake.code}: ${reported}`);
  assert.doesNotMatch(reported, /undefined|NaN|object Object|null/, `${mistake.code}: ${reported}`);
  const plain = reported.replaceAll("\u00A0", "");
  for (const value of namesOf(mistake))
    if (typeof value === "string" || typeof value === "number")
      assert.ok(plain.includes(String(value)), `${value} in: ${reported}`);
}

/** Without those that pick words instead of standing in the sentence. */
function namesOf({ code, params }: CatalogueMistake): unknown[] {
  const picking = new Set([
    "reported",
    "slip",
    "what",
    "wanted",
    ...(code === "wrong_kind" ? ["got"] : []),
  ]);
  return Object.entries(params).flatMap(([name, value]: [string, unknown]) =>
    picking.has(name) ? [] : value,
  );
}
