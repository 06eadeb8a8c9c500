/**
 * Protects: the name that a stranger gave is text to be shown, and nothing that ends a line, leaves
 * a folder or turns the reader around.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanFileName } from "./clean-file-name.ts";
import { isFileName, newFileName } from "./file-name.ts";

test("what is fit to be shown stays as it is", () => {
  for (const name of ["cat.png", "Отчёт за май.mp4", "日本語 (1).jpg", "a'b\"c%.txt", "👩‍👩‍👧.webp"])
    assert.equal(cleanFileName(name), name);
});

test("folders, control characters and marks of direction are dropped", () => {
  for (const [sent, shown] of [
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\me\\cat.png", "cat.png"],
    ["a\r\nSet-Cookie: x=1.png", "aSet-Cookie: x=1.png"],
    ["nul\0byte.png", "nulbyte.png"],
    ["photo\u202egpj.exe", "photogpj.exe"],
    ["line\u2028break\u0085.png", "linebreak.png"],
    ["  cat.png \t", "cat.png"],
    ["half \ud83d.png", "half \ufffd.png"],
  ] as const) {
    assert.equal(cleanFileName(sent), shown);
  }
});

test("a name of nothing is none", () => {
  for (const sent of ["", "/", "a/", ".", "..", "\0\0", "   ", "\u202e"])
    assert.equal(cleanFileName(sent), null, JSON.stringify(sent));
});

test("a long name keeps its end, and no character is cut in two", () => {
  const shown = cleanFileName(`${"👩".repeat(300)}.png`) ?? "";
  assert.equal([...shown].length, 255);
  assert.ok(shown.endsWith("👩.png") && shown.isWellFormed());
});

test("names of stored files are their own kind: 165 random bits, evenly spread, and nothing else is looked up", () => {
  const names = Array.from({ length: 2_000 }, () => newFileName("png"));
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.every(isFileName));
  const counts = new Map<string, number>();
  for (const character of names.flatMap((name) => [...name.slice(0, 32)]))
    counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 36);
  // 64,000 draws: about 1,778 of each, ±42; a bias of the first letters would be an eighth.
  for (const count of counts.values()) assert.ok(Math.abs(count - 64_000 / 36) < 64_000 / 36 / 8);
  for (const other of [
    "",
    "a.png",
    "../a.png",
    `${"a".repeat(32)}`,
    `${"A".repeat(32)}.png`,
    `${"a".repeat(32)}.png/`,
    `${"a".repeat(32)}.toolongext`,
  ])
    assert.ok(!isFileName(other), other);
  assert.throws(() => newFileName("../x"));
});
