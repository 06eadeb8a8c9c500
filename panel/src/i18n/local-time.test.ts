/** Protects: an expiry chosen in a picker is the moment that its zone's clocks show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromLocalTime, toLocalTime } from "./local-time.ts";

test("a moment becomes the zone's clock time, and comes back", () => {
  for (const [zone, iso, local] of [
    ["Europe/Moscow", "2026-11-22T05:16:00.000Z", "2026-11-22T08:16"],
    ["Asia/Kathmandu", "2026-11-21T20:00:00.000Z", "2026-11-22T01:45"],
    ["America/New_York", "2026-07-01T03:59:00.000Z", "2026-06-30T23:59"],
    ["UTC", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00"],
  ] as const) {
    assert.equal(toLocalTime(iso, zone), local);
    assert.equal(fromLocalTime(local, zone), iso);
  }
});

test("around a change of clocks the offset of the moment itself counts", () => {
  assert.equal(fromLocalTime("2026-10-25T12:00", "Europe/Berlin"), "2026-10-25T11:00:00.000Z");
  assert.equal(fromLocalTime("2026-03-29T01:30", "Europe/Berlin"), "2026-03-29T00:30:00.000Z");
  assert.equal(fromLocalTime("2026-03-29T03:30", "Europe/Berlin"), "2026-03-29T01:30:00.000Z");
});
