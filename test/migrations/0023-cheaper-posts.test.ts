/** Guarantee: pages that were written before it are posted behind it, and come to the same books. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { postWhole } from "../../src/ledger/journals.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import {
  ended,
  given,
  grantOne,
  holdRows,
  leaseGrant,
  openJournal,
  ownGrant,
} from "../ledger/journal-world.ts";
import { fundedAccount } from "../ledger/ledger-world.ts";
import { databaseBefore } from "./database-before.ts";
import { writePageInColumns } from "./pages-in-columns.ts";

test("pages of before are booked as those that were posted: charges, a loss, a hold of its own, a lease given back", async () => {
  await using before = await databaseBefore(23);
  const { db } = before;
  const accountId = await fundedAccount(db, 10_000n);
  const journalId = await openJournal(db);
  let pages = 0;

  /** What is in the page comes to 40 charged and 3 lost. */
  async function writePage(): Promise<void> {
    const leaseId = newUuid();
    const own = ownGrant(accountId, 30n);
    const lease = leaseGrant(accountId, 100n, 1n, { lease: { leaseId, wantNano: 100n as Nano } });
    assert.equal((await grantOne(db, journalId, own)).kind, "held");
    assert.equal((await grantOne(db, journalId, lease)).kind, "leased");
    const request = (holdId = newUuid(), requestId = newUuid()) => ({
      requestId,
      accountId,
      holdId,
      heldNano: 30n as Nano,
    });
    pages += 1;
    await writePageInColumns(db, {
      journalId,
      pageNo: pages,
      ended: [
        ended(request(leaseId), 10n),
        ended(request(own.holdId, own.holdId), 25n, { lossNano: 3n as Nano }),
        ended(request(leaseId), 5n),
      ],
      given: [given(accountId, leaseId, null)],
    });
  }
  const books = async (from: bigint) => {
    await postWhole(db, journalId);
    const entries = await db.query<{ balance: bigint }>(
      `SELECT kind, amount_nano AS amount, balance_nano AS balance FROM ledger.entries
       WHERE account_id = $1 AND entry_no > $2 ORDER BY entry_no`,
      [accountId, from],
    );
    return {
      entries: entries.map((entry) => ({
        ...entry,
        balance: entry.balance + (from === 1n ? 0n : 40n),
      })),
      holds: await holdRows(db, accountId),
    };
  };

  await writePage();
  const earlier = await books(1n);
  assert.equal(earlier.entries.length, 4);
  await writePage();
  await before.apply();
  assert.deepEqual(await books(5n), earlier);
  const [hours] = await db.query(
    "SELECT sum(ended)::int AS ended, sum(charged_nano)::int AS charged, sum(loss_nano)::int AS lost FROM usage.hourly",
  );
  assert.deepEqual(hours, { ended: 6, charged: 80, lost: 6 });
  await before.applyAll();
  const { mismatches } = await db.transaction(verify);
  assert.deepEqual(mismatches, []);
});
