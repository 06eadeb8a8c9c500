/**
 * Protects: an alert about a key stays with what the key became, and can be changed when its key or
 * one of its members is gone.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Alert, AlertChange } from "../../src/contract/panel/alert.ts";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import { rollAccountKey } from "../../src/business/panel/account/roll-account-key.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { findKeyByHash } from "../../src/keys/store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newKey } from "../support/new-customer.ts";
import type { PanelAnswer } from "../support/panel-endpoint.ts";
import { alertHands, type AlertHands } from "./alert-hands.ts";
import { addMember, charge, openAlertWorld, type AlertWorld } from "./alert-world.ts";

let database: TestDatabase;
let world: AlertWorld;
let { newOwner, rules, add, log, spend } = {} as AlertHands;

before(async () => {
  database = await testDatabase();
  world = await openAlertWorld({ databaseUrl: database.url });
  ({ newOwner, rules, add, log, spend } = alertHands(database, world));
});
after(async () => {
  await world.close();
  await database.drop();
  assert.deepEqual(world.troubles, []);
});

test("what watches a key follows it when it is rolled: its day goes on with the new key, and what was told stays told", async () => {
  const owner = await newOwner("10000");
  const { accountId } = owner;
  const { key } = await newKey(database.db, accountId);
  const other = await newKey(database.db, accountId);
  const reported = await add(owner, { kind: "spend_day", threshold: "60", keyHash: key.hash });
  const armed = await add(owner, { kind: "spend_day", threshold: "100", keyHash: key.hash });
  const unmoved = await add(owner, { kind: "spend_day", threshold: "70", keyHash: other.key.hash });
  await spend(accountId, "60", key.keyId);
  assert.equal((await log(owner)).length, 1);
  const made = await rollAccountKey(database.db, systemClock, accountId, {
    hash: key.hash,
    overlapHours: 24,
  });
  const heir = await findKeyByHash(database.db, made.key.hash);
  assert.ok(heir !== null);
  // At once, before anybody looks again; the old key's own spend is watched no longer.
  await charge(database.db, accountId, "39", heir.keyId);
  await spend(accountId, "200", key.keyId);
  assert.deepEqual(
    (await rules(owner)).map(({ alertId, keyHash, fired }) => [alertId, keyHash, fired]),
    [
      [reported.alertId, made.key.hash, true],
      [armed.alertId, made.key.hash, false],
      [unmoved.alertId, other.key.hash, false],
    ],
  );
  await spend(accountId, "1", heir.keyId);
  assert.deepEqual(
    (await log(owner)).map(({ alertId, value }) => [alertId, value]),
    [
      [armed.alertId, "100"],
      [reported.alertId, "60"],
    ],
  );
});

test("a key or a member that is gone is no reason to refuse another change of a rule", async () => {
  const owner = await newOwner("50");
  const { key } = await newKey(database.db, owner.accountId);
  const gone = await addMember(database.db, owner.accountId);
  const alert = await add(owner, {
    kind: "spend_day",
    threshold: "10",
    keyHash: key.hash,
    mailTo: "members",
    memberIds: [gone.memberId, owner.memberId],
  });
  await deleteKey(database.db, { hash: key.hash });
  await database.db.query("DELETE FROM accounts.members WHERE member_id = $1", [gone.memberId]);
  const change = (wish: AlertChange): Promise<PanelAnswer> =>
    world.endpoint.ask(owner, "POST", `/panel/api/alerts/${alert.alertId}`, wish);
  const changed = await change({ enabled: false });
  assert.deepEqual(
    [changed.status, changed.json<Alert>().enabled, changed.json<Alert>().keyHash],
    [200, false, key.hash],
  );
  assert.equal((await change({ keyHash: null })).json<Alert>().keyHash, null);
  assert.equal((await change({ keyHash: key.hash })).status, 400);
});
