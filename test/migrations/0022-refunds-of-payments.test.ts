/**
 * Guarantee: what was refunded of payments of before was refunded elsewhere, none of it here; and
 * no more is refunded here than was paid.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("refunds of before are those of the provider's own site", async () => {
  await using before = await databaseBefore(22);
  const { db } = before;
  const accountId = newUuid();
  for (const refunded of [0n, 200_000_000_000n])
    await db.query(
      `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url, refunded_nano)
       VALUES ($1, $2, 'yookassa', 'sbp', 'ru', 500000000000, 'https://x.example/', $3)`,
      [accountId, newUuid(), refunded],
    );
  await before.apply();
  const rows = await db.query(
    "SELECT refunded_nano AS refunded, refunded_elsewhere_nano AS elsewhere, refunds_nano AS here FROM payments.payments ORDER BY 1",
  );
  assert.deepEqual(rows, [
    { refunded: 0n, elsewhere: 0n, here: 0n },
    { refunded: 200_000_000_000n, elsewhere: 200_000_000_000n, here: 0n },
  ]);
  for (const here of ["-1", "500000000001"])
    await assert.rejects(db.query(`UPDATE payments.payments SET refunds_nano = ${here}`), /check/);
});
