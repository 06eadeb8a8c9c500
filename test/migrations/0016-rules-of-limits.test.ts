/** Guarantee: rules of before stay as they were; by Telegram hear those who heard by mail. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rulesOf } from "../../src/business/alerts/rules.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("rules of before name for Telegram whom they name for mail, and a limit has a share and a subject", async () => {
  await using before = await databaseBefore(16);
  const { db } = before;
  const [accountId, quiet, loud, memberId, groupId] = [
    newUuid(),
    newUuid(),
    newUuid(),
    newUuid(),
    newUuid(),
  ];
  const insert = `INSERT INTO alerts.rules (account_id, rule_id, kind, threshold_nano, factor, subject_id, enabled, mail_to, member_ids)
    VALUES ($1, $2, $3::alerts.kind, 5000000000, $4, $1, true, $5, $6)`;
  await db.query(insert, [accountId, quiet, "balance_below", null, "nobody", []]);
  await db.query(insert, [accountId, loud, "spend_spike", 5, "members", [memberId]]);

  await before.apply();

  const rules = new Map((await rulesOf(db, accountId)).map((rule) => [rule.ruleId, rule]));
  assert.deepEqual(
    [quiet, loud].map((id) => {
      const rule = rules.get(id);
      return [rule?.mailTo, rule?.telegramTo, rule?.thresholdNano, rule?.percent, rule?.groupId];
    }),
    [
      ["nobody", "nobody", 5_000_000_000n, null, null],
      ["members", "members", 5_000_000_000n, null, null],
    ],
  );

  // As the version before writes it, in a roll.
  await db.query(insert, [accountId, newUuid(), "balance_below", null, "owners", []]);
  const limit = `INSERT INTO alerts.rules (account_id, rule_id, kind, threshold_nano, percent, subject_id, group_id, enabled, mail_to, member_ids)
    VALUES ($1, $2, 'limit_used', $3, $4, $5, $6, true, 'owners', '{}')`;
  await db.query(limit, [accountId, newUuid(), null, 80, groupId, groupId]);
  for (const wrong of [
    [null, null, groupId, groupId],
    [1, 80, groupId, groupId],
    [null, 101, groupId, groupId],
    [null, 80, accountId, null],
    [null, 80, groupId, newUuid()],
  ])
    await assert.rejects(db.query(limit, [accountId, newUuid(), ...wrong]), /violates check/);
});
