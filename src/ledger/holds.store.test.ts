/**
 * What a hold, an extension and a settlement do to the books, one by one and in batches, on real
 * PostgreSQL.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { exactHold, fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { balance, setAccountState } from "./accounts.store.ts";
import { budgetState, closeBudget } from "./budgets.store.ts";
import { OPERATOR_BOOKS } from "./books.ts";
import { extendIn, extendMany, holdIn, holdMany, settleIn, settleMany } from "./holds.store.ts";
import { verify } from "./verify.store.ts";

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
const settlement = (holdId: string, charge: bigint, loss = 0n) => ({
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
  const requests = Array.from({ length: 6 }, request);
  const verdicts = await holdMany(database.db, requests, false);
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

test("one row that does not fit leaves the other rows of its batch what they would have got alone", async () => {
  const [rich, poor] = [
    await fundedAccount(database.db, 1_000n),
    await fundedAccount(database.db, 10n),
  ];
  const verdicts = await holdMany(
    database.db,
    [
      exactHold(rich, 5n),
      exactHold(poor, 11n),
      exactHold(poor, 10n),
      exactHold(rich, 7n),
      exactHold(newUuid(), 1n),
    ],
    false,
  );
  assert.deepEqual(
    verdicts.map((verdict) => verdict?.kind),
    ["held", "insufficient-balance", "held", "held", "unknown-account"],
  );
  assert.equal((await balance(database.db, rich))?.heldNano, 12n);
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
  assert.deepEqual(await settleIn(database.db, settlement(request.holdId, 12n)), {
    kind: "settled",
    chargedNano: 12n,
    releasedNano: 18n,
  });
  const entries = await database.db.query(
    "SELECT kind::text, amount_nano, held_nano, released_nano, debit_id, credit_id, budget_id, price_version, reference FROM ledger.entries WHERE entry_id = $1",
    [request.holdId],
  );
  assert.deepEqual(entries, [
    {
      kind: "charge",
      amount_nano: 12n,
      held_nano: 30n,
      released_nano: 18n,
      debit_id: accountId,
      credit_id: OPERATOR_BOOKS.revenue,
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
  const verdicts = await settleMany(database.db, [
    settlement(request.holdId, 12n),
    settlement(request.holdId, 30n),
  ]);
  assert.deepEqual(verdicts.map((verdict) => verdict.kind).toSorted(), [
    "already-settled",
    "settled",
  ]);
  assert.equal(
    (await settleIn(database.db, settlement(request.holdId, 30n))).kind,
    "already-settled",
  );
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
  await holdMany(database.db, [request, other], false);
  assert.deepEqual(await settleIn(database.db, settlement(request.holdId, 1_000_000n, 5n)), {
    kind: "settled",
    chargedNano: 30n,
    releasedNano: 0n,
  });
  const losses = await database.db.query(
    "SELECT debit_id, credit_id, amount_nano FROM ledger.entries WHERE account_id = $1 AND kind = 'loss'",
    [accountId],
  );
  assert.deepEqual(losses, [
    { debit_id: OPERATOR_BOOKS.loss, credit_id: OPERATOR_BOOKS.revenue, amount_nano: 999_975n },
  ]);
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
  assert.deepEqual(await settleIn(database.db, settlement(request.holdId, 0n)), {
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
  assert.deepEqual(await settleIn(database.db, settlement(newUuid(), 5n)), {
    kind: "unknown-hold",
  });
});

test("a closed budget and a blocked account admit nothing new, but what was admitted extends and settles (contract §3)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const budgetId = await newBudget(database.db, accountId, 60n);
  const request = exactHold(accountId, 10n, { budgetId });
  await holdIn(database.db, request);
  await closeBudget(database.db, budgetId);
  await setAccountState(database.db, accountId, "blocked");
  assert.deepEqual(await holdIn(database.db, exactHold(accountId, 1n, { budgetId })), {
    kind: "account-blocked",
  });
  const extension = {
    holdId: request.holdId,
    addNano: nanos(50n),
    recordedNano: nanos(40n),
    detail: "{}",
  };
  assert.deepEqual(await extendIn(database.db, extension), { kind: "extended", heldNano: 60n });
  assert.deepEqual(
    await extendIn(database.db, { ...extension, addNano: nanos(1n) }),
    { kind: "refused", heldNano: 60n },
    "the limit still counts",
  );
  await setAccountState(database.db, accountId, "open");
  assert.deepEqual(await holdIn(database.db, exactHold(accountId, 1n, { budgetId })), {
    kind: "budget-closed",
  });
  assert.deepEqual(await settleIn(database.db, settlement(request.holdId, 55n)), {
    kind: "settled",
    chargedNano: 55n,
    releasedNano: 5n,
  });
});

test("a settlement that waits for an extension of its hold takes away what was raised meanwhile", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 900n);
  const requests = [
    exactHold(accountId, 10n, { budgetId }),
    exactHold(accountId, 20n, { budgetId }),
  ];
  const [first, second] = requests.map((request) => request.holdId);
  await holdMany(database.db, requests, false);
  let settling: ReturnType<typeof settleMany> | undefined;
  await database.db.transaction(async (tx) => {
    const extension = {
      holdId: second ?? "",
      addNano: nanos(500n),
      recordedNano: nanos(300n),
      detail: "{}",
    };
    assert.deepEqual(await extendIn(tx, extension), { kind: "extended", heldNano: 520n });
    settling = settleMany(database.db, [
      { holdId: second ?? "", chargeNano: null, lossNano: nanos(0n) },
      { holdId: first ?? "", chargeNano: nanos(4n), lossNano: nanos(0n) },
    ]);
    const waiting =
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%settle_many%'";
    while ((await database.db.query(waiting)).length === 0) await sleep(5);
  });
  assert.deepEqual(await settling, [
    { kind: "settled", chargedNano: 300n, releasedNano: 220n },
    { kind: "settled", chargedNano: 4n, releasedNano: 6n },
  ]);
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.chargedNano, money?.heldNano], [304n, 0n]);
  assert.equal((await budgetState(database.db, [budgetId])).get(budgetId)?.heldNano, 0n);
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
  const verdicts = await holdMany(
    database.db,
    [exactHold(owner, 1n, { budgetId }), exactHold(stranger, 1n, { budgetId })],
    false,
  );
  assert.deepEqual(
    verdicts.map((verdict) => verdict?.kind),
    ["held", "budget-closed"],
  );
  assert.deepEqual(await holdIn(database.db, exactHold(owner, 1n, { budgetId: newUuid() })), {
    kind: "budget-closed",
  });
});

test("what was recorded is saved with an extension, also a refused one, at most as high as the hold; a settlement without a charge takes it", async () => {
  const accountId = await fundedAccount(database.db, 20n);
  const request = exactHold(accountId, 20n);
  await holdIn(database.db, request);
  const refused = await extendIn(database.db, {
    holdId: request.holdId,
    addNano: nanos(1n),
    recordedNano: nanos(9n),
    detail: '{"seen":1}',
  });
  assert.deepEqual(refused, { kind: "refused", heldNano: 20n });
  assert.deepEqual(
    await database.db.query("SELECT recorded_nano, detail FROM ledger.holds WHERE hold_id = $1", [
      request.holdId,
    ]),
    [{ recorded_nano: 9n, detail: '{"seen":1}' }],
  );
  await extendIn(database.db, {
    holdId: request.holdId,
    addNano: nanos(0n),
    recordedNano: nanos(99n),
    detail: "{}",
  });
  const settled = await settleIn(database.db, {
    holdId: request.holdId,
    chargeNano: null,
    lossNano: nanos(0n),
  });
  assert.deepEqual(settled, { kind: "settled", chargedNano: 20n, releasedNano: 0n });
  assert.deepEqual(
    await extendIn(database.db, {
      holdId: request.holdId,
      addNano: nanos(1n),
      recordedNano: nanos(0n),
      detail: "{}",
    }),
    {
      kind: "gone",
    },
  );
});

test("a batch run again after an unknown outcome does nothing twice (holds, extensions)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const budgetId = await newBudget(database.db, accountId, 90n);
  const [made, ended, fresh] = [
    exactHold(accountId, 10n, { budgetId }),
    exactHold(accountId, 10n),
    exactHold(accountId, 10n, { budgetId }),
  ];
  await holdMany(database.db, [made, ended], false);
  await settleIn(database.db, settlement(ended.holdId, 4n));
  assert.deepEqual(await holdMany(database.db, [made, ended, fresh], true), [
    { kind: "held", heldNano: 10n, tier: "slice" },
    null,
    { kind: "held", heldNano: 10n, tier: "slice" },
  ]);
  const extension = {
    holdId: made.holdId,
    addNano: nanos(5n),
    recordedNano: nanos(1n),
    detail: "{}",
    token: 41n,
  };
  await extendMany(database.db, [extension], false);
  assert.deepEqual(await extendMany(database.db, [extension, { ...extension, token: 42n }], true), [
    { kind: "extended", heldNano: 15n },
    { kind: "extended", heldNano: 20n },
  ]);
  assert.deepEqual((await balance(database.db, accountId))?.heldNano, 30n);
});

test("amounts at the edge of what PostgreSQL can count are decided, not errors", async () => {
  const accountId = await fundedAccount(database.db, 9_223_372_036_854_775_807n);
  const huge = nanos(9_223_372_036_854_775_807n);
  const verdicts = await holdMany(
    database.db,
    [
      exactHold(accountId, 0n, { fullNano: huge, sliceNano: huge, minimumNano: nanos(1n) }),
      exactHold(accountId, huge),
    ],
    false,
  );
  assert.deepEqual(
    verdicts.map((verdict) => verdict?.kind),
    ["held", "insufficient-balance"],
  );
});

test("texts of all kinds survive the array literals: quotes, backslashes, NUL, emoji, an empty one", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const texts = ['{"a":"\\"b\\\\"}', "пример 😀, {x,NULL}", "NULL", "", "nul\0inside"];
  const requests = texts.map((detail) => exactHold(accountId, 1n, { detail, reference: detail }));
  await holdMany(database.db, requests, false);
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
  await assert.rejects(settleIn(database.db, settlement(newUuid(), -1n)), /not negative/);
});
