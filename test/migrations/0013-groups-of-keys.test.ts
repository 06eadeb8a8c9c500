/** Guarantee: keys, holds and days of before it are in no group and go on as they were; groups begin with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { placeBudget } from "../../src/ledger/budget-groups.store.ts";
import { budgetState, openBudget } from "../../src/ledger/budgets.store.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { exactHold, fundedAccount } from "../ledger/ledger-world.ts";
import { databaseBefore } from "./database-before.ts";

test("a key's hold of before settles, its days keep their sums, and the key may be brought into a group", async () => {
  await using before = await databaseBefore(13);
  const { db } = before;
  const accountId = await fundedAccount(db, 10_000n);
  const [keyId, groupId] = [newUuid(), newUuid()];
  const open = (budgetId: Uuid) =>
    openBudget(db, { budgetId, accountId, limitNano: null, period: "total" });
  await open(keyId);
  await db.query(
    `INSERT INTO keys.keys (account_id, key_id, hash, mask, name) VALUES ($1, $2, repeat('a', 64), 'tg_live_Ab3d…x9Qz', 'old')`,
    [accountId, keyId],
  );
  const hold = exactHold(accountId, 100n, { budgetId: keyId });
  assert.equal((await holdIn(db, hold)).kind, "held");
  await db.query(
    `INSERT INTO usage.daily (account_id, day, key_id, kind, model, ended, failed, charged_nano, input_tokens, cached_tokens, output_tokens)
     VALUES ($1, '2026-01-01', $2, 'chat', 'm', 1, 0, 7, 1, 0, 1)`,
    [accountId, keyId],
  );

  await before.apply();

  // By the columns of then: what reads keys now asks for more.
  const keys = await db.query("SELECT group_id FROM keys.keys WHERE account_id = $1", [accountId]);
  assert.deepEqual(keys, [{ group_id: null }]);
  const days = await db.query(
    "SELECT group_id, charged_nano AS charged FROM usage.days WHERE account_id = $1",
    [accountId],
  );
  assert.deepEqual(days, [{ group_id: null, charged: 7n }]);
  await open(groupId);
  assert.equal(await placeBudget(db, { accountId, budgetId: keyId, groupId }), "placed");
  assert.deepEqual(await holdIn(db, exactHold(accountId, 30n, { budgetId: keyId })), {
    kind: "held",
    heldNano: 30n,
    tier: "slice",
  });
  await settleIn(db, {
    accountId,
    holdId: hold.holdId,
    chargeNano: hold.sliceNano,
    lossNano: hold.sliceNano,
  });
  const states = await budgetState(db, [keyId, groupId]);
  assert.deepEqual(
    [keyId, groupId].map((id) => [states.get(id)?.chargedNano, states.get(id)?.heldNano]),
    [
      [100n, 30n],
      [0n, 30n],
    ],
    "what was held before stands in no group",
  );
  await before.applyAll();
  const { mismatches } = await db.transaction(verify);
  assert.deepEqual(mismatches, []);
});
