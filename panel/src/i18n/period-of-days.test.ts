/** Guarantee: a period at a press is the member's own days, and old links keep theirs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { daysOfPeriod, readPeriod } from "./period-of-days.ts";

/** One in the morning in Moscow, the day before in London. */
const NOW = Date.parse("2026-11-26T22:00:00Z");
const NONE = { from: "", to: "" };

test("days of a period, in the zone of the member", () => {
  const days = (period: Parameters<typeof daysOfPeriod>[0], zone = "Europe/Moscow") =>
    daysOfPeriod(period, NONE, NOW, zone);
  assert.deepEqual(days("today"), { from: "2026-11-27", to: "2026-11-27" });
  assert.deepEqual(days("today", "Europe/London"), { from: "2026-11-26", to: "2026-11-26" });
  assert.deepEqual(days("yesterday"), { from: "2026-11-26", to: "2026-11-26" });
  assert.deepEqual(days("7d"), { from: "2026-11-21", to: "2026-11-27" });
  assert.deepEqual(days("30d"), { from: "2026-10-29", to: "2026-11-27" });
  assert.deepEqual(days(""), NONE);
  const own = { from: "2026-01-01", to: "2026-01-31" };
  assert.deepEqual(daysOfPeriod("own", own, NOW, "Europe/Moscow"), own);
});

test("what an address asks for", () => {
  assert.equal(readPeriod("7d", NONE), "7d");
  assert.equal(readPeriod("", { from: "2026-01-01", to: "" }), "own");
  assert.equal(readPeriod("nonsense", NONE), "");
});
