/**
 * Moments that people and programs send are read exactly, and what is not one is not guessed at.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMoment } from "./parse-moment.ts";

test("a moment with a zone and a plain date are read", () => {
  assert.equal(parseMoment("2026-11-21T09:30:00Z")?.toISOString(), "2026-11-21T09:30:00.000Z");
  assert.equal(parseMoment("2026-11-21T09:30+03:00")?.toISOString(), "2026-11-21T06:30:00.000Z");
  assert.equal(parseMoment("2028-02-29")?.toISOString(), "2028-02-29T00:00:00.000Z");
});

test("a moment without a zone, a day that does not exist and loose spellings are refused", () => {
  for (const text of [
    "2026-11-21T09:30:00",
    "2026-02-29",
    "2026-02-30T00:00:00Z",
    "2026-13-01",
    "2026-00-10",
    "2026-11-00",
    "21.11.2026",
    "tomorrow",
    "",
    "2026-11-21T25:00:00Z",
    " 2026-11-21",
  ]) {
    assert.equal(parseMoment(text), null, text);
  }
});
