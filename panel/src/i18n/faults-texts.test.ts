/**
 * Protects: whatever the API refuses, a page says it in the reader's language, by its code and what
 * the error names, never by its English text.
 */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SCHEMA_MISTAKES } from "../../../src/contract/enums/schema-mistake.ts";
import { faultsEn } from "./texts/faults.en.ts";
import { faultsRu, type FaultsTexts, type Sentence } from "./texts/faults.ru.ts";

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

function assertWorded(sentence: Sentence, language: "ru" | "en", about: string): void {
  for (const params of [{}, PARAMS]) {
    const stated = sentence(params).replaceAll(OWN_WORDS, "");
    assert.match(stated, /^[A-ZА-ЯЁ][^]*\.$/u, about);
    assert.doesNotMatch(stated, language === "ru" ? /[a-z]/i : /[а-яё]/i, about);
    assert.doesNotMatch(stated, /undefined|NaN|object/, about);
  }
}

for (const [language, { byCode, byMistake }] of LANGUAGES) {
  test(`every fault of the table, and no answer at all, has its sentence in the language of the page (${language})`, () => {
    for (const [code, sentence] of Object.entries(byCode)) assertWorded(sentence, language, code);
  });

  test(`every mistake of a field has its sentence in the language of the page (${language})`, () => {
    for (const [code, sentence] of Object.entries(byMistake))
      assertWorded(sentence, language, code);
  });

  test(`a bound that a field breaks is named: "not less than 7", not "too little" (${language})`, () => {
    for (const code of [
      "minLength",
      "maxLength",
      "minimum",
      "maximum",
      "minItems",
      "maxItems",
    ] as const) {
      assert.match(byMistake[code](PARAMS), /7/, code);
    }
  });
}

test("every word by which a schema of the panel refuses a value is told by that word", async () => {
  const keywords = await keywordsOfPanel();
  assert.ok(keywords.size > 8, [...keywords].join());
  const reported = new Set<string>(SCHEMA_MISTAKES);
  assert.deepEqual(
    [...keywords].filter((word) => !reported.has(word)),
    [],
  );
});

test("a code of the API, or of a field, without words in a language does not compile", () => {
  const { gone: _gone, ...codes } = faultsEn.byCode;
  const { required: _required, ...mistakes } = faultsRu.byMistake;
  // @ts-expect-error -- "gone" has no words.
  const noFault: FaultsTexts = { ...faultsEn, byCode: codes };
  // @ts-expect-error -- "required" has no words.
  const noMistake: FaultsTexts = { ...faultsRu, byMistake: mistakes };
  assert.ok(noFault !== noMistake);
});

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
