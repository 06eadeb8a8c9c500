/**
 * A key is run by one process at a time, outlives none of them, and is free again when its request
 * came to nothing (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { queryableThrough } from "../../../test/support/queryable-through.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import type { Db } from "../../db/database.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import type { NewRecord } from "../../idempotency/record.ts";
import { endParams } from "../../idempotency/records.store.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../kernel/limits.ts";
import { OPEN_JOURNAL, retireJournals } from "../../ledger/journals.store.ts";
import { registerOwner, retireOwner } from "../../ledger/owners.store.ts";
import { createHoldRecovery } from "../money/recover-holds.ts";
import { createIdempotency, type Idempotency } from "./idempotency.ts";

let database: TestDatabase;
/** Processes that are believed dead. */
const dead = new Set<Uuid>();
const errors: unknown[] = [];
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

function idempotencyOn(db: Db): Idempotency {
  return createIdempotency({
    db,
    isDead: async (ownerId) => dead.has(ownerId),
    onError: (error) => errors.push(error),
  });
}

function request(change: Partial<NewRecord> = {}): NewRecord {
  const digest = digestRequest("chat.completions", Buffer.from("{}"));
  return {
    accountId: newUuid(),
    key: newUuid(),
    requestId: newUuid(),
    ownerId: newUuid(),
    digest,
    ...change,
  };
}

const again = (record: NewRecord): NewRecord => ({
  ...record,
  requestId: newUuid(),
  ownerId: newUuid(),
});
const answer = {
  status: 200,
  contentType: "text/plain",
  streamed: true,
  broken: false,
  body: Buffer.from("said"),
};
const isFault = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

async function answered(record: NewRecord): Promise<void> {
  await database.db.query(
    "SELECT idempotency.end_many($1::uuid[], $2::text[], $3::uuid[], $4::boolean[], '{7}', NULL)",
    [...endParams([{ ...record, answered: true }])],
  );
}

test("the first runs; the others are told to come again in a second, then get its answer; another body is refused", async () => {
  const idempotency = idempotencyOn(database.db);
  const first = request();
  assert.equal(await idempotency.begin(first), null);
  await assert.rejects(
    idempotency.begin(again(first)),
    (error) =>
      isFault("idempotency_in_progress")(error) &&
      error instanceof Fault &&
      error.details.retryAfterSeconds === 1,
  );
  const other = { ...again(first), digest: digestRequest("messages", Buffer.from("{}")) };
  await assert.rejects(idempotency.begin(other), isFault("idempotency_mismatch"));
  assert.equal(await idempotency.keep(first, answer), "kept");
  await answered(first);
  assert.deepEqual(await idempotency.begin(again(first)), {
    requestId: first.requestId,
    chargedNano: 7n,
    answer,
  });
  await assert.rejects(idempotency.begin(other), isFault("idempotency_mismatch"));
});

test("an answer that was too large is charged once and told as gone", async () => {
  const idempotency = idempotencyOn(database.db);
  const first = request();
  await idempotency.begin(first);
  assert.equal(await idempotency.keep(first, null), "kept");
  await answered(first);
  await assert.rejects(idempotency.begin(again(first)), isFault("idempotency_answer_gone"));
});

test("a dead process's request is taken over, but not while its journal is open: it might be charged yet", async (t) => {
  const { db } = database;
  let nowMs = 0;
  const living = newUuid();
  const recovery = createHoldRecovery({
    db,
    ownerId: living,
    clock: { monotonicMs: () => nowMs },
    intervalMs: 3_600_000,
    onRecovered: () => undefined,
    log: (_, error) => errors.push(error),
  });
  await recovery.start();
  t.after(() => recovery.stop());
  nowMs += OWNER_LEASE_MS;
  const idempotency = createIdempotency({
    db,
    isDead: (ownerId) => recovery.isDead(ownerId),
    onError: (error) => errors.push(error),
  });
  const first = request();
  const { ownerId } = first;
  await registerOwner(db, ownerId);
  await db.run(OPEN_JOURNAL, [newUuid(), ownerId]);
  await idempotency.begin(first);
  const busy = isFault("idempotency_in_progress");
  await assert.rejects(idempotency.begin(again(first)), busy, "alive");
  await retireOwner(db, ownerId);
  await retireJournals(db, ownerId);
  await assert.rejects(idempotency.begin(again(first)), busy, "its journal is open");
  await recovery.round();
  const heirs = Array.from({ length: 6 }, () => ({
    ...again(first),
    ownerId: living,
  }));
  const outcomes = await Promise.allSettled(heirs.map((heir) => idempotency.begin(heir)));
  assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal(await idempotency.keep(first, answer), "lost", "the dead one comes back");
});

test("a forgotten key is free; what a database out of reach left of it is forgotten later", async () => {
  let reachable = true;
  const flaky: Db = {
    ...database.db,
    ...queryableThrough((text, parameters) =>
      reachable ? database.db.query(text, parameters) : Promise.reject(new Fault("overloaded")),
    ),
  };
  const idempotency = idempotencyOn(flaky);
  const first = request();
  await idempotency.begin(first);
  reachable = false;
  errors.length = 0;
  await idempotency.forget(first);
  assert.equal(errors.length, 1);
  reachable = true;
  await until("the key is free", () =>
    idempotency.begin(again(first)).then(
      (replay) => replay === null,
      () => false,
    ),
  );
  idempotency.close();
});

test("a record whose verdict never came is forgotten: this process lives, so no other would", async () => {
  let lose = true;
  const losing: Db = {
    ...database.db,
    ...queryableThrough(async (text, parameters) => {
      const rows = await database.db.query(text, parameters);
      if (lose) {
        lose = false;
        throw new Fault("overloaded");
      }
      return rows;
    }),
  };
  const idempotency = idempotencyOn(losing);
  const first = request();
  await assert.rejects(idempotency.begin(first), isFault("overloaded"));
  await until("the key is free", () =>
    idempotency.begin(again(first)).then(
      (replay) => replay === null,
      () => false,
    ),
  );
});

test("an answer waits out an outage; without it nothing may be charged", async () => {
  let failures = 2;
  const flaky: Db = {
    ...database.db,
    ...queryableThrough((text, parameters) =>
      failures-- > 0
        ? Promise.reject(new Fault("overloaded"))
        : database.db.query(text, parameters),
    ),
  };
  const first = request();
  await idempotencyOn(database.db).begin(first);
  assert.equal(await idempotencyOn(flaky).keep(first, answer), "kept");
  const unwritable = { ...answer, status: 1_000_000 };
  errors.length = 0;
  assert.equal(await idempotencyOn(database.db).keep(first, unwritable), "lost");
  assert.equal(errors.length, 1);
});

test("a sweep removes everything that is over, in batches", async () => {
  await database.db.query("DELETE FROM idempotency.records");
  await database.db.query(
    `INSERT INTO idempotency.records (account_id, key, request_id, owner_id, digest, state, expires_at)
     SELECT gen_random_uuid(), n::text, gen_random_uuid(), gen_random_uuid(), sha256(''), 'answered', clock_timestamp() - interval '1 s'
     FROM generate_series(1, 1201) n`,
  );
  assert.equal(await idempotencyOn(database.db).sweep(), 1201);
  assert.equal(await idempotencyOn(database.db).sweep(), 0);
});
