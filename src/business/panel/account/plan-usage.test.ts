/** Guarantee: a running hour or day is never held against a whole one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { leadOf, planUsage, USAGE_DAYS_MAX, type UsagePlan, type UsageTime } from "./plan-usage.ts";

/** Half past midnight in Moscow: the day before in London. */
const CLOCK = { now: new Date("2026-11-26T21:30:00.000Z"), today: "2026-11-27" };

function plan(time: UsageTime): UsagePlan {
  const planned = planUsage(time, CLOCK);
  assert.ok(planned !== null);
  assert.equal(planned.before.length, planned.points.length);
  return planned;
}

test("24 hours end with the running one, which is compared with nothing", () => {
  const { grain, source, points, before, over } = plan({ range: "24h" });
  assert.deepEqual([grain, source, points.length, over], ["hour", "hours", 24, 23]);
  assert.deepEqual(
    [points[0], points.at(-1)],
    ["2026-11-25T22:00:00.000Z", "2026-11-26T21:00:00.000Z"],
  );
  assert.deepEqual(
    [before[0], before.at(-1)],
    ["2026-11-24T22:00:00.000Z", "2026-11-25T21:00:00.000Z"],
  );
});

test("days are Moscow's, and each is held against the one as many days earlier", () => {
  const week = plan({ range: "7d" });
  assert.deepEqual(
    [week.grain, week.source, week.over, week.points[0], week.points.at(-1)],
    ["day", "days-of-hours", 6, "2026-11-21", "2026-11-27"],
  );
  assert.deepEqual([week.before[0], week.before.at(-1)], ["2026-11-14", "2026-11-20"]);
  const month = plan({ range: "30d" });
  assert.deepEqual(
    [month.source, month.points.length, month.over, month.points[0], month.before[0]],
    ["days", 30, 29, "2026-10-29", "2026-09-29"],
  );
});

test("days of one's own: one is told by the hour, past ones are over, later ones are today", () => {
  const one = plan({ from: "2026-11-20", to: "2026-11-20" });
  assert.deepEqual(
    [one.grain, one.points[0], one.points.length, one.over],
    ["hour", "2026-11-19T21:00:00.000Z", 24, 24],
  );
  const today = plan({ from: "2026-11-27", to: "2026-12-31" });
  assert.deepEqual([today.grain, today.points.length, today.over], ["hour", 24, 0]);
  const past = plan({ from: "2026-11-01", to: "2026-11-10" });
  assert.deepEqual([past.points.length, past.over, past.before[0]], [10, 10, "2026-10-22"]);
});

test("days that cannot be are none", () => {
  for (const [from, to] of [
    ["2026-11-10", "2026-11-09"],
    ["2026-11-28", "2026-11-29"],
    ["2025-11-26", "2026-11-27"],
  ] as const)
    assert.equal(planUsage({ from, to }, CLOCK), null, `${from} ${to}`);
  assert.equal(plan({ from: "2025-11-27", to: "2026-11-27" }).points.length, USAGE_DAYS_MAX);
});

test("a week is a line of seven whole days, with the one before it", () => {
  assert.deepEqual(leadOf(plan({ range: "7d" })), ["2026-11-20"]);
  assert.deepEqual(leadOf(plan({ range: "30d" })), []);
  assert.deepEqual(leadOf(plan({ from: "2026-11-24", to: "2026-11-27" })), [
    "2026-11-20",
    "2026-11-21",
    "2026-11-22",
    "2026-11-23",
  ]);
  assert.deepEqual(leadOf(plan({ from: "2026-11-26", to: "2026-11-27" })), []);
});
