/**
 * Guards the counting of attempts, on real PostgreSQL: a burst and then one in a time, in all
 * processes together, and no wait longer than that time.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { testDatabase } from "../../test/support/database.ts";
import { forgetAttempts, takeAttempt } from "./attempts.store.ts";

const database = await testDatabase();
const { db } = database;
after(() => database.drop());

const LIMIT = { burst: 5, everySeconds: 1000 };
const subject = (): Buffer => randomBytes(32);
const elapse = (seconds: number): Promise<unknown> =>
  db.query("UPDATE accounts.attempts SET free_at = free_at - $1::float8 * interval '1 second'", [
    seconds,
  ]);

test("a burst is let through, of many at the same time too, and what follows is told when to come back", async () => {
  const whom = subject();
  const answers = await Promise.all(Array.from({ length: 20 }, () => takeAttempt(db, whom, LIMIT)));
  assert.equal(answers.filter((answer) => answer === null).length, 5);
  for (const seconds of answers)
    assert.ok(seconds === null || (seconds > 900 && seconds <= 1000), String(seconds));
  assert.equal(await takeAttempt(db, subject(), LIMIT), null, "somebody else");
});

test("refusals cost nothing: after the time one is let through, after a long time the burst and no more", async () => {
  const whom = subject();
  for (let tries = 0; tries < 30; tries++) await takeAttempt(db, whom, LIMIT);
  await elapse(1000);
  assert.equal(await takeAttempt(db, whom, LIMIT), null);
  assert.notEqual(await takeAttempt(db, whom, LIMIT), null);
  await elapse(1_000_000);
  const answers: (number | null)[] = [];
  for (let tries = 0; tries < 8; tries++) answers.push(await takeAttempt(db, whom, LIMIT));
  assert.deepEqual(
    answers.map((answer) => answer === null),
    [true, true, true, true, true, false, false, false],
  );
});

test("what is forgotten begins anew, and fractions of seconds are kept", async () => {
  const [one, two] = [subject(), subject()];
  for (const whom of [one, two])
    for (let tries = 0; tries < 6; tries++) await takeAttempt(db, whom, LIMIT);
  await forgetAttempts(db, [one]);
  assert.equal(await takeAttempt(db, one, LIMIT), null);
  assert.notEqual(await takeAttempt(db, two, LIMIT), null);
  const slow = { burst: 1, everySeconds: 1000.25 };
  const slowed = subject();
  assert.equal(await takeAttempt(db, slowed, slow), null);
  assert.ok(Number(await takeAttempt(db, slowed, slow)) > 900);
});
