/**
 * Protects: every page is booked once and whole, a reader who posts, however often, and whatever is
 * committed meanwhile.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ended, leased, noted, type Leased } from "../../../test/ledger/journal-world.ts";
import { fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { databaseProxy } from "../../../test/support/database-proxy.ts";
import { receiptRow } from "../../../test/support/receipt-row.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { createHotConnection } from "../../db/hot-connection.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { postAll, postWhole } from "../../ledger/journals.store.ts";
import { verify } from "../../ledger/verify.store.ts";
import { findRequest } from "../../usage/receipts.store.ts";
import type { EndedRequest } from "./page-elements.ts";
import { createPoster, type Poster } from "./poster.ts";

let database: TestDatabase;
let accountId: Uuid;
let lease: Leased;

before(async () => {
  database = await testDatabase();
});
beforeEach(async () => {
  accountId = await fundedAccount(database.db, 10_000_000n);
  lease = await leased(database.db, accountId, 200_000n);
});
after(async () => {
  await postAll(database.db);
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const charges = (of: Leased, count: number): EndedRequest[] =>
  Array.from({ length: count }, () => ended(of.request(5n), 3n));

async function writePages(of: Leased, pages: number, size: number): Promise<void> {
  for (let page = 0; page < pages; page++)
    assert.equal(await of.writer.write(...charges(of, size)), true);
}

interface Booked {
  readonly pages: number;
  readonly entries: number;
  readonly chargedNano: bigint | undefined;
}

async function booked(): Promise<Booked> {
  const [row] = await database.db.query<{ pages: number; entries: number }>(
    `SELECT (SELECT count(*)::int FROM ledger.page_columns WHERE account_ids[1] = $1) AS pages,
       (SELECT count(*)::int FROM ledger.entries WHERE account_id = $1 AND kind IN ('charge', 'release')) AS entries`,
    [accountId],
  );
  assert.ok(row !== undefined);
  return { ...row, chargedNano: (await balance(database.db, accountId))?.chargedNano };
}

/** What is set aside for the account, by leases too. */
async function setAside(): Promise<bigint | undefined> {
  const [row] = await database.db.query<{ held: bigint }>(
    "SELECT held_nano AS held FROM ledger.accounts WHERE account_id = $1",
    [accountId],
  );
  return row?.held;
}

const unfinished = () =>
  database.db.query<{ request_id: Uuid; recorded_nano: bigint }>(
    "SELECT request_id, recorded_nano FROM ledger.unfinished WHERE account_id = $1",
    [accountId],
  );

/** Of the posters: sessions that wait for a lock of a row. */
async function waitingPids(): Promise<number[]> {
  const rows = await database.db.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%post_journal%' AND datname = current_database()",
  );
  return rows.map(({ pid }) => pid);
}

/** Runs `then` while a post that has begun waits for the account's row. */
async function whilePosting(then: (pid: number) => Promise<void>): Promise<unknown> {
  let posting: Promise<unknown> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.query("SELECT FROM ledger.accounts WHERE account_id = $1 FOR UPDATE", [accountId]);
    posting = postWhole(database.db, lease.writer.journalId).catch((error: unknown) => error);
    const pid = await until("it posts", async () => (await waitingPids())[0] ?? null);
    await then(pid);
  });
  return posting;
}

async function withPoster(
  run: (poster: Poster) => Promise<void>,
  of: Leased = lease,
  url = database.url,
): Promise<void> {
  const connection = createHotConnection({
    url,
    applicationName: "poster test",
    onError: () => {},
  });
  const poster = createPoster({
    connection,
    journalId: () => of.writer.journalId,
    onError: () => {},
  });
  try {
    await run(poster);
  } finally {
    await poster.close();
    await connection.close();
  }
}

test("posters at once on one journal book every page once", async () => {
  await writePages(lease, 40, 20);
  const { journalId } = lease.writer;
  await withPoster((one) =>
    withPoster(async (other) => {
      one.wrote(800);
      other.wrote(800);
      await Promise.all([
        ...Array.from({ length: 4 }, () => postWhole(database.db, journalId)),
        one.post(),
        other.post(),
        postAll(database.db),
      ]);
    }),
  );
  assert.deepEqual(await booked(), { pages: 0, entries: 800, chargedNano: 2_400n });
  assert.equal(await setAside(), 200_000n - 2_400n);
});

test("posters at once on two journals of one account neither lose nor lock each other", async () => {
  const second = await leased(database.db, accountId, 100_000n);
  for (let round = 0; round < 10; round++) {
    await Promise.all([writePages(lease, 2, 20), writePages(second, 2, 20)]);
    await Promise.all(
      [lease, second, lease, second].map(({ writer }) => postWhole(database.db, writer.journalId)),
    );
  }
  assert.deepEqual(await booked(), { pages: 0, entries: 800, chargedNano: 2_400n });
  assert.equal(await setAside(), 300_000n - 2_400n);
});

test("a post that is aborted in the middle has done nothing, and is done again", async () => {
  await writePages(lease, 3, 10);
  const error = await whilePosting(async (pid) => {
    await database.db.query("SELECT pg_terminate_backend($1, 5000)", [pid]);
  });
  assert.ok(error instanceof Error);
  assert.deepEqual(await booked(), { pages: 3, entries: 0, chargedNano: 0n });
  assert.equal(await setAside(), 200_000n);
  await postAll(database.db);
  assert.deepEqual(await booked(), { pages: 0, entries: 30, chargedNano: 90n });
});

test("pages that are committed while a post runs stay, and are posted next", async () => {
  await writePages(lease, 2, 10);
  await whilePosting(() => writePages(lease, 3, 10));
  assert.deepEqual(await booked(), { pages: 3, entries: 20, chargedNano: 60n });
  await postAll(database.db);
  assert.deepEqual(await booked(), { pages: 0, entries: 50, chargedNano: 150n });
});

test("a page of 20,000 elements is booked whole", async () => {
  assert.equal(await lease.writer.write(...charges(lease, 20_000)), true);
  await writePages(lease, 1, 1);
  await postAll(database.db);
  assert.deepEqual(await booked(), { pages: 0, entries: 20_001, chargedNano: 60_003n });
  assert.equal(await setAside(), 200_000n - 60_003n);
});

test("receipts that cannot be written are parked; their money and the other receipts are booked", async () => {
  const ends = charges(lease, 9).map((end, index) => ({
    ...end,
    receipt: receiptRow(index % 4 === 1 ? { model: null as unknown as string } : {}),
  }));
  const request = lease.request(5n);
  const unreadable = ended(request, 2n, {
    receipt: receiptRow({ startedAt: new Date(Number.NaN) }),
  });
  await lease.writer.write(...ends);
  await lease.writer.write(unreadable);
  const bad = [ends[1], ends[5], unreadable].flatMap((end) => end?.requestId ?? []);
  await withPoster((poster) => poster.post());
  assert.deepEqual(await booked(), { pages: 0, entries: 10, chargedNano: 29n });
  for (const { requestId } of ends)
    assert.equal(
      (await findRequest(database.db, accountId, requestId))?.chargedNano,
      bad.includes(requestId) ? undefined : 3n,
    );
  const kept = await database.db.query<{ charged_nano: bigint }>(
    "SELECT charged_nano FROM usage.parked ORDER BY charged_nano",
  );
  assert.deepEqual(
    kept.map(({ charged_nano }) => charged_nano),
    [2n, 3n, 3n],
  );
});

test("a request that is noted and ends in one post never was unfinished", async () => {
  const request = lease.request(5n);
  await lease.writer.write(noted(request, 1n));
  await lease.writer.write(noted(request, 2n), ended(request, 3n, { noted: true }));
  await postAll(database.db);
  assert.deepEqual(await unfinished(), []);
  assert.equal((await booked()).chargedNano, 3n);
});

test("a request that is noted in one post and ends in another is unfinished in between, at what was noted last", async () => {
  const [request, other] = [lease.request(5n), lease.request(7n)];
  await lease.writer.write(noted(request, 1n), noted(other, 0n), noted(request, 2n));
  await postAll(database.db);
  const rows = await unfinished();
  assert.equal(rows.find(({ request_id }) => request_id === request.requestId)?.recorded_nano, 2n);
  assert.equal((await balance(database.db, accountId))?.heldNano, 12n);
  await lease.writer.write(noted(request, 4n));
  await postAll(database.db);
  assert.equal((await balance(database.db, accountId))?.heldNano, 12n);
  await lease.writer.write(ended(request, 3n, { noted: true }));
  await postAll(database.db);
  assert.deepEqual(
    (await unfinished()).map(({ request_id }) => request_id),
    [other.requestId],
  );
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [3n, 7n]);
});

test("one that comes while another posts a note waits, so that nothing is unfinished that has ended", async () => {
  const { journalId } = lease.writer;
  const request = lease.request(5n);
  const posting: Promise<unknown>[] = [];
  const blocked = database.db.transaction(async (tx) => {
    // The first one waits here until this is undone.
    await tx.query(
      `INSERT INTO ledger.unfinished (account_id, request_id, journal_id, hold_id, held_nano, recorded_nano, price_version, noted_at, detail)
       VALUES ($1, $2, $3, $4, 5, 0, 1, now(), '{}')`,
      [accountId, request.requestId, journalId, request.holdId],
    );
    await lease.writer.write(noted(request, 1n));
    posting.push(postWhole(database.db, journalId));
    await until("it posts", async () => (await waitingPids()).length === 1);
    await lease.writer.write(ended(request, 3n, { noted: true }));
    let done = false;
    posting.push(postWhole(database.db, journalId).then(() => (done = true)));
    await until("the other one is there", async () => done || (await waitingPids()).length === 2);
    throw new Error("undone");
  });
  await assert.rejects(blocked, /undone/);
  await Promise.all(posting);
  assert.deepEqual(await unfinished(), []);
  assert.deepEqual(await booked(), { pages: 0, entries: 1, chargedNano: 3n });
});

test("one that finds another poster at work comes back for what that one does not see", async () => {
  await writePages(lease, 1, 10);
  await withPoster(async (poster) => {
    await whilePosting(async () => {
      await writePages(lease, 1, 10);
      await poster.post();
    });
    await until("the second page is posted", async () => (await booked()).pages === 0);
  });
  assert.deepEqual(await booked(), { pages: 0, entries: 20, chargedNano: 60n });
});

test("what is written is posted soon, after an outage too, and what is left at the close at once", async () => {
  const proxy = await databaseProxy(database.url);
  try {
    await withPoster(
      async (poster) => {
        await writePages(lease, 1, 1);
        poster.wrote(1);
        await until("it is posted", async () => (await booked()).pages === 0);
        proxy.outage("broken");
        await writePages(lease, 1, 1);
        poster.wrote(1);
        await sleep(500);
        assert.equal((await booked()).pages, 1);
        proxy.recover();
        await until("it is posted, too", async () => (await booked()).pages === 0);
        await writePages(lease, 1, 1);
      },
      lease,
      proxy.url,
    );
  } finally {
    await proxy.close();
  }
  assert.deepEqual(await booked(), { pages: 0, entries: 3, chargedNano: 9n });
});

test("entries of an account are in order, whatever two journals charge, and none is older than four seconds", async () => {
  const { db } = database;
  const other = await leased(db, accountId, 200_000n);
  await lease.writer.write(ended(lease.request(5n), 0n));
  await db.query("UPDATE ledger.pages SET at = at - interval '1 hour' WHERE ids[2] = $1", [
    accountId,
  ]);
  await other.writer.write(ended(other.request(5n), 0n));
  const order: string[] = [];
  let posting: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    await postWhole(tx, lease.writer.journalId);
    posting = postWhole(db, other.writer.journalId).then(() => order.push("the other's"));
    await sleep(200);
    order.push("one's");
  });
  await posting;
  assert.deepEqual(order, ["one's", "the other's"]);
  const late = await db.query(
    "SELECT 1 FROM ledger.entries WHERE account_id = $1 AND at < clock_timestamp() - interval '10 seconds'",
    [accountId],
  );
  assert.deepEqual(late, []);
});
