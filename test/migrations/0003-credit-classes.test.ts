/**
 * Guarantee: money that was there before credit had classes is paid credit, to the last nano, with
 * its references, and the books agree.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { creditByClass } from "../../src/ledger/credit-classes.store.ts";
import { adjust, credit } from "../../src/ledger/transfers.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { databaseBefore } from "./database-before.ts";

test("what was credited before is paid, and a gift is used up before it", async () => {
  await using before = await databaseBefore(3);
  const { db } = before;
  const [accountId, other] = [newUuid(), newUuid()];
  // As the statements of that time have left them: a top-up, a correction, a charge.
  await db.query("INSERT INTO ledger.accounts (account_id) VALUES ($1), ($2)", [accountId, other]);
  for (const [kind, amount] of [
    ["topup", 1_000n],
    ["adjust", -100n],
  ] as const)
    await db.query(
      `WITH a AS (UPDATE ledger.accounts SET credited_nano = credited_nano + $3, entries = entries + 1, entered_at = clock_timestamp()
         WHERE account_id = $1 RETURNING entries, entered_at, credited_nano),
       e AS (INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, reference)
         SELECT $1, $2, entries, entered_at, $3, credited_nano, $4::ledger.entry_kind, $4 || ' of before' FROM a)
       INSERT INTO directory.transfers (kind, reference, account_id, entry_id, amount_nano) VALUES ($4, $4 || ' of before', $1, $2, $3)`,
      [accountId, newUuid(), amount, kind],
    );
  const hold = newUuid();
  await db.query(
    `INSERT INTO ledger.holds (account_id, hold_id, held_nano, created_at, reference) VALUES ($1, $2, 300, clock_timestamp(), 'task:1')`,
    [accountId, hold],
  );
  await db.query("UPDATE ledger.accounts SET held_nano = 300 WHERE account_id = $1", [accountId]);
  await db.query("SELECT ledger.settle($1, $2, 250, 0, NULL, NULL, NULL, NULL, NULL)", [
    accountId,
    hold,
  ]);

  await before.apply();

  assert.deepEqual(await creditByClass(db, accountId), { paid: 650n, trial: 0n, bonus: 0n });
  assert.deepEqual(
    await db.query(
      "SELECT kind, reference, class, entry_no FROM directory.transfers ORDER BY entry_no",
    ),
    [
      { kind: "topup", reference: "topup of before", class: "paid", entry_no: 1n },
      { kind: "adjust", reference: "adjust of before", class: "paid", entry_no: 2n },
    ],
  );
  await before.applyAll();
  assert.deepEqual((await db.transaction(verify)).mismatches, []);
  const repeated = { accountId, amountNano: 1_000n as Nano, reference: "topup of before" } as const;
  assert.equal((await credit(db, { ...repeated, kind: "topup" })).kind, "duplicate");
  const gift = { accountId, amountNano: 50n as Nano, reference: "gift", kind: "topup" } as const;
  assert.equal((await credit(db, { ...gift, creditClass: "bonus" })).kind, "credited");
  assert.deepEqual(await creditByClass(db, accountId), { paid: 650n, trial: 0n, bonus: 50n });
  const taken = { accountId, amountNano: -651n as Nano, reference: "refund", note: "paid back" };
  assert.deepEqual(await db.transaction((tx) => adjust(tx, taken)), {
    kind: "insufficient-balance",
    availableNano: 650n,
  });
  assert.deepEqual((await db.transaction(verify)).mismatches, []);
});
