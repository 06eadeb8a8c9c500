/**
 * What a batch of grants does to the books: leases, holds of single requests and raises, each
 * decided exactly and in order, on real PostgreSQL.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  growGrant,
  grantOne,
  judgeDead,
  holdRows,
  leased,
  leaseGrant,
  openJournal,
  ownGrant,
  rowTotals,
} from "../../test/ledger/journal-world.ts";
import { fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { setAccountState } from "./accounts.store.ts";
import { budgetState, closeBudget } from "./budgets.store.ts";
import { grantMany, type TokenedGrant } from "./grants.store.ts";
import { fenceJournal, retireJournals } from "./journals.store.ts";
import { verify } from "./verify.store.ts";

let database: TestDatabase;
let journalId: Uuid;
before(async () => {
  database = await testDatabase();
  journalId = await openJournal(database.db);
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const nanos = (value: bigint): Nano => value as Nano;
const grantAll = (requests: readonly TokenedGrant[], retry = false) =>
  grantMany(database.db, journalId, requests, retry);
const ofRoom = (roomNano: bigint, grantedNano: bigint) => ({
  kind: "leased",
  grantedNano,
  roomNano,
});
const heldOf = async (accountId: Uuid): Promise<bigint> =>
  (await rowTotals(database.db, accountId)).held;
const budgetHeld = async (budgetId: Uuid): Promise<bigint | undefined> => {
  const [row] = await database.db.query<{ held_nano: bigint }>(
    "SELECT held_nano FROM ledger.budgets WHERE budget_id = $1",
    [budgetId],
  );
  return row?.held_nano;
};

test("rows of a batch see what earlier rows took: a whole amount only while four of it are available, then the slice, then the minimum, then nothing (contract §6)", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const request = () => ownGrant(accountId, 20n, { fullNano: nanos(25n), minimumNano: nanos(6n) });
  assert.deepEqual(await grantAll(Array.from({ length: 7 }, request)), [
    { kind: "held", heldNano: 25n, tier: "full" },
    { kind: "held", heldNano: 20n, tier: "slice" },
    { kind: "held", heldNano: 20n, tier: "slice" },
    { kind: "held", heldNano: 20n, tier: "slice" },
    { kind: "held", heldNano: 6n, tier: "minimum" },
    { kind: "held", heldNano: 6n, tier: "minimum" },
    { kind: "insufficient-balance", availableNano: 3n, heldNano: 97n },
  ]);
  assert.equal(await heldOf(accountId), 97n);
});

test("one row that does not fit leaves the other rows of its batch what they would have got alone, whatever account and budget they are of", async () => {
  const [rich, poor, blocked] = [
    await fundedAccount(database.db, 1_000n),
    await fundedAccount(database.db, 10n),
    await fundedAccount(database.db, 10n),
  ];
  const [tight, closed] = [
    await newBudget(database.db, rich, 8n),
    await newBudget(database.db, rich, null),
  ];
  await closeBudget(database.db, closed);
  await setAccountState(database.db, blocked, "blocked");
  const verdicts = await grantAll([
    ownGrant(rich, 5n, { budgetId: tight }),
    ownGrant(poor, 11n),
    ownGrant(poor, 10n),
    ownGrant(rich, 7n, { budgetId: tight }),
    ownGrant(rich, 7n),
    ownGrant(newUuid(), 1n),
    ownGrant(rich, 1n, { budgetId: closed }),
    ownGrant(poor, 0n, { budgetId: tight }),
    ownGrant(rich, 1n, { budgetId: newUuid() }),
    ownGrant(blocked, 1n),
    growGrant(rich, newUuid(), 1n),
  ]);
  assert.deepEqual(verdicts, [
    { kind: "held", heldNano: 5n, tier: "slice" },
    { kind: "insufficient-balance", availableNano: 10n, heldNano: 0n },
    { kind: "held", heldNano: 10n, tier: "slice" },
    { kind: "limit-exceeded", availableNano: 3n, heldNano: 5n },
    { kind: "held", heldNano: 7n, tier: "slice" },
    { kind: "unknown-account" },
    { kind: "budget-closed" },
    { kind: "budget-closed" },
    { kind: "budget-closed" },
    { kind: "account-blocked" },
    { kind: "gone" },
  ]);
  assert.deepEqual(
    [await heldOf(rich), await heldOf(poor), await budgetHeld(tight)],
    [12n, 10n, 5n],
  );
});

test("a lease is what is wanted, but at most 5 % of the room of account and budget, and never less than what is asked for: else the request has a hold of its own", async () => {
  const accountId = await fundedAccount(database.db, 10_000n);
  const lease = async (
    want: bigint,
    ask: bigint,
    budgetId: Uuid | null,
    full: Nano | null = null,
  ) =>
    grantOne(
      database.db,
      journalId,
      leaseGrant(accountId, want, ask, { budgetId, fullNano: full }),
    );
  assert.deepEqual(await lease(300n, 10n, null), ofRoom(10_000n, 300n));
  assert.deepEqual(await lease(900n, 10n, null), ofRoom(9_700n, 485n), "9,700 / 20");
  const budgetId = await newBudget(database.db, accountId, 400n);
  assert.deepEqual(await lease(900n, 10n, budgetId), ofRoom(400n, 20n));
  assert.deepEqual(await lease(900n, 19n, budgetId), ofRoom(380n, 19n));
  assert.deepEqual(
    await lease(900n, 19n, budgetId),
    { kind: "held", heldNano: 19n, tier: "slice" },
    "361 / 20 is less than what is asked for",
  );
  assert.deepEqual(
    await lease(900n, 5n, budgetId, nanos(18n)),
    { kind: "held", heldNano: 18n, tier: "full" },
    "the whole amount is what is asked for",
  );
  assert.deepEqual(await lease(8n, 9n, null), { kind: "held", heldNano: 9n, tier: "slice" });
  const held = 300n + 485n + 20n + 19n + 19n + 18n + 9n;
  assert.equal(await heldOf(accountId), held);
  assert.equal(await budgetHeld(budgetId), 76n);
  assert.deepEqual(
    (await holdRows(database.db, accountId))
      .map((row) => `${row.held_nano} ${row.shared ? "leased" : "own"}`)
      .toSorted(),
    ["18 own", "19 leased", "19 own", "20 leased", "300 leased", "485 leased", "9 own"],
  );
});

test("a lease is refused as any hold is: by the money, the limit, a closed budget, a blocked account", async () => {
  const accountId = await fundedAccount(database.db, 50n);
  const [tight, closed] = [
    await newBudget(database.db, accountId, 4n),
    await newBudget(database.db, accountId, null),
  ];
  await closeBudget(database.db, closed);
  assert.deepEqual(
    await grantAll([
      leaseGrant(accountId, 100n, 51n),
      leaseGrant(accountId, 100n, 5n, { budgetId: tight }),
      leaseGrant(accountId, 100n, 1n, { budgetId: closed }),
      leaseGrant(newUuid(), 100n, 1n),
    ]),
    [
      { kind: "insufficient-balance", availableNano: 50n, heldNano: 0n },
      { kind: "limit-exceeded", availableNano: 4n, heldNano: 0n },
      { kind: "budget-closed" },
      { kind: "unknown-account" },
    ],
  );
  await setAccountState(database.db, accountId, "blocked");
  assert.deepEqual(await grantAll([leaseGrant(accountId, 100n, 1n)]), [
    { kind: "account-blocked" },
  ]);
  assert.deepEqual(await holdRows(database.db, accountId), []);
});

test("a lease grows by a later batch, beside a hold of its own", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const lease = { leaseId: newUuid(), wantNano: nanos(50n) };
  assert.deepEqual(await grantAll([leaseGrant(accountId, 0n, 1n, { lease })]), [
    ofRoom(1_000n, 50n),
  ]);
  assert.deepEqual(
    await grantAll([leaseGrant(accountId, 0n, 1n, { lease }), ownGrant(accountId, 3n)]),
    [ofRoom(950n, 47n), { kind: "held", heldNano: 3n, tier: "slice" }],
  );
  assert.deepEqual(
    (await holdRows(database.db, accountId)).map((row) => [row.held_nano, row.shared]),
    [
      [3n, false],
      [97n, true],
    ],
  );
  assert.equal(await heldOf(accountId), 100n);
});

test("holds and leases grow in a closed budget and a blocked account: what was admitted may finish; only money and limit still count (contract §3)", async () => {
  const accountId = await fundedAccount(database.db, 4_000n);
  const budgetId = await newBudget(database.db, accountId, 400n);
  const own = ownGrant(accountId, 10n, { budgetId });
  const lease = leaseGrant(accountId, 19n, 1n, { budgetId });
  const leaseId = lease.lease?.leaseId ?? "";
  await grantAll([own, lease]);
  await closeBudget(database.db, budgetId);
  await setAccountState(database.db, accountId, "blocked");
  assert.deepEqual(
    await grantAll([
      growGrant(accountId, own.holdId, 300n, { budgetId }),
      growGrant(accountId, leaseId, 70n, { budgetId }),
      growGrant(accountId, leaseId, 2n, { budgetId }),
      ownGrant(accountId, 1n, { budgetId }),
    ]),
    [
      { kind: "held", heldNano: 300n, tier: "slice" },
      { kind: "held", heldNano: 70n, tier: "slice" },
      { kind: "limit-exceeded", availableNano: 1n, heldNano: 399n },
      { kind: "account-blocked" },
    ],
  );
  await setAccountState(database.db, accountId, "open");
  assert.deepEqual(await grantAll([ownGrant(accountId, 1n, { budgetId })]), [
    { kind: "budget-closed" },
  ]);
  assert.deepEqual(
    (await holdRows(database.db, accountId)).map((row) => row.held_nano),
    [89n, 310n],
  );
  assert.equal(await budgetHeld(budgetId), 399n);
});

test("a batch that may have been committed is reported by its tokens, not granted twice: a lease, its growth, an own hold, its raise", async () => {
  const accountId = await fundedAccount(database.db, 10_000n);
  const budgetId = await newBudget(database.db, accountId, 9_000n);
  const lease = leaseGrant(accountId, 200n, 10n, { budgetId });
  const own = ownGrant(accountId, 30n, { budgetId, fullNano: nanos(40n), minimumNano: nanos(2n) });
  const batch = [lease, own];
  const answers = await grantAll(batch);
  assert.deepEqual(answers, [ofRoom(9_000n, 200n), { kind: "held", heldNano: 40n, tier: "full" }]);
  // Beside one that was not in the first run.
  const fresh = ownGrant(accountId, 5n, { budgetId });
  // What was free is not asked again.
  assert.deepEqual(await grantAll([...batch, fresh], true), [
    ofRoom(0n, 200n),
    ...answers.slice(1),
    { kind: "held", heldNano: 5n, tier: "slice" },
  ]);
  assert.equal(await heldOf(accountId), 245n);

  const raises = [
    leaseGrant(accountId, 0n, 10n, {
      budgetId,
      lease: { leaseId: lease.lease?.leaseId ?? "", wantNano: nanos(60n) },
    }),
    growGrant(accountId, own.holdId, 7n, { budgetId }),
  ];
  const raised = await grantAll(raises);
  assert.deepEqual(raised, [ofRoom(8_755n, 60n), { kind: "held", heldNano: 7n, tier: "slice" }]);
  for (let again = 0; again < 2; again++)
    assert.deepEqual(
      await grantAll(raises, true),
      [ofRoom(0n, 60n), ...raised.slice(1)],
      "by what they were raised, not by what they are",
    );
  assert.equal(await heldOf(accountId), 312n);
  assert.equal(await budgetHeld(budgetId), 312n);
  assert.deepEqual(
    await grantAll([growGrant(accountId, own.holdId, 1n, { budgetId })], true),
    [{ kind: "held", heldNano: 1n, tier: "slice" }],
    "another token is another raise, also in a retry",
  );
});

test("a request that wanted a lease and got a hold of its own is known again, though others took the room meanwhile", async () => {
  const accountId = await fundedAccount(database.db, 100n);
  const request = leaseGrant(accountId, 1_000n, 60n);
  const answer = [{ kind: "held", heldNano: 60n, tier: "slice" }];
  assert.deepEqual(await grantAll([request]), answer);
  await grantAll([ownGrant(accountId, 40n)]);
  assert.deepEqual(await grantAll([request], true), answer);
  assert.equal(await heldOf(accountId), 100n);
  const refused = ownGrant(accountId, 1n);
  assert.deepEqual(await grantAll([refused], true), [
    { kind: "insufficient-balance", availableNano: 0n, heldNano: 100n },
  ]);
});

test("a repeated lease is reported also where nothing would be granted any more: the account blocked, the budget closed", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, null);
  const requests = [
    leaseGrant(accountId, 40n, 1n, { budgetId }),
    ownGrant(accountId, 5n, { budgetId }),
  ];
  const answers = await grantAll(requests);
  await closeBudget(database.db, budgetId);
  await setAccountState(database.db, accountId, "blocked");
  assert.deepEqual(await grantAll(requests, true), [ofRoom(0n, 40n), ...answers.slice(1)]);
  assert.equal(await heldOf(accountId), 45n);
});

test("a journal that is fenced, retired, or was never opened grants nothing, whatever is asked", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const ownerId = newUuid();
  const [fenced, retired] = [
    await openJournal(database.db, ownerId),
    await openJournal(database.db, ownerId),
  ];
  const own = ownGrant(accountId, 1n);
  await grantOne(database.db, fenced, own);
  await database.db.transaction((tx) => judgeDead(tx, fenced));
  assert.equal(await database.db.transaction((tx) => fenceJournal(tx, retired)), "alive");
  await retireJournals(database.db, ownerId);
  for (const dead of [fenced, retired, newUuid()]) {
    const verdicts = await grantMany(
      database.db,
      dead,
      [
        growGrant(accountId, own.holdId, 1n),
        leaseGrant(accountId, 9n, 1n),
        ownGrant(accountId, 1n),
      ],
      true,
    );
    assert.deepEqual(
      verdicts.map(({ kind }) => kind),
      ["fenced", "fenced", "fenced"],
    );
  }
  assert.equal(await heldOf(accountId), 1n);
});

test("amounts at the edge of what PostgreSQL can count are decided, not errors", async () => {
  const most = 9_223_372_036_854_775_807n;
  const accountId = await fundedAccount(database.db, most);
  assert.deepEqual(
    await grantAll([
      ownGrant(accountId, most, { fullNano: nanos(most), minimumNano: nanos(1n) }),
      leaseGrant(accountId, most, most),
    ]),
    [
      { kind: "held", heldNano: most, tier: "slice" },
      { kind: "insufficient-balance", availableNano: 0n, heldNano: most },
    ],
  );
});

test("a lease's period: a grant after midnight begins the budget's new day with what is held, and nothing charged", async () => {
  const accountId = await fundedAccount(database.db, 10_000n);
  const budgetId = await newBudget(database.db, accountId, 1_000n, "day");
  await leased(database.db, accountId, 30n, budgetId);
  await database.db.query(
    "UPDATE ledger.budgets SET period_start = period_start - interval '1 day' WHERE budget_id = $1",
    [budgetId],
  );
  assert.deepEqual(
    await grantOne(database.db, journalId, leaseGrant(accountId, 900n, 1n, { budgetId })),
    ofRoom(970n, 48n),
    "(1,000 − 30) / 20",
  );
  const state = (await budgetState(database.db, [budgetId])).get(budgetId);
  assert.equal(state?.periodChargedNano, 0n);
  assert.equal(await budgetHeld(budgetId), 78n);
});

test("sixteen sessions race for leases and holds of one account: what is granted is never more than there is", async () => {
  const accountId = await fundedAccount(database.db, 5_000n);
  const budgetId = await newBudget(database.db, accountId, 3_000n);
  const journals = await Promise.all(Array.from({ length: 16 }, () => openJournal(database.db)));
  const granted = await Promise.all(
    journals.map(async (mine, index) => {
      let sum = 0n;
      for (let step = 0; step < 12; step++) {
        const request =
          (step + index) % 2 === 0
            ? leaseGrant(accountId, 400n, 30n, { budgetId: step % 3 === 0 ? null : budgetId })
            : ownGrant(accountId, 60n, { budgetId, minimumNano: nanos(1n) });
        const verdict = await grantOne(database.db, mine, request);
        if (verdict.kind === "leased") sum += verdict.grantedNano;
        if (verdict.kind === "held") sum += verdict.heldNano;
      }
      return sum;
    }),
  );
  const sum = granted.reduce((total, value) => total + value, 0n);
  assert.equal(await heldOf(accountId), sum);
  assert.ok(sum <= 5_000n && sum > 3_000n);
  assert.ok(((await budgetHeld(budgetId)) ?? 0n) <= 3_000n);
});
