/**
 * Guards the life of a key, on real PostgreSQL: made with its budget, shown once, kept as a hash,
 * deleted exactly.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { NO_RATE_LIMITS, rateLimitsOf } from "../../kernel/rate-limits.ts";
import { classifyCredential, hashKeySecret, maskKeySecret } from "../../kernel/secrets.ts";
import { findKeyByHash, markKeyDeleted } from "../../keys/store.ts";
import { budgetState } from "../../ledger/budgets.store.ts";
import { holdIn, settleIn } from "../../ledger/holds.store.ts";
import type { HoldVerdict } from "../../ledger/hold-verdicts.ts";
import { createAuthenticator } from "../../serving/admission/authenticate.ts";
import { createAccount } from "../accounts/create-account.ts";
import type { NewKeyRequest } from "./create-key.ts";
import { createKey } from "./create-key.ts";
import { deleteKey } from "./delete-key.ts";
import { listKeys } from "./list-keys.ts";
import { topUp } from "../accounts/top-up.ts";

const clock: Clock = { now: () => new Date("2026-06-01T00:00:00Z"), monotonicMs: () => 0 };
const PLAIN = {
  name: "test",
  limit: null,
  expiresAt: null,
  models: null,
  ips: null,
  ...NO_RATE_LIMITS,
};

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

async function newAccount(): Promise<string> {
  const outcome = await createAccount(database.db, { name: "test", email: null, operator: false });
  assert.ok(outcome.kind === "created");
  await topUp(database.db, {
    accountId: outcome.accountId,
    amountNano: nano(1_000n),
    reference: null,
  });
  return outcome.accountId;
}

async function newKey(accountId: string, more: Partial<NewKeyRequest> = {}) {
  const outcome = await createKey(database.db, clock, { ...PLAIN, accountId, ...more });
  assert.ok(outcome.kind === "created");
  return outcome;
}

/** Asks the ledger for money with a key, as an admitted request does. */
function hold(
  accountId: string,
  keyId: string,
  amount: bigint,
  holdId = newUuid(),
): Promise<HoldVerdict> {
  const amounts = { fullNano: null, sliceNano: nano(amount), minimumNano: nano(amount) };
  return database.db.transaction((tx) =>
    holdIn(tx, {
      holdId,
      accountId,
      budgetId: keyId,
      groupId: null,
      ...amounts,
      reference: `test:${holdId}`,
      priceVersion: 1,
      detail: "{}",
    }),
  );
}

test("a new key's secret is given once and is nowhere in the database", async () => {
  const accountId = await newAccount();
  const expiresAt = new Date("2026-06-02T00:00:00Z");
  const { secret, key } = await newKey(accountId, {
    name: " My key ",
    expiresAt,
    models: ["a/b", "a/b"],
    ips: ["10.0.0.0/8"],
    requestsPerMinute: 60,
    tokensPerMinute: 100_000,
    maxConcurrent: 5,
    maxTasks: 7,
  });
  assert.equal(classifyCredential(secret), "secret");
  assert.deepEqual(
    [key.hash, key.mask, key.accountId, key.name],
    [hashKeySecret(secret), maskKeySecret(secret), accountId, "My key"],
  );
  assert.deepEqual([key.expiresAt, key.models, key.ips], [expiresAt, ["a/b"], ["10.0.0.0/8"]]);
  assert.deepEqual(rateLimitsOf(key), {
    requestsPerMinute: 60,
    tokensPerMinute: 100_000,
    maxConcurrent: 5,
    maxTasks: 7,
  });
  const dump = JSON.stringify([
    await database.db.query("SELECT row_to_json(k)::text AS t FROM keys.keys k"),
    await database.db.query("SELECT row_to_json(b)::text AS t FROM ledger.budgets b"),
  ]);
  assert.ok(
    dump.includes(key.hash) && !dump.includes(secret) && !dump.includes(secret.slice(12, -4)),
  );
});

test("a key's limit is a budget that the ledger enforces; a key without one is counted all the same", async () => {
  const accountId = await newAccount();
  const limited = await newKey(accountId, { limit: { amountNano: nano(100n), period: "day" } });
  const free = await newKey(accountId);
  const states = await budgetState(database.db, [limited.key.keyId, free.key.keyId]);
  assert.deepEqual(
    [states.get(limited.key.keyId)?.limitNano, states.get(limited.key.keyId)?.period],
    [100n, "day"],
  );
  assert.deepEqual(
    [states.get(free.key.keyId)?.limitNano, states.get(free.key.keyId)?.period],
    [null, "total"],
  );
  assert.equal((await hold(accountId, limited.key.keyId, 100n)).kind, "held");
  assert.equal((await hold(accountId, limited.key.keyId, 1n)).kind, "limit-exceeded");
  assert.equal((await hold(accountId, free.key.keyId, 1n)).kind, "held");
});

test("what cannot be is refused by its field, and an unknown account gets no key", async () => {
  const accountId = await newAccount();
  for (const [more, param] of [
    [{ name: "" }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ limit: { amountNano: nano(0n), period: "day" } }, "limit"],
    [{ expiresAt: clock.now() }, "expires"],
    [{ expiresAt: new Date(Number.NaN) }, "expires"],
    [{ models: [] }, "models"],
    [{ models: ["a b"] }, "models"],
    [{ models: Array.from({ length: 101 }, (_, index) => `m${index}`) }, "models"],
    [{ ips: ["10.0.0.0/33"] }, "ips"],
    [{ ips: ["example.com"] }, "ips"],
    [{ requestsPerMinute: 0 }, "rpm"],
    [{ requestsPerMinute: 1.5 }, "rpm"],
    [{ tokensPerMinute: 100_000_001 }, "tpm"],
    [{ maxConcurrent: 0 }, "concurrency"],
  ] as const) {
    await assert.rejects(
      createKey(database.db, clock, { ...PLAIN, accountId, ...more }),
      (error) =>
        error instanceof Fault && error.code === "invalid_request" && error.details.param === param,
      JSON.stringify(param),
    );
  }
  for (const unknown of [newUuid(), "x"])
    assert.deepEqual(await createKey(database.db, clock, { ...PLAIN, accountId: unknown }), {
      kind: "unknown-account",
    });
  assert.deepEqual(await listKeys(database.db, accountId, {}), {
    kind: "page",
    rows: [],
    next: null,
  });
});

test("the list shows each key with its spend and limit, page by page, and only the account's own", async () => {
  const accountId = await newAccount();
  const first = await newKey(accountId, {
    name: "first",
    limit: { amountNano: nano(500n), period: "total" },
  });
  await newKey(accountId, { name: "second" });
  await newKey(await newAccount(), { name: "a stranger's" });
  const holdId = newUuid();
  await hold(accountId, first.key.keyId, 300n, holdId);
  await database.db.transaction((tx) =>
    settleIn(tx, { accountId, holdId, chargeNano: nano(120n), lossNano: nano(0n) }),
  );
  const pageOne = await listKeys(database.db, accountId, { limit: 1 });
  assert.ok(pageOne.kind === "page");
  const pageTwo = await listKeys(database.db, accountId, { limit: 1, cursor: pageOne.next });
  assert.ok(pageTwo.kind === "page");
  assert.deepEqual(
    [pageOne.rows[0]?.key.name, pageTwo.rows[0]?.key.name, pageTwo.next],
    ["second", "first", null],
  );
  const budget = pageTwo.rows[0]?.budget;
  assert.deepEqual(
    [budget?.limitNano, budget?.chargedNano, budget?.availableNano],
    [500n, 120n, 380n],
  );
  assert.deepEqual(await listKeys(database.db, newUuid(), {}), { kind: "unknown-account" });
});

test("from the commit of a deletion no process admits the key: not by a fresh read, not with a remembered key", async () => {
  const accountId = await newAccount();
  const { secret, key } = await newKey(accountId);
  const findKey = (hash: string) => findKeyByHash(database.db, hash);
  const elsewhere = createAuthenticator({ findKey, clock });
  await elsewhere.authenticate({ "x-api-key": secret });
  const admitted = newUuid();
  await hold(accountId, key.keyId, 10n, admitted);

  assert.equal((await deleteKey(database.db, { hash: key.hash.toUpperCase() })).kind, "deleted");
  const remembered = await elsewhere.authenticate({ "x-api-key": secret });
  assert.equal((await hold(accountId, remembered.keyId, 1n)).kind, "budget-closed");
  await assert.rejects(elsewhere.authenticateFresh({ "x-api-key": secret }), /was deleted/);
  const settled = await database.db.transaction((tx) =>
    settleIn(tx, { accountId, holdId: admitted, chargeNano: nano(7n), lossNano: nano(0n) }),
  );
  assert.deepEqual(
    settled,
    { kind: "settled", chargedNano: 7n, releasedNano: 3n },
    "what was admitted before is charged",
  );
  assert.deepEqual(await listKeys(database.db, accountId, {}), {
    kind: "page",
    rows: [],
    next: null,
  });
});

test("a deletion that is rolled back leaves key and budget as they were", async () => {
  const accountId = await newAccount();
  const { key } = await newKey(accountId);
  const failing = {
    ...database.db,
    transaction: <T>(work: Parameters<typeof database.db.transaction<T>>[0]) =>
      database.db.transaction<T>(async (tx) => {
        await work(tx);
        throw new Error("the connection is lost before the commit");
      }),
  };
  await assert.rejects(deleteKey(failing, { hash: key.hash }), /lost/);
  assert.equal((await findKeyByHash(database.db, key.hash))?.deletedAt, null);
  assert.equal((await hold(accountId, key.keyId, 1n)).kind, "held");
});

test("a deletion that waits for another one's commit says that the key was deleted, and when", async () => {
  const accountId = await newAccount();
  const { key } = await newKey(accountId);
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
  const marked = Promise.withResolvers<void>();
  const first = database.db.transaction(async (tx) => {
    await markKeyDeleted(tx, key.hash);
    marked.resolve();
    await committed;
  });
  await marked.promise;
  const second = deleteKey(database.db, { hash: key.hash });
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await database.db.query(waiting)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  commit();
  await first;
  const outcome = await second;
  assert.ok(outcome.kind === "already-deleted" && outcome.key.deletedAt instanceof Date);
});

test("a key is deleted once; an unknown one, or another account's, is unknown", async () => {
  const [mine, other] = [await newAccount(), await newAccount()];
  const { key, secret } = await newKey(mine);
  for (const request of [
    { hash: hashKeySecret("no such") },
    { hash: "x" },
    { hash: secret },
    { hash: key.mask },
    { hash: key.hash, accountId: other },
  ]) {
    assert.deepEqual(await deleteKey(database.db, request), { kind: "unknown-key" });
  }
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () => deleteKey(database.db, { hash: key.hash, accountId: mine })),
  );
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), [
    "already-deleted",
    "already-deleted",
    "already-deleted",
    "already-deleted",
    "deleted",
  ]);
  for (const outcome of outcomes)
    assert.ok(outcome.kind !== "unknown-key" && outcome.key.deletedAt !== null);
});
