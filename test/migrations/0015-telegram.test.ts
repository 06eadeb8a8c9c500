/** Guarantee: deliveries of before stay as they were, and one by Telegram has its message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listDeliveries } from "../../src/business/alerts/delivery-log.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("what was sent before is still there, and a delivery by Telegram has its message", async () => {
  await using before = await databaseBefore(15);
  const { db } = before;
  const accountId = newUuid();
  await db.query(
    `INSERT INTO alerts.deliveries (account_id, delivery_id, kind, channel, target, test, value_nano, threshold_nano, mail_id)
     VALUES ($1, $2, 'spend_spike', 'mail', 'a@example.test', false, 1, 1, $3)`,
    [accountId, newUuid(), newUuid()],
  );

  await before.apply();

  const log = await listDeliveries(db, { accountId, before: null, ruleId: null, limit: 10 });
  assert.deepEqual(
    log.map(({ channel, state }) => [channel, state]),
    [["mail", "delivered"]],
  );
  const put = `INSERT INTO alerts.deliveries (account_id, delivery_id, kind, channel, target, test, value_nano, threshold_nano, message_id)
     VALUES ($1, $2, 'spend_day', 'telegram', 'a@example.test', false, 1, 1, $3)`;
  await assert.rejects(db.query(put, [accountId, newUuid(), null]), /violates check/);
  await db.query(put, [accountId, newUuid(), newUuid()]);
});
