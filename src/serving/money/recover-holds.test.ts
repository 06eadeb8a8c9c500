/**
 * A dead process's holds, and no others, are settled at what they had recorded, by one that may
 * judge (contract §6, hazards §13–15).
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  createPageWriter,
  grantOne,
  noted,
  openJournal,
  ownGrant,
  type PagedRequest,
  type PageWriter,
} from "../../../test/ledger/journal-world.ts";
import { exactHold, fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { queryableThrough } from "../../../test/support/queryable-through.ts";
import { streamedDetail } from "../../../test/support/streamed-detail.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import type { Db } from "../../db/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../kernel/limits.ts";
import { formatRoubles, type Nano } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { findEntry, listEntries } from "../../ledger/entries.store.ts";
import { holdIn } from "../../ledger/holds.store.ts";
import { BEAT_JOURNAL, postAll, retireJournals } from "../../ledger/journals.store.ts";
import { registerOwner, retireOwner } from "../../ledger/owners.store.ts";
import { verify } from "../../ledger/verify.store.ts";
import { findRequest } from "../../usage/receipts.store.ts";
import type { HoldDetail } from "./hold-detail.ts";
import { createPriceHistory } from "../../business/requests/price-history.ts";
import { readRequest } from "../../business/requests/read-request.ts";
import { createHoldRecovery, type HoldRecovery, type RecoveredHold } from "./recover-holds.ts";
import { booksOf } from "../../../test/support/books-of.ts";

let database: TestDatabase;
let nowMs = 0;
let recovered: RecoveredHold[] = [];
let logged: string[] = [];
let accountId: Uuid;

before(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  recovered = [];
  logged = [];
  accountId = await fundedAccount(database.db, 1_000n);
});
after(async () => database.drop());

const nanos = (value: bigint): Nano => value as Nano;
const clock = { monotonicMs: () => nowMs };

function newRecovery(ownerId: Uuid = newUuid(), db: Db = database.db): HoldRecovery {
  return createHoldRecovery({
    db,
    ownerId,
    clock,
    onRecovered: (hold) => recovered.push(hold),
    log: (message) => logged.push(message),
  });
}

/** A recovery that has kept its own lease for as long as a lease lasts. */
async function judge(ownerId?: Uuid): Promise<HoldRecovery> {
  const recovery = newRecovery(ownerId);
  await recovery.round();
  await recovery.round();
  nowMs += OWNER_LEASE_MS;
  return recovery;
}

/** By their processes. */
const writers = new Map<Uuid, PageWriter>();

async function writerOf(ownerId: Uuid): Promise<PageWriter> {
  const writer =
    writers.get(ownerId) ?? createPageWriter(database.db, await openJournal(database.db, ownerId));
  writers.set(ownerId, writer);
  return writer;
}

/** With a hold of its own. */
async function admitted(writer: PageWriter, amount: bigint): Promise<PagedRequest> {
  const grant = ownGrant(accountId, amount);
  assert.equal((await grantOne(database.db, writer.journalId, grant)).kind, "held");
  const { holdId } = grant;
  return { requestId: holdId, accountId, holdId, heldNano: nanos(amount) };
}

/** Noted, and noted again with what was delivered. */
async function heldBy(
  ownerId: Uuid,
  recorded: bigint | null,
  more: Partial<HoldDetail> = {},
): Promise<Uuid> {
  const pages = await writerOf(ownerId);
  const request = await admitted(pages, recorded === null ? 100n : 120n);
  await pages.write(
    noted(request, 0n, { priceVersion: 3, detail: streamedDetail(accountId, 0, more) }),
  );
  if (recorded !== null)
    await pages.write(
      noted(request, recorded, { priceVersion: 3, detail: streamedDetail(accountId, 7, more) }),
    );
  return request.requestId;
}

/** As if it had not been heard of for a while. */
async function letLeaseRunOut(ownerId: Uuid): Promise<void> {
  for (const table of ["owners", "journals"])
    await database.db.query(
      `UPDATE ledger.${table} SET alive_until = clock_timestamp() WHERE owner_id = $1`,
      [ownerId],
    );
}

/** What a process held that died. */
async function leftBehind(recorded: bigint | null, more: Partial<HoldDetail> = {}): Promise<Uuid> {
  const ownerId = newUuid();
  const requestId = await heldBy(ownerId, recorded, more);
  await letLeaseRunOut(ownerId);
  return requestId;
}

const isHeld = async (holdId: Uuid): Promise<boolean> =>
  (await database.db.query("SELECT FROM ledger.holds WHERE hold_id = $1", [holdId])).length > 0;

const FACTOR = { input: "1.25", output: "1.6" };

test("after a round that failed no process is judged until a lease's time has passed without trouble", async () => {
  const dead = newUuid();
  await registerOwner(database.db, dead);
  await heldBy(dead, 33n);
  await letLeaseRunOut(dead);
  let away = false;
  const mayBeAway = queryableThrough((text, parameters) =>
    away ? Promise.reject(new Error("away")) : database.db.query(text, parameters),
  );
  const recovery = newRecovery(newUuid(), { ...database.db, ...mayBeAway });
  await recovery.round();
  await recovery.round();
  nowMs += OWNER_LEASE_MS;
  away = true;
  assert.equal(await recovery.round(), 0);
  away = false;
  assert.equal(await recovery.round(), 0, "the others may have had no chance to renew");
  nowMs += OWNER_LEASE_MS;
  assert.equal(await recovery.round(), 1);
});

test("a dead owner's holds are charged what was recorded, the rest is released, and the receipts say interrupted or failed", async () => {
  const dead = newUuid();
  await registerOwner(database.db, dead);
  const [streamed, silent] = [
    await heldBy(dead, 33n, { countFactor: FACTOR }),
    await heldBy(dead, null, { countFactor: FACTOR }),
  ];
  await letLeaseRunOut(dead);
  assert.equal(await (await judge()).round(), 2);
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [33n, 0n]);
  const receipts = await Promise.all(
    [streamed, silent].map((id) => findRequest(database.db, accountId, id)),
  );
  assert.deepEqual(
    receipts.map((receipt) => [
      receipt?.state,
      receipt?.chargedNano,
      receipt?.modelRequested,
      receipt?.detail["usageSource"],
    ]),
    [
      ["interrupted", 33n, "asked", "counted"],
      ["failed", 0n, "asked", "none"],
    ],
  );
  assert.deepEqual(receipts[0]?.detail["usage"], { outputTokens: 7 });
  assert.deepEqual(
    receipts.map((receipt) => receipt?.detail["countFactor"]),
    [FACTOR, undefined],
  );
  // They ended when they were ended, and what was held is the entry's.
  const views = await Promise.all(
    [streamed, silent].map((id) =>
      readRequest(booksOf(database.db), createPriceHistory(database.db, {}), {
        accountId,
        requestId: id,
      }),
    ),
  );
  const entries = await Promise.all(
    [streamed, silent].map((id) => findEntry(database.db, accountId, id)),
  );
  assert.deepEqual(
    views.map((view) => [view?.completedAt, view?.held]),
    entries.map((entry, index) => [
      receipts[index]?.recordedAt.toISOString(),
      formatRoubles(entry?.heldNano ?? nanos(0n)),
    ]),
  );
  assert.deepEqual(
    recovered
      .map((hold) => [hold.holdId, hold.chargedNano, hold.releasedNano, hold.receiptWritten])
      .toSorted(),
    [
      [streamed, 33n, 87n, true],
      [silent, 0n, 100n, true],
    ].toSorted(),
  );
  assert.equal(await isHeld(streamed), false);
  assert.equal(await (await judge()).round(), 0);
});

const UNPAID: readonly (readonly [string, Partial<HoldDetail>])[] = [
  ["who will ask again by an idempotency key", { idempotent: true }],
  ["who waited for a whole answer, and has got nothing of it,", { stream: false }],
];

for (const [who, more] of UNPAID)
  test(`${who} is charged nothing for what died: it is the operator's loss, and the receipt says so`, async () => {
    const dead = newUuid();
    const [streamed, silent] = [await heldBy(dead, 33n, more), await heldBy(dead, null, more)];
    await letLeaseRunOut(dead);
    assert.equal(await (await judge()).round(), 2);
    const money = await balance(database.db, accountId);
    assert.deepEqual([money?.chargedNano, money?.heldNano], [0n, 0n]);
    const receipts = await Promise.all(
      [streamed, silent].map((id) => findRequest(database.db, accountId, id)),
    );
    assert.deepEqual(
      receipts.map((receipt) => [
        receipt?.state,
        receipt?.chargedNano,
        receipt?.detail["usageSource"],
      ]),
      [
        ["failed", 0n, "none"],
        ["failed", 0n, "none"],
      ],
    );
    const entries =
      (await listEntries(database.db, { accountId, limit: 10, cursor: null, moneyOnly: false }))
        ?.entries ?? [];
    assert.deepEqual(
      entries.filter(({ kind }) => kind === "loss").map(({ amountNano }) => amountNano),
      [33n],
    );
  });

test("another process is dead when its holds would be ended, and not before", async () => {
  const [alive, dead] = [newUuid(), newUuid()];
  await registerOwner(database.db, alive);
  await registerOwner(database.db, dead);
  await letLeaseRunOut(dead);
  const young = newRecovery();
  await young.round();
  assert.equal(await young.isDead(dead), false, "nobody is judged by a newcomer");
  const own = newUuid();
  const recovery = await judge(own);
  assert.deepEqual(
    [
      await recovery.isDead(dead),
      await recovery.isDead(newUuid()),
      await recovery.isDead(alive),
      await recovery.isDead(own),
    ],
    [true, true, false, false],
  );
  await letLeaseRunOut(own);
  assert.equal(await recovery.isDead(dead), false, "after a standstill every lease has run out");
});

test("holds of living processes, and of tasks, are never touched, however old", async () => {
  const own = newUuid();
  await registerOwner(database.db, own);
  const task = exactHold(accountId, 5n);
  await holdIn(database.db, task);
  const ids = [await heldBy(newUuid(), 5n), await heldBy(own, 5n), task.holdId];
  await database.db.query("UPDATE ledger.holds SET created_at = created_at - interval '30 days'");
  assert.equal(await (await judge(own)).round(), 0);
  for (const id of ids) assert.ok(await isHeld(id));
});

test("what a process left behind that ended by itself is ended at once", async () => {
  const retired = newUuid();
  await heldBy(retired, null);
  await retireJournals(database.db, retired);
  await retireOwner(database.db, retired);
  assert.equal(await (await judge()).round(), 1);
});

test("no process is judged before the judge has kept its own lease for a whole lease", async () => {
  await leftBehind(5n);
  const recovery = newRecovery();
  await recovery.round(); // takes the lease: nothing is known about the time before
  await recovery.round();
  nowMs += OWNER_LEASE_MS - 1;
  assert.equal(await recovery.round(), 0);
  nowMs += 1;
  assert.equal(await recovery.round(), 1);
});

test("after a standstill, when all leases have run out, live streams survive: their processes come back first", async () => {
  const stream = newUuid();
  const [live, orphan] = [await heldBy(stream, 5n), await heldBy(newUuid(), 5n)];
  const recovery = await judge();
  for (const table of ["owners", "journals"])
    await database.db.query(
      `UPDATE ledger.${table} SET alive_until = clock_timestamp() - interval '1 second'`,
    );
  assert.equal(await recovery.round(), 0, "the judge finds its own lease run out");
  nowMs += OWNER_LEASE_MS - 1;
  // It comes back within its usual beat.
  await database.db.run(BEAT_JOURNAL, [(await writerOf(stream)).journalId]);
  assert.equal(await recovery.round(), 0);
  nowMs += OWNER_LEASE_MS;
  await recovery.round();
  const ended = new Set(recovered.map((hold) => hold.holdId));
  assert.deepEqual([ended.has(live), ended.has(orphan)], [false, true]);
});

test("a lease from a clock that was set back is not believed for ever", async () => {
  const future = newUuid();
  await heldBy(future, 5n);
  await database.db.query(
    "UPDATE ledger.journals SET alive_until = alive_until + interval '2 hours' WHERE owner_id = $1",
    [future],
  );
  assert.equal(await (await judge()).round(), 1);
});

test("a hold whose detail cannot be read is settled all the same, and what there is is parked", async () => {
  const dead = newUuid();
  const pages = await writerOf(dead);
  const request = await admitted(pages, 100n);
  await pages.write(noted(request, 5n, { detail: '{"of":"another version"}' }));
  await letLeaseRunOut(dead);
  assert.equal(await (await judge()).round(), 1);
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [5n, 0n]);
  assert.equal(recovered[0]?.receiptWritten, false);
  const parked = await database.db.query<{ receipt: string }>("SELECT receipt FROM usage.parked");
  assert.deepEqual(parked, [{ receipt: '{"of":"another version"}' }]);
});

test("a hold that cannot be ended is told, and the others are ended", async () => {
  const dead = newUuid();
  const ids = [await heldBy(dead, 5n), await heldBy(dead, 6n), await heldBy(dead, 7n)].toSorted();
  await letLeaseRunOut(dead);
  const damaged = ids[0] ?? "";
  await postAll(database.db);
  // More than its account has: the books refuse it.
  await database.db.query(
    "UPDATE ledger.unfinished SET held_nano = 5000, recorded_nano = 5000 WHERE request_id = $1",
    [damaged],
  );
  assert.equal(await (await judge()).round(), 2);
  assert.deepEqual(recovered.map((hold) => hold.holdId).toSorted(), ids.slice(1));
  assert.ok(logged.some((line) => line.includes(damaged)));
  assert.deepEqual(
    (await database.db.transaction(verify)).mismatches.map(({ where }) => where),
    ["unfinished.held"],
  );
  assert.equal(await isHeld(damaged), true);
  // Once an operator has mended it, the rest is released.
  await database.db.query("DELETE FROM ledger.unfinished WHERE request_id = $1", [damaged]);
  await (await judge()).round();
  assert.equal(await isHeld(damaged), false);
});

test("two judges at once end each hold once", async () => {
  const dead = newUuid();
  for (let i = 0; i < 8; i++) await heldBy(dead, 1n);
  await letLeaseRunOut(dead);
  const judges = [await judge(), await judge()];
  const counts = await Promise.all(judges.map((recovery) => recovery.round()));
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 8);
  assert.equal((await balance(database.db, accountId))?.chargedNano, 8n);
});

test("started, it keeps its lease by itself; stopped, it gives it up", async () => {
  const ownerId = newUuid();
  const recovery = newRecovery(ownerId);
  await recovery.start();
  const leases = () =>
    database.db.query(
      "SELECT true FROM ledger.owners WHERE owner_id = $1 AND ledger.is_alive(alive_until)",
      [ownerId],
    );
  assert.equal((await leases()).length, 1);
  await recovery.stop();
  assert.equal((await leases()).length, 0);
});
