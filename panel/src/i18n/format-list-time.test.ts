/** Protects: rows of the same second can be told apart, and every row says which day it is of. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatListTime, zoneName } from "./format-list-time.ts";

const MOSCOW = { language: "ru", timeZone: "Europe/Moscow" } as const;
/** 14:20 in Moscow. */
const NOW = Date.parse("2026-11-23T11:20:00Z");
const plain = (iso: string, style = MOSCOW): string => {
  const { text, fraction } = formatListTime(iso, NOW, style);
  return `${text}${fraction}`.replaceAll(/[\u00A0\u202F]/g, " ");
};

test("today to the millisecond, older ones with their day, by the member's own midnight", () => {
  assert.equal(plain("2026-11-23T05:14:22.412Z"), "08:14:22,412");
  assert.equal(plain("2026-11-22T21:00:00.007Z"), "00:00:00,007", "the first of the day in Moscow");
  assert.equal(plain("2026-11-22T20:59:00Z"), "вчера, 23:59");
  assert.equal(plain("2026-11-19T11:05:00Z"), "19 нояб., 14:05");
  assert.equal(plain("2025-11-19T11:05:00Z"), "19.11.2025, 14:05");
});

test("the zone is named as its people name it", () => {
  assert.equal(zoneName(NOW, MOSCOW), "МСК");
  assert.equal(zoneName(NOW, { language: "en", timeZone: "Europe/Moscow" }), "MSK");
  assert.equal(zoneName(NOW, { language: "en", timeZone: "Asia/Vladivostok" }), "GMT+10");
});
