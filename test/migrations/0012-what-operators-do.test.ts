/**
 * Guarantee: payments and accounts of before are there after it as they were; nothing is out for
 * ever, and notes go with their account.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

test("payments of before are listed by all and by state; a route is out for a month at most, and a note says something", async () => {
  await using before = await databaseBefore(12);
  const { db } = before;
  const [accountId, paymentId] = [newUuid(), newUuid()];
  await db.query("INSERT INTO accounts.accounts (account_id, name) VALUES ($1, 'x')", [accountId]);
  await db.query(
    `INSERT INTO payments.payments (account_id, payment_id, provider, method, locale, amount_nano, return_url)
     VALUES ($1, $2, 'yookassa', 'sbp', 'ru', 10000000, 'https://x.example/')`,
    [accountId, paymentId],
  );

  await before.apply();

  const listed = (where: string) =>
    db.query(`SELECT payment_id AS id FROM payments.payments WHERE ${where}`);
  assert.deepEqual(await listed("state = 'created'"), [{ id: paymentId }]);
  assert.deepEqual(await listed("payment_id > '00000000-0000-0000-0000-000000000000'"), [
    { id: paymentId },
  ]);
  const takeOut = (days: number) =>
    db.query(
      `INSERT INTO operate.routes_out (upstream, upstream_model, until, taken_by)
       VALUES ('up', 'm', clock_timestamp() + $1 * interval '1 day', 'x')`,
      [days],
    );
  for (const days of [-1, 40]) await assert.rejects(takeOut(days), { constraint: "not_for_ever" });
  await takeOut(30);
  const note = (text: string, tags: readonly string[]) =>
    db.query(
      "INSERT INTO operate.account_notes (account_id, note, tags, changed_by) VALUES ($1, $2, $3, 'x')",
      [accountId, text, tags],
    );
  await assert.rejects(note("", []), { constraint: "says_something" });
  await note("", ["vip"]);
  await db.query("DELETE FROM payments.payments");
  await db.query("DELETE FROM accounts.accounts WHERE account_id = $1", [accountId]);
  assert.deepEqual(await db.query("SELECT 1 FROM operate.account_notes"), []);
});
