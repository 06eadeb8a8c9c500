/** What a task's hold and its settlement do to the books, on real PostgreSQL. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { growGrant, grantOne, ownGrant } from "../../test/ledger/journal-world.ts";
import { exactHold, fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { balance, setAccountState } from "./accounts.store.ts";
import { budgetState, closeBudget } from "./budgets.store.ts";
import { grantMany } from "./grants.store.ts";
import { chargedFor, holdIn, settleIn } from "./holds.store.ts";
import { verify } from "./verify.store.ts";

/** Books of the operator's own (ledger.transfers). */
const REVENUE = "00000000-0000-0000-0000-000000000002";
const LOSS = "00000000-0000-0000-0000-000000000003";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const nanos = (value: bigint): Nano => value as Nano;
const settlement = (
  { accountId, holdId }: { readonly accountId: Uuid; readonly holdId: Uuid },
  charge: bigint,
  loss = 0n,
) => ({
  accountId,
  holdId,
  chargeNano: nanos(charge),
  lossNano: nanos(loss),
});

test("a whole amount is held only while four of it are available, then the slice, then the minimum, then nothing (contract §6)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const request = () =>
    exactHold(accountId, 0n, {
      fullNano: nanos(25n),
      sliceNano: nanos(20n),
      minimumNano: nanos(6n),
    });
  const verdicts = [];
  for (let nth = 0; nth < 6; nth++) verdicts.push(await holdIn(database.db, request()));
  assert.deepEqual(verdicts, [
    { kind: "held", heldNano: 25n, tier: "full" },
    { kind: "held", heldNano: 20n, tier: "slice" },
    { kind: "held", heldNano: 20n, tier: "slice" },
    { kind: "held", heldNano: 20n, tier: "slice" },
    { kind: "held", heldNano: 6n, tier: "minimum" },
    { kind: "held", heldNano: 6n, tier: "minimum" },
  ]);
  assert.deepEqual(await holdIn(database.db, request()), {
    kind: "insufficient-balance",
    availableNano: 3n,
    heldNano: 97n,
  });
});

test("what is there to the last nano is enough; where the account has it and only the limit does not, the limit is named", async () => {
  const accountId = await fundedAccount(database.db, 10n);
  const budgetId = await newBudget(database.db, accountId, 4n);
  const request = (amounts: object) =>
    exactHold(accountId, 0n, { sliceNano: nanos(20n), minimumNano: nanos(10n), ...amounts });
  assert.deepEqual(await holdIn(database.db, request({ budgetId })), {
    kind: "limit-exceeded",
    availableNano: 4n,
    heldNano: 0n,
  });
  assert.deepEqual(await holdIn(database.db, request({})), {
    kind: "held",
    heldNano: 10n,
    tier: "minimum",
  });
});

test("a charge takes its amount, releases the rest, and leaves one entry with the hold's id, price version, budget and reference", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const budgetId = await newBudget(database.db, accountId, 50n);
  const request = exactHold(accountId, 30n, {
    budgetId,
    priceVersion: 7,
    reference: "request:abc",
  });
  await holdIn(database.db, request);
  assert.deepEqual(await settleIn(database.db, settlement(request, 12n)), {
    kind: "settled",
    chargedNano: 12n,
    releasedNano: 18n,
  });
  const entries = await database.db.query(
    `SELECT e.kind::text, e.amount_nano, held_nano, balance_nano, debit_id, credit_id, budget_id, price_version, reference
     FROM ledger.entries e JOIN ledger.transfers USING (account_id, entry_id) WHERE entry_id = $1`,
    [request.holdId],
  );
  assert.deepEqual(entries, [
    {
      kind: "charge",
      amount_nano: 12n,
      held_nano: 30n,
      balance_nano: 88n,
      debit_id: accountId,
      credit_id: REVENUE,
      budget_id: budgetId,
      price_version: 7,
      reference: "request:abc",
    },
  ]);
  const state = (await budgetState(database.db, [budgetId])).get(budgetId);
  assert.deepEqual([state?.chargedNano, state?.heldNano, state?.availableNano], [12n, 0n, 38n]);
  assert.equal((await balance(database.db, accountId))?.availableNano, 88n);
});

test("a hold ends once: a second settlement reports the first one's charge and moves nothing (contract §6)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const request = exactHold(accountId, 30n);
  await holdIn(database.db, request);
  const verdicts = await Promise.all(
    [12n, 12n, 12n].map((charge) => settleIn(database.db, settlement(request, charge))),
  );
  assert.deepEqual(verdicts.map((verdict) => verdict.kind).toSorted(), [
    "already-settled",
    "already-settled",
    "settled",
  ]);
  assert.deepEqual(await settleIn(database.db, settlement(request, 30n)), {
    kind: "already-settled",
    chargedNano: 12n,
  });
  assert.equal(await chargedFor(database.db, accountId, request.holdId), 12n);
  assert.equal((await balance(database.db, accountId))?.availableNano, 88n);
  assert.deepEqual(
    await database.db.query("SELECT count(*) AS n FROM ledger.entries WHERE entry_id = $1", [
      request.holdId,
    ]),
    [{ n: 1n }],
  );
});

test("a charge above the hold is capped at the hold; the rest is a loss entry between the operator's books (hazards §13, §17)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const [request, other] = [exactHold(accountId, 30n), exactHold(accountId, 70n)];
  for (const one of [request, other]) await holdIn(database.db, one);
  assert.deepEqual(await settleIn(database.db, settlement(request, 1_000_000n, 5n)), {
    kind: "settled",
    chargedNano: 30n,
    releasedNano: 0n,
  });
  const losses = await database.db.query(
    "SELECT debit_id, credit_id, amount_nano FROM ledger.transfers WHERE account_id = $1 AND kind = 'loss'",
    [accountId],
  );
  assert.deepEqual(losses, [{ debit_id: LOSS, credit_id: REVENUE, amount_nano: 999_975n }]);
  const after = await balance(database.db, accountId);
  assert.deepEqual(
    [after?.chargedNano, after?.heldNano, after?.availableNano],
    [30n, 70n, 0n],
    "the other hold is untouched",
  );
});

test("a settlement of nothing is a release; a hold that was never made is unknown", async () => {
  const accountId = await fundedAccount(database.db, 10n);
  const request = exactHold(accountId, 10n);
  await holdIn(database.db, request);
  assert.deepEqual(await settleIn(database.db, settlement(request, 0n)), {
    kind: "settled",
    chargedNano: 0n,
    releasedNano: 10n,
  });
  assert.deepEqual(
    await database.db.query("SELECT kind::text FROM ledger.entries WHERE entry_id = $1", [
      request.holdId,
    ]),
    [{ kind: "release" }],
  );
  const unknown = { accountId, holdId: newUuid() };
  assert.deepEqual(await settleIn(database.db, settlement(unknown, 5n)), { kind: "unknown-hold" });
  const strange = { accountId: newUuid(), holdId: request.holdId };
  assert.deepEqual(
    await settleIn(database.db, settlement(strange, 5n)),
    { kind: "unknown-hold" },
    "of another account",
  );
});

test("what a task set aside is charged, though its budget was closed and its account blocked meanwhile (contract §3)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const budgetId = await newBudget(database.db, accountId, 60n);
  const request = exactHold(accountId, 60n, { budgetId });
  await holdIn(database.db, request);
  await closeBudget(database.db, budgetId);
  await setAccountState(database.db, accountId, "blocked");
  assert.deepEqual(await settleIn(database.db, settlement(request, 55n)), {
    kind: "settled",
    chargedNano: 55n,
    releasedNano: 5n,
  });
});

test("a settlement that waits for a raise of its hold takes away what was raised meanwhile", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 900n);
  const request = exactHold(accountId, 20n, { budgetId });
  await holdIn(database.db, request);
  const { settling } = await database.db.transaction(async (tx) => {
    const raise = growGrant(accountId, request.holdId, 500n, { budgetId });
    assert.equal((await grantOne(tx, null, raise)).kind, "held");
    const beside = settleIn(database.db, settlement(request, 300n));
    const waiting =
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%ledger.settle(%'";
    while ((await database.db.query(waiting)).length === 0) await sleep(5);
    return { settling: beside };
  });
  assert.deepEqual(await settling, { kind: "settled", chargedNano: 300n, releasedNano: 220n });
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [300n, 0n]);
  assert.equal((await budgetState(database.db, [budgetId])).get(budgetId)?.heldNano, 0n);
});

test("a hold and its end in a transaction that fails never were", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const [kept, undone] = [exactHold(accountId, 10n), exactHold(accountId, 30n)];
  await holdIn(database.db, kept);
  const failing = database.db.transaction(async (tx) => {
    await holdIn(tx, undone);
    await settleIn(tx, settlement(undone, 30n));
    await settleIn(tx, settlement(kept, 10n));
    throw new Error("undone");
  });
  await assert.rejects(failing, /undone/);
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [0n, 10n]);
  assert.deepEqual(await settleIn(database.db, settlement(undone, 1n)), { kind: "unknown-hold" });
  assert.equal((await settleIn(database.db, settlement(kept, 1n))).kind, "settled");
});

test("a blocked account and a closed budget admit nothing, however much room there is", async () => {
  const [blocked, open] = [
    await fundedAccount(database.db, 1_000n),
    await fundedAccount(database.db, 1_000n),
  ];
  const budgetId = await newBudget(database.db, open, null);
  await setAccountState(database.db, blocked, "blocked");
  await closeBudget(database.db, budgetId);
  assert.deepEqual(await holdIn(database.db, exactHold(blocked, 1n)), { kind: "account-blocked" });
  assert.deepEqual(await holdIn(database.db, exactHold(open, 1n, { budgetId })), {
    kind: "budget-closed",
  });
});

test("a budget of another account admits nothing, also beside rows that it does belong to", async () => {
  const [owner, stranger] = [
    await fundedAccount(database.db, 100n),
    await fundedAccount(database.db, 100n),
  ];
  const budgetId = await newBudget(database.db, owner, null);
  const verdicts = await grantMany(
    database.db,
    null,
    [ownGrant(owner, 1n, { budgetId }), ownGrant(stranger, 1n, { budgetId })],
    false,
  );
  assert.deepEqual(
    verdicts.map((verdict) => verdict.kind),
    ["held", "budget-closed"],
  );
  assert.deepEqual(await holdIn(database.db, exactHold(owner, 1n, { budgetId: newUuid() })), {
    kind: "budget-closed",
  });
});

test("a charge and a loss of any size end a hold: what cannot be counted is capped, not an error", async () => {
  const most = nanos(9_223_372_036_854_775_807n);
  const accountId = await fundedAccount(database.db, most);
  const request = exactHold(accountId, 5n, { fullNano: most, sliceNano: most });
  assert.deepEqual(await holdIn(database.db, request), {
    kind: "held",
    heldNano: most,
    tier: "slice",
  });
  assert.equal(
    (await holdIn(database.db, exactHold(accountId, most))).kind,
    "insufficient-balance",
  );
  assert.equal((await settleIn(database.db, settlement(request, 0n))).kind, "settled");
  const small = exactHold(accountId, 5n);
  await holdIn(database.db, small);
  assert.deepEqual(await settleIn(database.db, settlement(small, most, most)), {
    kind: "settled",
    chargedNano: 5n,
    releasedNano: 0n,
  });
});

test("texts of all kinds survive the array literals: quotes, backslashes, NUL, emoji, an empty one", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const texts = ['{"a":"\\"b\\\\"}', "пример 😀, {x,NULL}", "NULL", "", "nul\0inside"];
  const requests = texts.map((detail) =>
    ownGrant(accountId, 1n, { task: { priceVersion: 1, detail, reference: detail } }),
  );
  await grantMany(database.db, null, requests, false);
  const rows = await database.db.query<{ detail: string }>(
    "SELECT detail FROM ledger.holds WHERE account_id = $1 AND reference = detail",
    [accountId],
  );
  assert.deepEqual(
    rows.map((row) => row.detail).toSorted(),
    texts.map((text) => text.replace("\0", "\uFFFD")).toSorted(),
  );
});

test("a request that would spoil its batch is refused before it is sent", async () => {
  const accountId = await fundedAccount(database.db, 10n);
  await assert.rejects(holdIn(database.db, exactHold(accountId, -1n)), /not negative/);
  await assert.rejects(holdIn(database.db, exactHold(`${accountId},x`, 1n)), /UUID/);
  await assert.rejects(
    settleIn(database.db, settlement({ accountId, holdId: newUuid() }, -1n)),
    /not negative/,
  );
});
