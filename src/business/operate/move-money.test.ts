/**
 * Guards operators' corrections, on real PostgreSQL: one reference books once, names one booking
 * alone, and no amount is beyond its bound either way.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newAccount } from "../../../test/support/new-customer.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid } from "../../kernel/ids.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { formatRoubles, type Nano } from "../../kernel/money.ts";
import { adjustAccount } from "./move-money.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const OPERATOR = { memberId: newUuid(), email: "staff@example.com" };

test("a correction is booked once; its reference names that amount on that account, and nothing else", async () => {
  const [one, other] = [await newAccount(database.db, "100"), await newAccount(database.db, "100")];
  const adjust = (accountId: string, amount: string) =>
    adjustAccount(database.db, OPERATOR, accountId, { amount, reason: "a mistake", ref: "fix-1" });
  assert.deepEqual(
    [(await adjust(one, "-5")).outcome, (await adjust(one, "-5")).outcome],
    ["booked", "repeated"],
  );
  await assert.rejects(adjust(one, "-6"), { code: "conflict" });
  await assert.rejects(adjust(other, "-5"), { code: "conflict" });
  const left = await Promise.all([one, other].map((accountId) => balance(database.db, accountId)));
  assert.deepEqual(
    left.map((books) => formatRoubles(books?.availableNano ?? (0n as Nano))),
    ["95", "100"],
  );
});

test("a milliard of roubles is the most that one correction gives or takes", async () => {
  const accountId = await newAccount(database.db, "1");
  const adjust = (amount: string) =>
    adjustAccount(database.db, OPERATOR, accountId, { amount, reason: "a test" });
  for (const amount of ["0", "1000000000.000000001", "-1000000000.000000001"])
    await assert.rejects(adjust(amount), { code: "invalid_request" });
  assert.equal((await adjust("1000000000")).balance, "1000000001");
  assert.equal((await adjust("-1000000000")).balance, "1");
});
