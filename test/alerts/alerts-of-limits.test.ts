/**
 * Protects: an alert on the limit of a group or a key fires once when its share is used, in each
 * period anew, and counts what all keys of the group spend.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Alert, NewAlert } from "../../src/contract/panel/alert.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { parseRoubles, ZERO_NANO } from "../../src/kernel/money.ts";
import { insertGroupOnce } from "../../src/keys/groups.store.ts";
import { openBudget, updateBudget } from "../../src/ledger/budgets.store.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { alertHands, type AlertHands } from "./alert-hands.ts";
import { lookedAt, openAlertWorld, type AlertWorld } from "./alert-world.ts";

let database: TestDatabase;
let world: AlertWorld;
let { newOwner, add, log, rules } = {} as AlertHands;

before(async () => {
  database = await testDatabase();
  world = await openAlertWorld({ databaseUrl: database.url });
  ({ newOwner, add, log, rules } = alertHands(database, world));
});
after(async () => {
  await world.close();
  await database.drop();
  assert.deepEqual(world.troubles, []);
});

const roubles = (text: string) => parseRoubles(text) ?? ZERO_NANO;

async function newGroup(accountId: Uuid, limit: string): Promise<Uuid> {
  const groupId = newUuid();
  await database.db.transaction(async (tx) => {
    await insertGroupOnce(tx, { groupId, accountId, name: "Отдел", models: null, once: null });
    const limitNano = roubles(limit);
    await openBudget(tx, { budgetId: groupId, accountId, limitNano, period: "month" });
  });
  return groupId;
}

/** A request of a key in the group. */
async function spendIn(
  accountId: Uuid,
  amount: string,
  { groupId, keyId }: { readonly groupId: Uuid; readonly keyId: Uuid },
): Promise<void> {
  const holdId = newUuid();
  const amountNano = roubles(amount);
  await database.db.transaction(async (tx) => {
    const held = await holdIn(tx, {
      holdId,
      accountId,
      budgetId: keyId,
      groupId,
      fullNano: null,
      sliceNano: amountNano,
      minimumNano: amountNano,
      reference: `request:${holdId}`,
      priceVersion: 1,
      detail: "{}",
    });
    assert.equal(held.kind, "held");
    await settleIn(tx, { accountId, holdId, chargeNano: amountNano, lossNano: ZERO_NANO });
  });
  await until("the account is looked at", () => lookedAt(database.db, accountId));
}

/** A key of the account whose budget lies in the group. */
async function keyIn(accountId: Uuid, groupId: Uuid): Promise<{ groupId: Uuid; keyId: Uuid }> {
  const { key } = await newKey(database.db, accountId);
  await database.db.query(
    "UPDATE keys.keys SET group_id = $2 WHERE account_id = $1 AND key_id = $3",
    [accountId, groupId, key.keyId],
  );
  await database.db.query(
    "UPDATE ledger.budgets SET group_id = $2 WHERE account_id = $1 AND budget_id = $3",
    [accountId, groupId, key.keyId],
  );
  return { groupId, keyId: key.keyId };
}

test("a group's limit is told once at its share, whichever of its keys spends, and again in the next period", async () => {
  const owner = await newOwner("10000");
  const { accountId } = owner;
  const groupId = await newGroup(accountId, "100");
  const [one, two] = [await keyIn(accountId, groupId), await keyIn(accountId, groupId)];
  const alert = await add(owner, { kind: "limit_used", percent: 80, groupId });
  assert.deepEqual([alert.percent, alert.threshold, alert.past], [80, null, false]);
  await spendIn(accountId, "40", one);
  await spendIn(accountId, "39.99", two);
  assert.equal((await log(owner)).length, 0, "a kopeck is missing");
  await spendIn(accountId, "0.01", two);
  await spendIn(accountId, "5", one);
  assert.deepEqual(
    (await log(owner)).map(({ kind, value, threshold }) => [kind, value, threshold]),
    [["limit_used", "80", "80"]],
  );
  const [quiet] = await database.db.query<{ whole: boolean }>(
    `SELECT quiet_until = ledger.period_start('month', ledger.period_start('month', clock_timestamp()) + interval '40 days') AS whole
     FROM alerts.rules WHERE rule_id = $1`,
    [alert.alertId],
  );
  assert.equal(quiet?.whole, true, "quiet until the limit's next month");
  // A month later.
  await database.db.query(
    "UPDATE ledger.budgets SET period_start = period_start - interval '40 days' WHERE budget_id = $1",
    [groupId],
  );
  await database.db.query("UPDATE alerts.rules SET quiet_until = now() WHERE account_id = $1", [
    accountId,
  ]);
  await spendIn(accountId, "10", one);
  assert.equal((await log(owner)).length, 1, "a tenth of the new month's");
  await spendIn(accountId, "75", two);
  assert.deepEqual(
    (await log(owner)).map(({ value }) => value),
    ["85", "80"],
  );
});

test("a limit that is raised arms its alert again", async () => {
  const owner = await newOwner("10000");
  const { accountId } = owner;
  const groupId = await newGroup(accountId, "100");
  const key = await keyIn(accountId, groupId);
  await add(owner, { kind: "limit_used", percent: 50, groupId });
  await spendIn(accountId, "50", key);
  assert.equal((await rules(owner))[0]?.fired, true);
  const raised = { budgetId: groupId, limitNano: roubles("200"), period: "month" } as const;
  await database.db.transaction((tx) => updateBudget(tx, raised));
  await spendIn(accountId, "1", key);
  assert.deepEqual((await rules(owner))[0]?.past, false);
  await spendIn(accountId, "49", key);
  assert.equal((await log(owner)).length, 2);
});

test("a limit is of one group or one key of the account, and has a share; nothing else has either", async () => {
  const [owner, stranger] = [await newOwner("100"), await newOwner("100")];
  const groupId = await newGroup(owner.accountId, "100");
  const foreign = await newGroup(stranger.accountId, "100");
  const { key } = await newKey(database.db, owner.accountId);
  const refused = async (wish: NewAlert): Promise<string> => {
    const answer = await world.endpoint.ask(owner, "POST", "/panel/api/alerts", wish);
    assert.equal(answer.status, 400, answer.text);
    return answer.text;
  };
  for (const [wish, param] of [
    [{ kind: "limit_used", groupId }, "percent"],
    [{ kind: "limit_used", percent: 80 }, "groupId"],
    [{ kind: "limit_used", percent: 80, groupId, keyHash: key.hash }, "groupId"],
    [{ kind: "limit_used", percent: 80, groupId: foreign }, "groupId"],
    [{ kind: "limit_used", percent: 101, groupId }, "percent"],
    [{ kind: "spend_day", threshold: "10", percent: 80 }, "percent"],
    [{ kind: "spend_day", threshold: "10", groupId }, "groupId"],
    [{ kind: "spend_day" }, "threshold"],
  ] as const)
    assert.ok((await refused(wish)).includes(param), JSON.stringify(wish));
  const made: Alert = await add(owner, { kind: "limit_used", percent: 90, keyHash: key.hash });
  assert.deepEqual([made.keyHash, made.groupId], [key.hash, null]);
  const tested = await world.endpoint.ask(owner, "POST", `/panel/api/alerts/${made.alertId}/test`);
  assert.equal(tested.status, 202, "a key without a limit is tested by an example");
});
