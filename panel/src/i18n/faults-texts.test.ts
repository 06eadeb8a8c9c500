/**
 * Protects: whatever the API refuses, a page says it in the reader's language, by its code and what
 * the error names, never by its English text.
 */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FAULTS } from "../../../src/kernel/faults.ts";
import { faultsEn } from "./texts/faults.en.ts";
import { faultsRu, type Sentence } from "./texts/faults.ru.ts";

const LANGUAGES = [
  ["ru", faultsRu],
  ["en", faultsEn],
] as const;

/** All that any error names. */
const PARAMS = {
  limit: 7,
  values: "day, month",
  model: "echo",
  freeBytes: 1_500_000,
  quotaBytes: 2_000_000_000,
  limitBytes: 200_000_000,
};
/** What stands in a sentence as the caller wrote it. */
const OWN_WORDS = /echo|day, month/g;

function assertSaid(sentence: Sentence | undefined, language: "ru" | "en", about: string): void {
  assert.ok(sentence !== undefined, `${about} has no words in ${language}`);
  for (const params of [{}, PARAMS]) {
    const said = sentence(params).replaceAll(OWN_WORDS, "");
    assert.match(said, /^[A-ZА-ЯЁ][^]*\.$/u, about);
    assert.doesNotMatch(said, language === "ru" ? /[a-z]/i : /[а-яё]/i, about);
    assert.doesNotMatch(said, /undefined|NaN|object/, about);
  }
}

for (const [language, { byCode, byMistake }] of LANGUAGES) {
  test(`every fault of the table, and no answer at all, has its sentence in the language of the page (${language})`, () => {
    for (const code of [...Object.keys(FAULTS), "network"])
      assertSaid(byCode[code], language, code);
  });

  test(`every mistake that a schema of the panel can find in a form has its sentence in the language of the page (${language})`, async () => {
    const keywords = await keywordsOfPanel();
    assert.ok(keywords.size > 8, [...keywords].join());
    for (const code of keywords) assertSaid(byMistake[code], language, code);
  });

  test(`a bound that a field breaks is named: "not less than 7", not "too little" (${language})`, () => {
    for (const code of ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"]) {
      assert.match(byMistake[code]?.(PARAMS) ?? "", /7/, code);
    }
  });
}

/** By which the panel's schemas refuse a value: JSON Schema's own words are the codes. */
async function keywordsOfPanel(): Promise<Set<string>> {
  const folder = join(import.meta.dirname, "../../../src/contract/panel");
  const found = new Set(["required", "type"]);
  for (const file of globSync("*.ts", { cwd: folder })) {
    if (file.includes(".test.")) continue;
    const module = (await import(join(folder, file))) as Record<string, unknown>;
    for (const schema of Object.values(module)) collect(schema, found);
  }
  return found;
}

const NO_RULES = new Set([
  "type",
  "properties",
  "items",
  "description",
  "default",
  "examples",
  "title",
  "$id",
  "patternProperties",
  "additionalItems",
]);

function collect(schema: unknown, found: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  if (Array.isArray(schema)) {
    for (const each of schema) collect(each, found);
    return;
  }
  for (const [word, value] of Object.entries(schema)) {
    if (word === "properties")
      for (const inner of Object.values(value as object)) collect(inner, found);
    else if (word === "items" || word === "anyOf" || word === "allOf") collect(value, found);
    const isSchema = "type" in schema || "anyOf" in schema || "enum" in schema;
    if (isSchema && !NO_RULES.has(word) && !word.startsWith("~") && !word.startsWith("x-"))
      found.add(word);
  }
}
