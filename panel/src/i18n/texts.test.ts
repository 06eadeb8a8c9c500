/** Protects: the panel says everything in both languages, and nowhere nothing. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { alertsRu } from "./texts/alerts.ru.ts";
import { keysEn } from "./texts/keys.en.ts";
import { keysRu } from "./texts/keys.ru.ts";

const FOLDER = join(import.meta.dirname, "texts");
const CYRILLIC = /[а-яё]/i;

/**
 * Every text by its path. Functions take counts and words: each is called with a word that is a
 * count.
 */
function textsOf(value: unknown, path: string, found: Map<string, string>): Map<string, string> {
  if (typeof value === "string") found.set(path, value);
  else if (typeof value === "function") {
    const taken = Array.from({ length: value.length }, () => "5");
    textsOf((value as (...args: string[]) => unknown)(...taken), `${path}(${value.length})`, found);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) textsOf(inner, `${path}.${key}`, found);
  } else found.set(path, "");
  return found;
}

async function readTexts(file: string): Promise<Map<string, string>> {
  const module = (await import(join(FOLDER, file))) as Record<string, unknown>;
  const [first] = Object.values(module);
  return textsOf(first, "", new Map());
}

const files = globSync("*.ts", { cwd: FOLDER }).toSorted();
const areas = [...new Set(files.map((file) => basename(file).split(".")[0] ?? ""))];

test("every area has a file for each language and no other", () => {
  assert.ok(areas.length > 0);
  assert.deepEqual(files, areas.flatMap((area) => [`${area}.en.ts`, `${area}.ru.ts`]).toSorted());
});

for (const area of areas) {
  test(`${area}: the same texts in both languages, none of them empty, the English ones without a Russian letter`, async () => {
    const [ru, en] = [await readTexts(`${area}.ru.ts`), await readTexts(`${area}.en.ts`)];
    assert.deepEqual([...ru.keys()].toSorted(), [...en.keys()].toSorted());
    for (const [path, text] of [...ru, ...en])
      assert.notEqual(text.trim(), "", `${area}${path} is empty`);
    for (const [path, text] of en)
      assert.doesNotMatch(text, CYRILLIC, `${area}${path} is not English`);
  });
}

test("a name with quotes of its own gets the inner ones inside a sentence", () => {
  assert.equal(
    keysRu.rollTitle('ООО «Ромашка» и "Лютик"'),
    "Заменить ключ «ООО „Ромашка“ и „Лютик“»?",
  );
  assert.equal(keysEn.rollTitle("“Daisy” Ltd"), "Roll the key “‘Daisy’ Ltd”?");
  assert.equal(
    alertsRu.testOf(alertsRu.ofKey.spend_day("ООО «Ромашка»", "5")).match(/«/g)?.length,
    1,
  );
});
