/** Protects: how long a balance lasts is told by what was spent, never by top-ups, and not before it is known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lastsDays, withSample, type BalanceSample } from "./balance-trend.ts";

const BEGIN = Date.parse("2026-03-01T00:00:00Z");
const at = (hours: number): Date => new Date(BEGIN + hours * 3_600_000);
const samples = (
  ...reported: readonly (readonly [hours: number, amount: bigint])[]
): BalanceSample[] => reported.map(([hours, amount]) => [at(hours).toISOString(), String(amount)]);

test("a day's spend says for how many whole days it is enough", () => {
  const spent = samples([0, 100n], [12, 95n]);
  assert.equal(lastsDays(spent, { at: at(24), amount: 90n }), 9);
  assert.equal(lastsDays(spent, { at: at(24), amount: 0n }), 0);
  assert.equal(lastsDays(spent, { at: at(24), amount: -5n }), 0);
});

test("a top-up in between is no income", () => {
  const topped = samples([0, 100n], [12, 90n], [13, 1_090n]);
  assert.equal(lastsDays(topped, { at: at(24), amount: 1_080n }), 54);
});

test("what does not go down, was told just now, or lasts for years has no other figure", () => {
  assert.equal(lastsDays([], { at: at(24), amount: 5n }), null);
  assert.equal(lastsDays(samples([0, 100n]), { at: at(5), amount: 50n }), null);
  assert.equal(lastsDays(samples([0, 100n]), { at: at(48), amount: 100n }), null);
  assert.equal(lastsDays(samples([0, 1_000_000n]), { at: at(24), amount: 999_999n }), 365);
});

test("one sample an hour is kept, for a week", () => {
  let kept: readonly BalanceSample[] = [];
  for (let minute = 0; minute < 14 * 24 * 60; minute += 5)
    kept = withSample(kept, at(minute / 60), BigInt(minute));
  assert.equal(kept.length, 168);
  const last = Date.parse(kept.at(-1)?.[0] ?? "") - BEGIN;
  assert.ok(last > (14 * 24 - 2) * 3_600_000);
});
