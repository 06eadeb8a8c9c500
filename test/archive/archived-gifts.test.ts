/**
 * Guarantee: what is left of a trial and of a bonus is known when the months in which they were given
 * are files, and verify finds where it is not.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listAllEntries } from "../../src/business/past/read-entries.ts";
import { openBooks } from "../../src/business/past/books.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { type CreditByClass, creditByClass } from "../../src/ledger/credit-classes.store.ts";
import { adjust, credit } from "../../src/ledger/transfers.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { bookReceipts } from "../support/book-receipts.ts";
import { verifyPlanted } from "../support/verify-planted.ts";
import { archiveWorld, type ArchiveWorld } from "./archive-world.ts";

/** A month's requests use the trial up, and of the bonus some is left. */
const GIFT = 8_000_000n;

let world: ArchiveWorld;
let left: readonly (CreditByClass | null)[];
before(async () => {
  world = await archiveWorld({ accounts: 3, months: 3, perMonth: 90, giftNano: GIFT });
  left = await leftOfAll();
});
after(async () => world[Symbol.asyncDispose]());

const leftOfAll = () => Promise.all(world.accountIds.map((id) => creditByClass(world.db, id)));

async function agree(): Promise<void> {
  assert.deepEqual((await world.db.transaction(verify)).mismatches, []);
}

async function placesOf(plant: string): Promise<string[]> {
  const found = await verifyPlanted(world.db, (tx) => tx.query(plant));
  return [...new Set<string>(found.map(({ where }) => where))].toSorted();
}

test("a sealed month says where its gifts end, and is held against them as long as they are here", async () => {
  for (const each of left)
    assert.ok(
      each !== null && each.trial === 0n && each.bonus > 0n && each.bonus < 3n * GIFT,
      `${each?.trial} ${each?.bonus}`,
    );
  await agree();
  const [first = ""] = world.months;
  const [, second = ""] = world.months;
  const outcome = await world.archive({ before: second, keep: true });
  assert.equal(outcome.kind, "done");
  await agree();
  const ofFirst = `WHERE month = to_date('${first}', 'YYYY-MM')`;
  for (const mark of ["trial", "bonus"]) {
    assert.deepEqual(
      await placesOf(
        `UPDATE ledger.seals SET ${mark}_until_nano = ${mark}_until_nano + 1 ${ofFirst}`,
      ),
      [`seal.${mark}`],
    );
    assert.deepEqual(
      await placesOf(`UPDATE ledger.seals SET ${mark}_until_nano = NULL ${ofFirst}`),
      [`seal.${mark}`],
    );
  }
});

test("month after month leaves the database, and what is left of each class stays, and is used up and given on", async () => {
  assert.equal((await world.archive()).kind, "done");
  const here = await world.db.query("SELECT FROM ledger.entries WHERE class IS NOT NULL");
  assert.deepEqual(here, [], "all gifts are archived");
  assert.deepEqual(await leftOfAll(), left);
  await agree();
  for (const mark of ["trial", "bonus"])
    assert.deepEqual(
      await placesOf(
        `UPDATE ledger.seals SET ${mark}_until_nano = ${mark}_until_nano - 1 WHERE month = (SELECT max(month) FROM ledger.months)`,
      ),
      [`account.${mark}`],
    );
  const [accountId = ""] = world.accountIds;
  const [keyId = ""] = world.keyIds;
  const { bonus = 0n, paid = 0n } = left[0] ?? {};
  // One nano of the bonus is left, and a trial is given before it.
  const spent = { requestId: newUuid(), accountId, keyId, receipt: null };
  await bookReceipts(world.db, [{ ...spent, chargeNano: (bonus - 1n) as Nano }]);
  const gift = {
    accountId,
    amountNano: 7n as Nano,
    reference: "trial again",
    kind: "topup",
  } as const;
  await credit(world.db, { ...gift, creditClass: "trial" });
  assert.deepEqual(await creditByClass(world.db, accountId), { paid, trial: 7n, bonus: 1n });
  await agree();
  const taken = { accountId, amountNano: -2n as Nano, reference: "take", note: "too much" };
  const take = (creditClass: "trial" | "bonus") =>
    world.db.transaction((tx) => adjust(tx, { ...taken, creditClass }));
  assert.deepEqual(await take("bonus"), { kind: "insufficient-balance", availableNano: 1n });
  assert.equal((await take("trial")).kind, "adjusted");
  assert.deepEqual(await creditByClass(world.db, accountId), { paid, trial: 5n, bonus: 1n });
  await agree();
});

test("archived entries tell their class", async () => {
  const books = openBooks(world.db, () => Promise.resolve(world.storage));
  const [, accountId = ""] = world.accountIds;
  const page = await listAllEntries(books, {
    accountId,
    limit: 100,
    cursor: null,
    moneyOnly: true,
    kind: "topup",
  });
  assert.deepEqual(
    page?.entries.map(({ creditClass }) => creditClass),
    world.months.flatMap(() => ["trial", "bonus", "paid"]),
  );
});
