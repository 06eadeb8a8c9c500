/**
 * Guarantee: posts and grants that lock several holds take them in the order of their primary key, so that
 * they never wait for each other; and a post sees what a grant that it waited for has made.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { balance } from "../../src/ledger/accounts.store.ts";
import { grantMany } from "../../src/ledger/grants.store.ts";
import { postWhole } from "../../src/ledger/journals.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import {
  createPageWriter,
  ended,
  given,
  grantOne,
  growGrant,
  holdRows,
  leased,
  leaseGrant,
  openJournal,
} from "./journal-world.ts";
import { fundedAccount } from "./ledger-world.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

async function waitsForLock(): Promise<boolean> {
  const waiting = await database.db.query(
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query ~ 'post_journal|grant_many'",
  );
  return waiting.length > 0;
}

interface Leases {
  readonly journalId: Uuid;
  /** By primary key; by the id of the lease alone it is the other way round. */
  readonly leases: readonly { readonly accountId: Uuid; readonly leaseId: Uuid }[];
}

async function twoLeases(): Promise<Leases> {
  const { db } = database;
  const journalId = await openJournal(db);
  const accounts = [await fundedAccount(db, 10_000n), await fundedAccount(db, 10_000n)].toSorted();
  const ids = [newUuid(), newUuid()].toSorted().toReversed();
  const leases = accounts.map((accountId, at) => ({ accountId, leaseId: ids[at] ?? newUuid() }));
  for (const { accountId, leaseId } of leases) {
    const lease = { leaseId, wantNano: 100n as Nano };
    const verdict = await grantOne(db, journalId, leaseGrant(accountId, 100n, 1n, { lease }));
    assert.equal(verdict.kind, "leased");
  }
  return { journalId, leases };
}

const LOCKERS: Readonly<Record<string, (of: Leases) => Promise<unknown>>> = {
  post: async ({ journalId, leases }) => {
    const elements = leases.map(({ accountId, leaseId }) =>
      ended({ requestId: newUuid(), accountId, holdId: leaseId, heldNano: 9n as Nano }, 7n),
    );
    await createPageWriter(database.db, journalId).write(...elements.toReversed());
    await postWhole(database.db, journalId);
  },
  grant: async ({ journalId, leases }) => {
    const grows = leases.map(({ accountId, leaseId }) => growGrant(accountId, leaseId, 50n));
    await grantMany(database.db, journalId, grows.toReversed(), false);
  },
};

for (const [who, lock] of Object.entries(LOCKERS))
  test(`a ${who} that waits for a hold has not locked one that comes behind it`, async () => {
    const of = await twoLeases();
    const [first, second] = of.leases;
    const { locking } = await database.db.transaction(async (tx) => {
      const hold = "SELECT FROM ledger.holds WHERE account_id = $1 AND hold_id = $2 FOR UPDATE";
      await tx.query(hold, [first?.accountId, first?.leaseId]);
      const beside = lock(of);
      await until(`the ${who} waits`, waitsForLock);
      const free = await tx.query(`${hold} SKIP LOCKED`, [second?.accountId, second?.leaseId]);
      assert.equal(free.length, 1);
      return { locking: beside };
    });
    await locking;
  });

test("a post that ends a lease gives back what a grant added to it while the post waited", async () => {
  const { db } = database;
  const accountId = await fundedAccount(db, 10_000n);
  const lease = await leased(db, accountId, 100n);
  await lease.writer.write(ended(lease.request(60n), 40n), given(accountId, lease.leaseId, null));
  const { posting } = await db.transaction(async (tx) => {
    const grown = growGrant(accountId, lease.leaseId, 300n);
    assert.equal((await grantOne(tx, lease.writer.journalId, grown)).kind, "held");
    const beside = postWhole(db, lease.writer.journalId);
    await until("the post waits", waitsForLock);
    return { posting: beside };
  });
  await posting;
  assert.deepEqual(await holdRows(db, accountId), []);
  const money = await balance(db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [40n, 0n]);
});
