/**
 * One key, one answer: the request that asks first runs, the others wait or get its answer,
 * whatever processes they ask (contract §6).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { openDatabase, type Db } from "../db/database.ts";
import { newUuid } from "../kernel/ids.ts";
import { digestRequest } from "./digest-request.ts";
import type { KeptAnswer, NewRecord, RecordEnd, RecordFinding } from "./record.ts";
import {
  beginRecord,
  deleteExpiredRecords,
  endParams,
  forgetRecord,
  keepAnswer,
  KEPT_ANSWER_LIMIT_BYTES,
  takeOverRecord,
} from "./records.store.ts";

let database: TestDatabase;
/** As another process sees the database. */
let elsewhere: Db;
before(async () => {
  database = await testDatabase();
  elsewhere = openDatabase({
    url: database.url,
    poolSize: 10,
    applicationName: "elsewhere",
    onError: () => undefined,
  });
});
after(async () => {
  await elsewhere.close();
  await database.drop();
});

const BODY = Buffer.from('{"model":"m"}');

function request(change: Partial<NewRecord> = {}): NewRecord {
  const digest = digestRequest("chat.completions", BODY);
  return {
    accountId: newUuid(),
    key: newUuid(),
    requestId: newUuid(),
    ownerId: newUuid(),
    digest,
    ...change,
  };
}

/** The same again, as a request of its own by another process. */
function again(record: NewRecord): NewRecord {
  return { ...record, requestId: newUuid(), ownerId: newUuid() };
}

const answerOf = (change: Partial<KeptAnswer> = {}): KeptAnswer => ({
  status: 200,
  contentType: "application/json",
  streamed: false,
  broken: false,
  body: Buffer.from([0, 1, 0xff, 0x7b]),
  ...change,
});

/** As the settlement ends them. */
async function end(
  ends: readonly (RecordEnd | null)[],
  settled: readonly (bigint | null)[],
  earlier: readonly bigint[] | null = null,
) {
  await database.db.query(
    "SELECT idempotency.end_many($1::uuid[], $2::text[], $3::uuid[], $4::boolean[], $5::bigint[], $6::bigint[])",
    [...endParams(ends), settled, earlier],
  );
}

const begin = (
  record: NewRecord,
  db: Db = database.db,
): Promise<RecordFinding | { kind: "gone" }> => beginRecord(db, record);
const makeOld = (record: NewRecord, age: string) =>
  database.db.query(
    "UPDATE idempotency.records SET expires_at = expires_at - $3::interval WHERE account_id = $1 AND key = $2",
    [record.accountId, record.key, age],
  );

test("of requests that race for a key from two processes, exactly one runs, fifty times over", async () => {
  for (let round = 0; round < 50; round++) {
    const first = request();
    const racers = Array.from({ length: 6 }, () => again(first));
    const findings = await Promise.all(
      racers.map((racer, index) => begin(racer, index % 2 === 0 ? database.db : elsewhere)),
    );
    const fresh = racers.filter((_, index) => findings[index]?.kind === "fresh");
    assert.equal(fresh.length, 1, JSON.stringify(findings));
    const [winner] = fresh;
    assert.ok(winner !== undefined);
    for (const finding of findings) {
      if (finding.kind === "fresh") continue;
      assert.deepEqual(finding, {
        kind: "running",
        requestId: winner.requestId,
        ownerId: winner.ownerId,
      });
    }
    await keepAnswer(database.db, winner, answerOf());
    await end([{ ...winner, answered: true }], [7n]);
    const replays = await Promise.all(
      racers.map((racer, index) => begin(again(racer), index % 2 === 0 ? database.db : elsewhere)),
    );
    for (const replay of replays) {
      assert.deepEqual(replay, {
        kind: "answered",
        requestId: winner.requestId,
        chargedNano: 7n,
        answer: answerOf(),
      });
    }
  }
});

test("another account's key of the same name, and another key, are others", async () => {
  const first = request();
  assert.equal((await begin(first)).kind, "fresh");
  assert.equal((await begin({ ...again(first), accountId: newUuid() })).kind, "fresh");
  assert.equal((await begin({ ...again(first), key: newUuid() })).kind, "fresh");
});

test("another body and another endpoint are told apart, while the first runs and when it has answered", async () => {
  const first = request();
  await begin(first);
  const others = [
    digestRequest("chat.completions", Buffer.from('{"model":"n"}')),
    digestRequest("messages", BODY),
  ];
  for (const digest of others)
    assert.deepEqual(await begin({ ...again(first), digest }), { kind: "mismatch" });
  await keepAnswer(database.db, first, answerOf());
  await end([{ ...first, answered: true }], [1n]);
  for (const digest of others)
    assert.deepEqual(await begin({ ...again(first), digest }), { kind: "mismatch" });
});

test("an answer counts from its end on, not before: until then the request runs", async () => {
  const first = request();
  await begin(first);
  assert.equal(await keepAnswer(database.db, first, answerOf()), "kept");
  assert.equal((await begin(again(first))).kind, "running");
});

test("a forgotten record frees its key; one that has answered is not forgotten", async () => {
  const first = request();
  await begin(first);
  await forgetRecord(database.db, { ...first, requestId: newUuid() });
  assert.equal((await begin(again(first))).kind, "running", "somebody else's word");
  await forgetRecord(database.db, first);
  const second = { ...again(first), digest: digestRequest("chat.completions", Buffer.from("{}")) };
  assert.equal((await begin(second)).kind, "fresh");
  await keepAnswer(database.db, second, answerOf());
  await end([{ ...second, answered: true }], [1n]);
  await forgetRecord(database.db, second);
  assert.equal((await begin({ ...again(second) })).kind, "answered");
});

test("ends of a batch: answered ones keep the charge that the ledger names, others are removed, those of others are left alone", async () => {
  const records = Array.from({ length: 5 }, () => request());
  for (const record of records) await begin(record);
  const [settled, earlier, unknown, dropped, foreign] = records;
  assert.ok(
    settled !== undefined &&
      earlier !== undefined &&
      unknown !== undefined &&
      dropped !== undefined &&
      foreign !== undefined,
  );
  for (const record of records) await keepAnswer(database.db, record, answerOf());
  const ends = [settled, earlier, unknown].map((record) => ({ ...record, answered: true }));
  await end(
    [
      ...ends,
      null,
      { ...dropped, answered: false },
      { ...foreign, requestId: newUuid(), answered: true },
    ],
    [5n, null, null, 9n, 0n, 9n],
    [0n, 6n],
  );
  const charges: (bigint | string)[] = [];
  for (const record of records) {
    const finding = await begin(again(record));
    charges.push(finding.kind === "answered" ? finding.chargedNano : finding.kind);
  }
  assert.deepEqual(charges, [5n, 6n, 0n, "fresh", "running"]);
  await end([{ ...settled, answered: false }], [null]);
  await end([{ ...settled, answered: true }], [1n]);
  const still = await begin(again(settled));
  assert.ok(still.kind === "answered" && still.chargedNano === 5n, "an end is the last word");
});

test("only one takes a dead process's record over, and the dead one can neither keep nor end anything", async () => {
  const dead = request();
  await begin(dead);
  await keepAnswer(database.db, dead, answerOf());
  const heirs = Array.from({ length: 8 }, () => again(dead));
  const taken = await Promise.all(
    heirs.map((heir, index) =>
      takeOverRecord(index % 2 === 0 ? database.db : elsewhere, dead.requestId, heir),
    ),
  );
  assert.equal(taken.filter(Boolean).length, 1);
  const heir = heirs[taken.indexOf(true)];
  assert.ok(heir !== undefined);
  assert.equal(await keepAnswer(database.db, dead, answerOf()), "lost");
  await end([{ ...dead, answered: true }], [1n]);
  await end([{ ...dead, answered: false }], [1n]);
  await forgetRecord(database.db, dead);
  assert.deepEqual(await begin(again(dead)), {
    kind: "running",
    requestId: heir.requestId,
    ownerId: heir.ownerId,
  });
  const [row] = await database.db.query<{ body: Buffer | null }>(
    "SELECT body FROM idempotency.records WHERE request_id = $1",
    [heir.requestId],
  );
  assert.equal(row?.body, null, "what the dead one had kept is not the heir's answer");
});

test("what was asked counts in a takeover too, and an answered record cannot be taken over", async () => {
  const first = request();
  await begin(first);
  const other = {
    ...again(first),
    digest: digestRequest("chat.completions", Buffer.from("other")),
  };
  assert.equal(await takeOverRecord(database.db, first.requestId, other), false);
  await end([{ ...first, answered: true }], [1n]);
  assert.equal(await takeOverRecord(database.db, first.requestId, again(first)), false);
});

test("after a day an answer is forgotten: the key may be used for anything", async () => {
  const first = request();
  await begin(first);
  await keepAnswer(database.db, first, answerOf());
  await end([{ ...first, answered: true }], [1n]);
  await makeOld(first, "23 hours");
  assert.equal((await begin(again(first))).kind, "answered");
  await makeOld(first, "61 minutes");
  const later = { ...again(first), digest: digestRequest("messages", BODY) };
  const racers = [later, ...Array.from({ length: 5 }, () => again(later))];
  const findings = await Promise.all(
    racers.map((racer, index) => begin(racer, index % 2 === 0 ? database.db : elsewhere)),
  );
  assert.deepEqual(findings.map(({ kind }) => kind).toSorted(), [
    "fresh",
    "running",
    "running",
    "running",
    "running",
    "running",
  ]);
});

test("a request that runs for longer than a day keeps its record; a dead one's goes to the next request, whatever it asks", async () => {
  const first = request();
  await begin(first);
  await makeOld(first, "25 hours");
  const later = { ...again(first), digest: digestRequest("messages", BODY) };
  assert.equal((await begin(later)).kind, "running");
  await deleteExpiredRecords(database.db, 1000);
  assert.equal(await keepAnswer(database.db, first, answerOf()), "kept");
  assert.equal(await takeOverRecord(database.db, first.requestId, later), true);
  assert.equal((await begin(again(first))).kind, "mismatch");
});

test("an answer above the limit is not kept, but its record stands", async () => {
  const [fits, tooLarge] = [request(), request()];
  for (const [record, size] of [
    [fits, KEPT_ANSWER_LIMIT_BYTES],
    [tooLarge, KEPT_ANSWER_LIMIT_BYTES + 1],
  ] as const) {
    await begin(record);
    assert.equal(
      await keepAnswer(database.db, record, answerOf({ body: Buffer.alloc(size, "x") })),
      "kept",
    );
    await end([{ ...record, answered: true }], [3n]);
  }
  const kept = await begin(again(fits));
  assert.ok(kept.kind === "answered" && kept.answer?.body.length === KEPT_ANSWER_LIMIT_BYTES);
  const dropped = await begin(again(tooLarge));
  assert.ok(dropped.kind === "answered" && dropped.chargedNano === 3n && dropped.answer === null);
});

test("expired records are removed in bounded batches, and nothing else", async () => {
  await database.db.query("DELETE FROM idempotency.records");
  const [young, running, abandoned, ...old] = Array.from({ length: 8 }, () => request());
  assert.ok(young !== undefined && running !== undefined && abandoned !== undefined);
  for (const record of [young, running, abandoned, ...old]) await begin(record);
  for (const record of [young, ...old]) await end([{ ...record, answered: true }], [1n]);
  for (const record of [running, ...old]) await makeOld(record, "24 hours");
  await makeOld(abandoned, "8 days");
  const removed: number[] = [];
  for (let round = 0; round < 4; round++) removed.push(await deleteExpiredRecords(database.db, 4));
  assert.deepEqual(removed, [4, 2, 0, 0]);
  const left = await database.db.query<{ id: string }>(
    "SELECT request_id AS id FROM idempotency.records ORDER BY request_id",
  );
  assert.deepEqual(
    left.map(({ id }) => id),
    [young.requestId, running.requestId].toSorted(),
  );
});
