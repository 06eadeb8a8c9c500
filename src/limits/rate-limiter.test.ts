/**
 * Guards the limits of several processes on real PostgreSQL: exact together, all or nothing, debts
 * repaid, and places that outlive neither their request nor its process.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { databaseProxy } from "../../test/support/database-proxy.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { NO_RATE_LIMITS, type RateLimits } from "../kernel/rate-limits.ts";
import type { LimitRequest, LimitSubject, LimitVerdict } from "./limit-verdicts.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";
import { decideMany } from "./store.ts";

const WAITING =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

interface Process {
  readonly ownerId: Uuid;
  readonly limiter: RateLimiter;
}

let database: TestDatabase;
let [one, two]: Process[] = [];
const open = new Set<RateLimiter>();
before(async () => {
  database = await testDatabase();
  [one, two] = await Promise.all([startProcess(), startProcess()]);
});
after(async () => {
  await Promise.all([...open].map((limiter) => limiter.close()));
  await database.drop();
});

/** One process's limits, on connections of its own. */
async function startProcess(url = database.url): Promise<Process> {
  const ownerId = newUuid();
  const limiter = createRateLimiter({
    url,
    db: database.db,
    ownerId,
    applicationName: "test",
    // The tests beat by themselves.
    beatMs: 3_600_000,
    onError: () => undefined,
  });
  open.add(limiter);
  await limiter.start();
  return { ownerId, limiter };
}

function both(): [RateLimiter, RateLimiter] {
  assert.ok(one !== undefined && two !== undefined);
  return [one.limiter, two.limiter];
}

function limited(limits: Partial<RateLimits>): LimitSubject {
  return { subjectId: newUuid(), limits: { ...NO_RATE_LIMITS, ...limits } };
}

function asking(subjects: LimitRequest["subjects"], tokens = 0): LimitRequest {
  return { requestId: newUuid(), subjects, tokens };
}

/** Lets the time of a subject pass. */
async function later(subject: LimitSubject, seconds: number): Promise<void> {
  await database.db.query(
    "UPDATE limits.subjects SET as_of_us = as_of_us - $2::bigint * 1000000 WHERE subject_id = $1",
    [subject.subjectId, seconds],
  );
}

/** Makes a process look as if it had not been heard of for longer than a lease. */
async function silence(ownerId: Uuid): Promise<void> {
  await database.db.query(
    "UPDATE limits.owners SET alive_until = clock_timestamp() - interval '1 second' WHERE owner_id = $1",
    [ownerId],
  );
}

/** Makes a process one that has kept its lease for long enough to judge others. */
async function makeSteady(ownerId: Uuid): Promise<void> {
  await database.db.query(
    "UPDATE limits.owners SET alive_until = clock_timestamp() + interval '30 seconds', steady_since = clock_timestamp() - interval '1 minute' WHERE owner_id = $1",
    [ownerId],
  );
}

async function placesOf({ subjectId }: LimitSubject): Promise<number> {
  return (
    await database.db.query("SELECT request_id FROM limits.running WHERE subject_id = $1", [
      subjectId,
    ])
  ).length;
}

function kinds(verdicts: readonly LimitVerdict[]): { admitted: number; refused: number } {
  const admitted = verdicts.filter(({ kind }) => kind === "admitted").length;
  return { admitted, refused: verdicts.length - admitted };
}

test("ten a minute are ten, however many ask through however many processes; then one more for every six seconds", async () => {
  const subject = limited({ requestsPerMinute: 10 });
  const race = (): Promise<LimitVerdict[]> =>
    Promise.all(
      both().flatMap((limiter) => Array.from({ length: 50 }, () => limiter.ask(asking([subject])))),
    );
  assert.deepEqual(kinds(await race()), { admitted: 10, refused: 90 });
  await later(subject, 12);
  assert.deepEqual(kinds(await race()), { admitted: 2, refused: 98 });
  await later(subject, 3_600);
  assert.deepEqual(kinds(await race()), { admitted: 10, refused: 90 });
});

test("a decision waits for another about the same subject before it counts", async () => {
  const [limiter] = both();
  assert.ok(two !== undefined);
  const { ownerId } = two;
  const subject = limited({ requestsPerMinute: 2, maxConcurrent: 2 });
  await limiter.ask(asking([subject]));
  const second = Promise.withResolvers<LimitVerdict>();
  await database.db.transaction(async (tx) => {
    await tx.query("SELECT FROM limits.subjects WHERE subject_id = $1 FOR NO KEY UPDATE", [
      subject.subjectId,
    ]);
    limiter.ask(asking([subject])).then(second.resolve, second.reject);
    await until("it waits", async () => (await database.db.query(WAITING)).length > 0);
    const [verdict] = await decideMany(
      tx,
      ownerId,
      [{ kind: "ask", request: asking([subject]) }],
      false,
    );
    assert.equal(verdict?.kind, "admitted");
  });
  const last = await second.promise;
  assert.deepEqual([last.kind, last.standing.concurrent?.remaining], ["refused", 0]);
});

test("a key and its account decide together: what one refuses takes nothing of the other", async () => {
  const [limiter] = both();
  const account = limited({ requestsPerMinute: 2 });
  const key = limited({ requestsPerMinute: 5, maxConcurrent: 5 });
  const verdicts: LimitVerdict[] = [];
  for (let count = 0; count < 4; count++) verdicts.push(await limiter.ask(asking([key, account])));
  assert.deepEqual(kinds(verdicts), { admitted: 2, refused: 2 });
  const refusal = verdicts.at(-1);
  assert.ok(refusal?.kind === "refused");
  assert.deepEqual(
    [refusal.obstacle.subjectId, refusal.obstacle.kind, refusal.obstacle.limit],
    [account.subjectId, "requests", 2],
  );
  // Another account's request finds the key with three left of its five.
  const alone = await Promise.all(Array.from({ length: 5 }, () => limiter.ask(asking([key]))));
  assert.deepEqual(kinds(alone), { admitted: 3, refused: 2 });
  assert.equal(await placesOf(key), 5);
});

test("tokens: the estimate gets a request in, what was used takes its place, and a debt is repaid before the next one", async () => {
  const [limiter, other] = both();
  const subject = limited({ tokensPerMinute: 600 });
  const first = asking([subject], 100);
  assert.equal((await limiter.ask(first)).standing.tokens?.remaining, 500);
  await limiter.end(first, 40);
  // More than the bucket holds gets in when the bucket is full, and only then.
  const huge = asking([subject], 5_000);
  assert.equal((await other.ask(huge)).kind, "refused");
  await later(subject, 60);
  assert.equal((await other.ask(huge)).kind, "admitted");
  await other.end(huge, 1_200);
  const refusal = await limiter.ask(asking([subject], 100));
  assert.ok(refusal.kind === "refused" && refusal.obstacle.kind === "tokens");
  // 600 owed and 100 wanted, at ten a second.
  assert.ok(
    refusal.obstacle.waitMs !== null &&
      refusal.obstacle.waitMs > 60_000 &&
      refusal.obstacle.waitMs <= 70_000,
  );
  await later(subject, 69);
  assert.equal((await limiter.ask(asking([subject], 100))).kind, "refused");
  await later(subject, 1);
  assert.equal((await limiter.ask(asking([subject], 100))).kind, "admitted");
});

test("what a request did not use is given back, and never more than the bucket holds", async () => {
  const [limiter] = both();
  const subject = limited({ tokensPerMinute: 600 });
  const request = asking([subject], 600);
  assert.equal((await limiter.ask(request)).kind, "admitted");
  await later(subject, 60);
  await limiter.end(request, 0);
  assert.equal((await limiter.ask(asking([subject], 1))).standing.tokens?.remaining, 599);
});

test("a clock that was set back gives nothing back and takes nothing", async () => {
  const [limiter] = both();
  const subject = limited({ requestsPerMinute: 10 });
  await limiter.ask(asking([subject]));
  await later(subject, -3_600);
  assert.equal((await limiter.ask(asking([subject]))).standing.requests?.remaining, 8);
});

test("who asks without a limit, because it is not known there yet, does not empty the count", async () => {
  const [limiter] = both();
  const subject = limited({ requestsPerMinute: 1 });
  await limiter.ask(asking([subject]));
  const unaware = { ...subject, limits: { ...NO_RATE_LIMITS, maxConcurrent: 5 } };
  assert.equal((await limiter.ask(asking([unaware]))).kind, "admitted");
  assert.equal((await limiter.ask(asking([subject]))).kind, "refused");
});

test("however absurd the usages that come, the count goes on", async () => {
  assert.ok(one !== undefined);
  const { ownerId } = one;
  const subject = limited({ tokensPerMinute: 600 });
  const ends = Array.from(
    { length: 20 },
    () => ({ kind: "end", request: asking([subject]), usedTokens: Number.MAX_VALUE }) as const,
  );
  for (let batch = 0; batch < 20; batch++) await decideMany(database.db, ownerId, ends, false);
  const [verdict] = await decideMany(
    database.db,
    ownerId,
    [{ kind: "ask", request: asking([subject], 1) }],
    false,
  );
  assert.equal(verdict?.kind, "refused");
});

test("places are counted over all processes and come free with the end of a request", async () => {
  const subject = limited({ maxConcurrent: 5 });
  let [running, most, passed] = [0, 0, 0];
  const client = async (limiter: RateLimiter): Promise<void> => {
    while (passed < 60) {
      const request = asking([subject]);
      if ((await limiter.ask(request)).kind === "refused") continue;
      running += 1;
      passed += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      await limiter.end(request, 0);
    }
  };
  await Promise.all(both().flatMap((limiter) => Array.from({ length: 8 }, () => client(limiter))));
  assert.equal(most, 5);
  assert.equal(await placesOf(subject), 0);
});

test("the places of a process that died come free when its lease has run out, judged by one that kept its own", async () => {
  const [judge] = both();
  const dead = await startProcess();
  const subject = limited({ maxConcurrent: 1 });
  assert.equal((await dead.limiter.ask(asking([subject]))).kind, "admitted");
  assert.ok(one !== undefined && two !== undefined);
  await makeSteady(one.ownerId);
  await judge.beat();
  assert.equal((await judge.ask(asking([subject]))).kind, "refused", "its lease still runs");
  await silence(dead.ownerId);
  await both()[1].beat();
  assert.equal(
    (await judge.ask(asking([subject]))).kind,
    "refused",
    "one that has only begun judges nobody",
  );
  await judge.beat();
  assert.equal((await judge.ask(asking([subject]))).kind, "admitted");
});

test("a lease far in the future was written by a clock that went wrong, and keeps no places", async () => {
  const [judge] = both();
  const dead = await startProcess();
  const subject = limited({ maxConcurrent: 1 });
  await dead.limiter.ask(asking([subject]));
  assert.ok(one !== undefined);
  await makeSteady(one.ownerId);
  await database.db.query(
    "UPDATE limits.owners SET alive_until = clock_timestamp() + interval '1 day' WHERE owner_id = $1",
    [dead.ownerId],
  );
  await judge.beat();
  assert.equal(await placesOf(subject), 0);
});

test("a process that was thought dead, or whose database crashed, notes again what it has running", async () => {
  const { db } = database;
  const sleeper = await startProcess();
  const [judge] = both();
  const subject = limited({ maxConcurrent: 2 });
  const [ended, long] = [asking([subject]), asking([subject])];
  await sleeper.limiter.ask(ended);
  await sleeper.limiter.ask(long);
  await sleeper.limiter.end(ended, 0);
  assert.ok(one !== undefined);
  await makeSteady(one.ownerId);
  await silence(sleeper.ownerId);
  await judge.beat();
  assert.equal(await placesOf(subject), 0);
  await sleeper.limiter.beat();
  assert.equal(await placesOf(subject), 1);
  await db.query("TRUNCATE limits.subjects, limits.running, limits.owners");
  await sleeper.limiter.beat();
  assert.equal(await placesOf(subject), 1);
  await sleeper.limiter.end(long, 0);
  assert.equal(await placesOf(subject), 0);
  await sleeper.limiter.beat();
  assert.equal(await placesOf(subject), 0, "what has ended is not noted again");
});

test("a place whose end was never heard is cleared by its own process's beat; what runs keeps its place however long", async () => {
  const { db } = database;
  const process = await startProcess();
  const subject = limited({ maxConcurrent: 2 });
  const long = asking([subject]);
  await process.limiter.ask(long);
  await db.query(
    "INSERT INTO limits.running (subject_id, request_id, owner_id) VALUES ($1, $2, $3)",
    [subject.subjectId, newUuid(), process.ownerId],
  );
  await process.limiter.beat();
  assert.equal(await placesOf(subject), 2, "a verdict may still be on its way");
  await db.query(
    "UPDATE limits.running SET noted_at = noted_at - interval '1 hour' WHERE subject_id = $1",
    [subject.subjectId],
  );
  await process.limiter.beat();
  assert.deepEqual(
    await db.query("SELECT request_id FROM limits.running WHERE subject_id = $1", [
      subject.subjectId,
    ]),
    [{ request_id: long.requestId }],
  );
  open.delete(process.limiter);
  await process.limiter.close();
  assert.equal(await placesOf(subject), 0, "a process that stops leaves nothing");
});

test("what ended while the database was away has its place free at the next beat that reaches it", async () => {
  const proxy = await databaseProxy(database.url);
  const process = await startProcess(proxy.url);
  const subject = limited({ maxConcurrent: 2, tokensPerMinute: 100 });
  const requests = [asking([subject], 10), asking([subject], 10)] as const;
  for (const request of requests) await process.limiter.ask(request);
  proxy.outage("broken");
  for (const request of requests)
    await assert.rejects(process.limiter.end(request, 50), { code: "overloaded" });
  await process.limiter.beat();
  assert.equal(await placesOf(subject), 2, "it cannot be told yet");
  proxy.recover();
  // Sooner than a lease runs out.
  const freed = async (): Promise<boolean> => {
    await process.limiter.beat();
    return (await placesOf(subject)) === 0;
  };
  await until("free places", freed, 10_000);
  open.delete(process.limiter);
  await process.limiter.close();
  await proxy.close();
});

test("a batch whose end is unknown is decided anew: no place is taken twice", async () => {
  const { db } = database;
  assert.ok(one !== undefined);
  const subject = limited({ maxConcurrent: 1, requestsPerMinute: 10, tokensPerMinute: 100 });
  const request = asking([subject], 60);
  const ask = { kind: "ask", request } as const;
  const before = await decideMany(db, one.ownerId, [ask], false);
  const again = await decideMany(
    db,
    one.ownerId,
    [{ kind: "end", request: asking([subject], 60), usedTokens: 0 }, ask],
    true,
  );
  // Its tokens count twice rather than once too few: the second time there is no room, and nothing
  // is left behind.
  assert.deepEqual(
    [before[0]?.kind, again[1]?.kind, await placesOf(subject)],
    ["admitted", "refused", 0],
  );
});

test("no request gets in while the database is out of reach", async () => {
  const { limiter } = await startProcess("postgresql://nobody@127.0.0.1:9/none");
  await assert.rejects(limiter.ask(asking([limited({ requestsPerMinute: 1 })])), {
    code: "overloaded",
  });
});
