/**
 * Guarantee: keys are made, changed, rolled, frozen and deleted once each, however often and from
 * however many processes it is asked for.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { Fault } from "../../../kernel/faults.ts";
import { newUuid } from "../../../kernel/ids.ts";
import { nano } from "../../../kernel/money.ts";
import { NO_RATE_LIMITS } from "../../../kernel/rate-limits.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { budgetState } from "../../../ledger/budgets.store.ts";
import { createAuthenticator } from "../../../serving/admission/authenticate.ts";
import { findCaller } from "../../../serving/admission/find-caller.ts";
import { verifyLedger } from "../../operate/verify-ledger.ts";
import { changeAccountKey } from "./change-account-key.ts";
import { createAccountKey } from "./create-account-key.ts";
import { deleteAccountKey } from "./delete-account-key.ts";
import { freezeAccountKeys, setAccountKeyFrozen } from "./freeze-account-keys.ts";
import { listAccountKeys, readAccountKey } from "./list-account-keys.ts";
import { rollAccountKey } from "./roll-account-key.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

const PLAIN = {
  name: "shop",
  limit: null,
  expiresAt: null,
  models: null,
  ips: null,
  ...NO_RATE_LIMITS,
};
const HOUR_MS = 3_600_000;

async function codeOf(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof Fault ? thrown.code : `no fault: ${String(thrown)}`;
}

async function recordOf(hash: string): Promise<KeyRecord> {
  const key = await findCaller(scene.db, hash);
  assert.ok(key !== null);
  return key;
}

/** What a process without a memory answers to the secret. */
function refusalOf(secret: string): Promise<string> {
  const authenticator = createAuthenticator({
    findKey: (hash) => findCaller(scene.db, hash),
    clock: systemClock,
  });
  return authenticator.authenticateFresh({ "x-api-key": secret }).then(
    () => "admitted",
    (error: unknown) =>
      error instanceof Fault ? `${error.code}: ${error.message}` : String(error),
  );
}

test("a form that is sent twice at once makes one key, and only one of the answers has its secret", async () => {
  const accountId = await scene.account();
  const request = { ...PLAIN, accountId, once: newUuid() };
  const [db, other] = [scene.db, scene.otherDb()];
  const answers = await Promise.allSettled(
    [db, other, db, other].map((each) => createAccountKey(each, systemClock, request)),
  );
  assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal(await codeOf(createAccountKey(db, systemClock, request)), "conflict");
  assert.equal(
    (await listAccountKeys(db, systemClock, accountId, { deleted: true })).data.length,
    1,
  );
  const another = await createAccountKey(db, systemClock, {
    ...request,
    accountId: await scene.account(),
  });
  assert.equal(another.key.state, "active", "somebody else's form is another");
});

test("a change says what it changes, and the rest stays; a lower limit stops new holds and nothing else", async () => {
  const { db } = scene;
  const accountId = await scene.account("100");
  const limit = { amountNano: nano(50_000_000_000n), period: "total" as const };
  const made = await createAccountKey(db, systemClock, {
    ...PLAIN,
    accountId,
    limit,
    models: ["sandbox-large"],
    requestsPerMinute: 5,
  });
  const { hash } = made.key;
  await scene.chat(await recordOf(hash), { chargeNano: 10_000_000_000n });
  const change = (wishes: Parameters<typeof changeAccountKey>[4]) =>
    changeAccountKey(db, systemClock, accountId, hash, wishes);
  const expiresAt = new Date(Date.now() + HOUR_MS);
  const changed = await change({ name: "till", models: null, ips: ["10.0.0.0/8"], expiresAt });
  assert.deepEqual(
    [
      changed.name,
      changed.models,
      changed.ips,
      changed.expiresAt,
      changed.requestsPerMinute,
      changed.limit?.amount,
      changed.spentToday,
    ],
    ["till", null, ["10.0.0.0/8"], expiresAt.toISOString(), 5, "50", "10"],
  );
  const lowered = await change({ limit: { amountNano: nano(9_000_000_000n), period: "total" } });
  assert.deepEqual(
    [lowered.limit?.spent, lowered.limit?.remaining, lowered.name],
    ["10", "0", "till"],
  );
  assert.equal((await scene.hold(await recordOf(hash), 1n)).kind, "limit-exceeded");
  const daily = await change({ limit: { amountNano: nano(15_000_000_000n), period: "day" } });
  assert.deepEqual(
    [daily.limit?.period, daily.limit?.spent, daily.limit?.remaining],
    ["day", "10", "5"],
  );
  assert.deepEqual(
    (await change({ limit: { amountNano: nano(30_000_000_000n), period: "total" } })).limit
      ?.remaining,
    "20",
  );
  assert.equal((await change({ limit: null })).limit, null);
  assert.equal((await scene.hold(await recordOf(hash), 1n)).kind, "held");
  assert.equal(await codeOf(change({ expiresAt: new Date(0) })), "invalid_request");
  assert.equal(await codeOf(change({ ips: ["nowhere"] })), "invalid_request");
  assert.equal(
    await codeOf(changeAccountKey(db, systemClock, await scene.account(), hash, { name: "mine" })),
    "not_found",
  );
  assert.deepEqual((await verifyLedger(db)).mismatches, []);
});

test("from the commit of a freeze on nothing is held through the key, whatever process asks, until it is let go on", async () => {
  const accountId = await scene.account("1000");
  const { key, secret } = await scene.key(accountId);
  const [db, other] = [scene.db, scene.otherDb()];
  let frozen = false;
  let late = 0;
  const asking = Array.from({ length: 4 }, async () => {
    for (let tried = 0; tried < 60; tried++) {
      const after_ = frozen;
      const verdict = await scene.hold(key, 1_000n);
      if (after_ && verdict.kind !== "budget-closed") late++;
    }
  });
  const views = await Promise.all(
    [db, other, other].map((each) =>
      setAccountKeyFrozen(each, systemClock, accountId, key.hash, true),
    ),
  );
  frozen = true;
  await Promise.all(asking);
  assert.equal(late, 0);
  assert.equal((await scene.hold(key, 1n)).kind, "budget-closed");
  assert.equal(new Set(views.map(({ frozenAt }) => frozenAt)).size, 1, "frozen once");
  assert.equal(views[0]?.state, "frozen");
  assert.match(await refusalOf(secret), /^invalid_api_key: This API key is frozen/);
  const [again] = await Promise.all(
    [db, other].map((each) => setAccountKeyFrozen(each, systemClock, accountId, key.hash, false)),
  );
  assert.equal(again?.state, "active");
  assert.equal((await scene.hold(key, 1n)).kind, "held");
  assert.equal(await refusalOf(secret), "admitted");
});

test("freezing all stops every key of the account and none of others; a deleted key cannot be frozen back to life", async () => {
  const { db } = scene;
  const accountId = await scene.account();
  const [one, two, gone] = [
    await scene.key(accountId),
    await scene.key(accountId),
    await scene.key(accountId),
  ];
  const stranger = await scene.key(await scene.account());
  await deleteAccountKey(db, accountId, gone.key.hash);
  await deleteAccountKey(db, accountId, gone.key.hash);
  await setAccountKeyFrozen(db, systemClock, accountId, one.key.hash, true);
  const counts = await Promise.all(
    [db, scene.otherDb()].map((each) => freezeAccountKeys(each, accountId)),
  );
  assert.deepEqual(counts.sort(), [0, 1]);
  const verdicts = [one, two, gone, stranger].map(
    async ({ key }) => (await scene.hold(key, 1n)).kind,
  );
  assert.deepEqual(await Promise.all(verdicts), [
    "budget-closed",
    "budget-closed",
    "budget-closed",
    "held",
  ]);
  assert.equal(
    await codeOf(setAccountKeyFrozen(db, systemClock, accountId, gone.key.hash, false)),
    "conflict",
  );
  assert.equal((await scene.hold(gone.key, 1n)).kind, "budget-closed");
  const states = (await listAccountKeys(db, systemClock, accountId, { deleted: true })).data.map(
    ({ state }) => state,
  );
  assert.deepEqual(states, ["deleted", "frozen", "frozen"]);
  assert.equal(
    (await listAccountKeys(db, systemClock, accountId, { deleted: false })).data.length,
    2,
  );
});

test("a key is rolled once: the new one has its settings and what is left of its limit, the old one its overlap", async () => {
  const accountId = await scene.account("100");
  const limit = { amountNano: nano(30_000_000_000n), period: "total" as const };
  const settings = {
    ...PLAIN,
    accountId,
    limit,
    models: ["sandbox-large"],
    ips: ["10.0.0.0/8"],
    tokensPerMinute: 1000,
  };
  const { key: old, secret } = await createAccountKey(scene.db, systemClock, settings);
  await scene.chat(await recordOf(old.hash), { chargeNano: 12_000_000_000n });
  const [db, other] = [scene.db, scene.otherDb()];
  const rolls = await Promise.allSettled(
    [db, other, other].map((each) =>
      rollAccountKey(each, systemClock, accountId, { hash: old.hash, overlapHours: 24 }),
    ),
  );
  const done = rolls.filter((roll) => roll.status === "fulfilled");
  assert.equal(done.length, 1);
  assert.equal(
    await codeOf(rollAccountKey(db, systemClock, accountId, { hash: old.hash, overlapHours: 24 })),
    "conflict",
  );
  const heir = done[0]?.value.key;
  assert.ok(heir !== undefined);
  const { name, models, ips, tokensPerMinute, expiresAt } = heir;
  assert.deepEqual(
    [name, models, ips, tokensPerMinute, expiresAt],
    ["shop", ["sandbox-large"], ["10.0.0.0/8"], 1000, null],
  );
  assert.deepEqual(
    [heir.limit?.amount, heir.limit?.period, heir.limit?.spent, heir.limit?.remaining],
    ["30", "total", "12", "18"],
  );
  assert.equal(heir.spentTotal, "0");
  const rolled = await readAccountKey(db, systemClock, accountId, old.hash);
  assert.deepEqual([rolled.rolledTo, rolled.state], [heir.hash, "active"]);
  const left = Date.parse(rolled.expiresAt ?? "") - Date.now();
  assert.ok(left > 23 * HOUR_MS && left <= 24 * HOUR_MS);
  assert.equal(await refusalOf(secret), "admitted");
  assert.equal(
    await codeOf(
      rollAccountKey(db, systemClock, await scene.account(), { hash: heir.hash, overlapHours: 1 }),
    ),
    "not_found",
  );
});

test("a key that expires before its overlap is over does not live longer for it", async () => {
  const accountId = await scene.account("100");
  const expiresAt = new Date(Date.now() + HOUR_MS);
  const { key: old } = await createAccountKey(scene.db, systemClock, {
    ...PLAIN,
    accountId,
    expiresAt,
  });
  await rollAccountKey(scene.db, systemClock, accountId, { hash: old.hash, overlapHours: 24 });
  assert.equal(
    (await readAccountKey(scene.db, systemClock, accountId, old.hash)).expiresAt,
    expiresAt.toISOString(),
  );
});

test("without an overlap the old key is deleted with the roll; a daily limit goes on as it was used, and an expiry goes along", async () => {
  const accountId = await scene.account("100");
  const limit = { amountNano: nano(5_000_000_000n), period: "day" as const };
  const expiresAt = new Date(Date.now() + HOUR_MS);
  const { key: old, secret } = await createAccountKey(scene.db, systemClock, {
    ...PLAIN,
    accountId,
    limit,
    expiresAt,
  });
  const record = await recordOf(old.hash);
  await scene.chat(record, { chargeNano: 4_000_000_000n });
  const made = await rollAccountKey(scene.db, systemClock, accountId, {
    hash: old.hash,
    overlapHours: 0,
  });
  assert.deepEqual([made.key.limit?.remaining, made.key.expiresAt], ["1", expiresAt.toISOString()]);
  assert.equal((await scene.hold(record, 1n)).kind, "budget-closed");
  assert.match(await refusalOf(secret), /deleted/);
  assert.equal(await refusalOf(made.secret), "admitted");
  const budget = (await budgetState(scene.db, [record.keyId])).get(record.keyId);
  assert.equal(budget?.chargedNano, 4_000_000_000n);
});
