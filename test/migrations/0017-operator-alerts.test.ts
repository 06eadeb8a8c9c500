/** Guarantee: operators hear of what is certainly wrong from the start, and of a margin when they ask for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operatorRules } from "../../src/business/watch/operator-rules.store.ts";
import { databaseBefore } from "./database-before.ts";

test("three troubles are reported from the start, and a margin has a share alone", async () => {
  await using before = await databaseBefore(17);
  const { db } = before;
  await before.apply();
  assert.deepEqual(
    (await operatorRules(db)).map(({ kind, enabled, percent, notified }) => [
      kind,
      enabled,
      percent,
      notified,
    ]),
    [
      ["circuit_open", true, null, {}],
      ["margin_below", false, 10, {}],
      ["payments_late", true, null, {}],
      ["receipts_parked", true, null, {}],
    ],
  );
  const share = "UPDATE alerts.operator_rules SET percent = $2 WHERE kind = $1";
  for (const [kind, percent] of [
    ["circuit_open", 5],
    ["margin_below", null],
    ["margin_below", 101],
  ])
    await assert.rejects(db.query(share, [kind, percent]), /violates check/);
});
