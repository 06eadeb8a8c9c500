/** Protects: what came and went in a time, told by two balances, is what its entries add up to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { exactHold, fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { listEntries } from "./entries.store.ts";
import { holdIn, settleIn } from "./holds.store.ts";
import { adjust, credit } from "./transfers.store.ts";
import { sumTurnover, sumWholeTurnover } from "./turnover.store.ts";

const nanos = (value: bigint): Nano => value as Nano;

test("between any two moments, with entries of every kind", async () => {
  const database = await testDatabase();
  try {
    const { db } = database;
    const accountId = await fundedAccount(db, 1_000n);
    for (let i = 1n; i <= 6n; i++) {
      const request = exactHold(accountId, 20n);
      await holdIn(db, request);
      await settleIn(db, {
        accountId,
        holdId: request.holdId,
        chargeNano: nanos(i % 3n === 0n ? 0n : i),
        lossNano: nanos(i === 5n ? 3n : 0n),
      });
      const money = { accountId, reference: newUuid() };
      if (i % 2n === 0n)
        await adjust(db, { ...money, amountNano: nanos(-2n * i), note: "paid elsewhere" });
      else await credit(db, { ...money, amountNano: nanos(7n * i), kind: "topup" });
    }
    const page = await listEntries(db, { accountId, limit: 100, cursor: null, moneyOnly: false });
    const entries = page?.entries ?? [];
    assert.deepEqual(new Set(entries.map(({ kind }) => kind)).size, 5);
    const moments = [null, ...entries.map(({ at }) => at), new Date(Date.now() + 60_000)];
    for (const from of moments)
      for (const to of moments) {
        const search = { accountId, from, to };
        assert.deepEqual(await sumWholeTurnover(db, search), await sumTurnover(db, search));
      }
    const all = await sumWholeTurnover(db, { accountId, from: null, to: null });
    assert.deepEqual(all, {
      openingNano: 0n,
      toppedUpNano: 1_063n,
      adjustedNano: -24n,
      chargedNano: 12n,
    });
    const none = { accountId: newUuid(), from: null, to: null };
    assert.equal((await sumWholeTurnover(db, none)).chargedNano, 0n);
  } finally {
    await database.drop();
  }
});
