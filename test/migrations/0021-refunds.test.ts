/**
 * Guarantee: payments of before stay as they are, and their refunds have walls from the first one
 * on: of a payment that is there, ended with the entry that its end needs.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("a refund is of a payment that is there, and ends in one way", async () => {
  await using before = await databaseBefore(21);
  const { db } = before;
  const [accountId, paymentId] = [newUuid(), newUuid()];
  await db.query(
    `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url)
     VALUES ($1, $2, 'yookassa', 'sbp', 'ru', 500000000000, 'https://x.example/')`,
    [accountId, paymentId],
  );
  await before.apply();
  const insert = (payment: string, more = "", values = ""): Promise<unknown> =>
    db.query(
      `INSERT INTO payments.refunds (account_id, refund_id, payment_id, ref, provider, amount_nano, reason, actor, entry_id${more})
       VALUES ($1, gen_random_uuid(), $2, gen_random_uuid()::text, 'yookassa', 100000000000, 'x', 'x', gen_random_uuid()${values})`,
      [accountId, payment],
    );
  await insert(paymentId);
  await assert.rejects(insert(newUuid()), /foreign key/);
  await assert.rejects(insert(paymentId, ", state", ", 'pending'"), /check/);
  await assert.rejects(
    insert(paymentId, ", state, ended_at", ", 'canceled', now()"),
    /check/,
    "its money was not given back",
  );
  await insert(
    paymentId,
    ", state, ended_at, returned_entry_id",
    ", 'canceled', now(), gen_random_uuid()",
  );
  const kept = await db.query("SELECT state::text AS state FROM payments.refunds ORDER BY state");
  assert.deepEqual(kept, [{ state: "canceled" }, { state: "created" }]);
});
