/** Protects: moments are shown in the member's own time zone, days as the API counts them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCount, formatShare, formatSize } from "./format-number.ts";
import {
  formatDate,
  formatDay,
  formatDuration,
  formatRelative,
  formatTime,
  moscowDay,
} from "./format-time.ts";
import { plural } from "./plural.ts";

const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, " ");
const MOSCOW = { language: "ru", timeZone: "Europe/Moscow" } as const;

test("a moment is shown in its zone", () => {
  assert.equal(formatTime("2026-11-22T05:16:52Z", MOSCOW), "22.11.2026, 08:16:52");
  assert.equal(
    formatTime("2026-11-22T05:16:52Z", { language: "en", timeZone: "Asia/Vladivostok" }),
    "22/11/2026, 15:16:52",
  );
  assert.equal(plain(formatDate("2026-11-21T21:30:00Z", MOSCOW)), "22 ноября 2026 г.");
  assert.equal(moscowDay(Date.parse("2026-11-21T21:30:00Z")), "2026-11-22");
  assert.equal(plain(formatDay("2026-11-22", "ru")), "22 нояб.");
});

test("spans are told in the largest unit that fits", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  assert.equal(formatRelative("2026-11-22T11:55:00Z", now, "ru"), "5 минут назад");
  assert.equal(formatRelative("2026-11-24T12:00:00Z", now, "ru"), "послезавтра");
  assert.equal(formatRelative("2026-11-22T10:00:00Z", now, "en"), "2 hours ago");
  assert.equal(formatRelative("2026-11-22T12:00:00Z", now, "en"), "now");
  assert.deepEqual(
    [840, 12_400, 185_000, 7_800_000].map((ms) => plain(formatDuration(ms, "ru"))),
    ["840 мс", "12,4 с", "3 мин 5 с", "2 ч 10 мин"],
  );
});

test("counts, shares and sizes follow the language", () => {
  assert.equal(plain(formatCount(1234567, "ru")), "1 234 567");
  assert.equal(plain(formatShare(0.125, "ru")), "12,5 %");
  assert.equal(plain(formatSize(1_572_864, "ru")), "1,5 МБ");
  assert.equal(plain(formatSize(200 * 1024 ** 2, "en")), "200 MB", "as UPLOAD_MAX_MB has it");
  assert.equal(plain(formatSize(812, "en")), "812 bytes");
  assert.equal(plain(formatSize(812, "ru")), "812 байт");
});

test("a count takes its form of the word", () => {
  const forms = { one: "ключ", few: "ключа", many: "ключей", other: "ключа" };
  assert.deepEqual(
    [1, 2, 5, 11, 21, 1.5].map((count) => plural("ru", count, forms)),
    ["ключ", "ключа", "ключей", "ключей", "ключ", "ключа"],
  );
  assert.deepEqual(
    [1, 2].map((count) => plural("en", count, { one: "key", other: "keys" })),
    ["key", "keys"],
  );
});
