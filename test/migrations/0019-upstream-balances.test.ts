/** Guarantee: rules of operators stay as they were decided, and one for balances joins them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operatorRules } from "../../src/business/watch/operator-rules.store.ts";
import { databaseBefore } from "./database-before.ts";

test("balances have a rule that is on, beside the others as they are", async () => {
  await using before = await databaseBefore(19);
  const { db } = before;
  await db.query(
    "UPDATE alerts.operator_rules SET enabled = true, percent = 25, mail = false WHERE kind = 'margin_below'",
  );
  const was = await operatorRules(db);
  await before.apply();
  const rules = await operatorRules(db);
  assert.deepEqual(
    rules.filter(({ kind }) => kind !== "balance_below"),
    was,
  );
  assert.deepEqual(
    rules
      .filter(({ kind }) => kind === "balance_below")
      .map(({ enabled, percent, mail, telegram }) => [enabled, percent, mail, telegram]),
    [[true, null, true, true]],
  );
  const add =
    "INSERT INTO operate.upstream_balances (upstream, due_at, reported_at, amount) VALUES ($1, now(), $2, $3)";
  await db.query(add, ["a", null, null]);
  await assert.rejects(db.query(add, ["b", new Date(), null]), /violates check/);
  await assert.rejects(db.query(add, ["c", null, 5]), /violates check/);
});
