/** Guarantee: leases that were out before it are grown after it, and then tell what was free. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { grantMany } from "../../src/ledger/grants.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { leaseGrant, openJournal } from "../ledger/journal-world.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { databaseBefore } from "./database-before.ts";

test("a lease of before grows as it did; from now on its grant says out of how much", async () => {
  await using before = await databaseBefore(8);
  const { db } = before;
  const accountId = await fundedAccount(db, 10_000n);
  const journalId = await openJournal(db);
  const lease = leaseGrant(accountId, 200n, 10n);
  const grantOne = async (request: typeof lease) => grantMany(db, journalId, [request], false);
  assert.deepEqual(await grantOne(lease), [{ kind: "leased", grantedNano: 200n, roomNano: 0n }]);

  await before.apply();

  const more = leaseGrant(accountId, 300n, 10n, { lease: lease.lease });
  assert.deepEqual(await grantOne(more), [{ kind: "leased", grantedNano: 200n, roomNano: 9_800n }]);
  await before.applyAll();
  const { mismatches } = await db.transaction(verify);
  assert.deepEqual(mismatches, []);
});
