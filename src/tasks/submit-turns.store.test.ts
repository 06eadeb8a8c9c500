/**
 * However many ask for turns at once, in no time of the rate's length are there more of them than
 * it allows, and none is kept back for nothing.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import { takeTurn } from "./submit-turns.store.ts";

const HOUR_MS = 3_600_000;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

/** For a task of its own account that has no job, so that it waits for nothing. */
async function take(upstream: string, count: number): Promise<number> {
  const rate = { count, windowMs: HOUR_MS };
  const asked = { upstream, taskId: newUuid(), accountId: newUuid(), rate, maxRunning: null };
  return (await database.db.transaction((tx) => takeTurn(tx, asked))).waitMs;
}

/** As if so much time had passed. */
async function pass(upstream: string, ms: number): Promise<void> {
  await database.db.query(
    `UPDATE tasks.submit_turns SET taken = ARRAY (SELECT at - $2 * interval '1 millisecond' FROM unnest(taken) AS at ORDER BY at)
     WHERE upstream = $1`,
    [upstream, ms],
  );
}

test("of many who ask at once as many get a turn as there are; the others hear when to come back", async () => {
  const all = await Promise.all(Array.from({ length: 40 }, () => take("many", 7)));
  const waits = all.filter((ms) => ms > 0);
  assert.equal(waits.length, 33);
  assert.ok(waits.every((ms) => ms <= HOUR_MS && ms > HOUR_MS - 60_000));
  await pass("many", HOUR_MS);
  const next = await Promise.all(Array.from({ length: 40 }, () => take("many", 7)));
  assert.equal(next.filter((ms) => ms === 0).length, 7);
});

test("what is waited for is the oldest turn of those that count, and one upstream's turns are no other one's", async () => {
  assert.equal(await take("slow", 2), 0);
  await pass("slow", 1_000_000);
  assert.equal(await take("slow", 2), 0);
  const ms = await take("slow", 2);
  assert.ok(ms > HOUR_MS - 1_000_000 - 60_000 && ms <= HOUR_MS - 1_000_000, String(ms));
  assert.equal(await take("other", 1), 0);
});

test("any order of asking, waiting and changed rates agrees with a list of all turns", async () => {
  let runs = 0;
  const step = fc.record({ minutes: fc.nat(50), count: fc.integer({ min: 1, max: 4 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const upstream = `u${runs++}`;
      let nowMs = 0;
      const turnsMs: number[] = [];
      for (const { minutes, count } of steps) {
        // Never on the minute: the test itself takes time.
        nowMs += minutes * 60_000 + 30_000;
        await pass(upstream, minutes * 60_000 + 30_000);
        const lately = turnsMs.filter((at) => nowMs - at < HOUR_MS);
        const taken = (await take(upstream, count)) === 0;
        assert.equal(taken, lately.length < count, `${lately.length} of ${count} at ${nowMs}`);
        if (taken) turnsMs.push(nowMs);
      }
    }),
    { numRuns: 25 },
  );
});
