/** A hold or lease in up to three budgets: all must have room, and all are held and charged alike. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createPageWriter, ended, given, openJournal } from "../../test/ledger/journal-world.ts";
import { fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { placeBudget } from "./budget-groups.store.ts";
import { closeBudget } from "./budgets.store.ts";
import { CLOSE_JOURNAL, postAll } from "./journals.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

interface World {
  readonly accountId: Uuid;
  readonly journalId: Uuid;
  /** Three, ascending; the first lies in the third. */
  readonly budgets: readonly Uuid[];
}

async function world(limits: readonly (bigint | null)[]): Promise<World> {
  const { db } = database;
  const accountId = await fundedAccount(db, 10_000n);
  const made = await Promise.all(limits.map((limit) => newBudget(db, accountId, limit)));
  const budgets = made.toSorted();
  const [budgetId = "", , groupId = ""] = budgets;
  assert.equal(await placeBudget(db, { accountId, budgetId, groupId }), "placed");
  return { accountId, journalId: await openJournal(db), budgets };
}

let token = 0n;

/** Of one row: its code, what was set aside or is available, and what is held. */
async function grant(
  { accountId, journalId, budgets }: World,
  holdId: Uuid,
  amount: bigint,
  rest: { readonly leaseId?: Uuid; readonly want?: bigint; readonly grows?: boolean } = {},
): Promise<readonly unknown[]> {
  token += 1n;
  const [row] = await database.db.query<{ answer: unknown[] }>(
    `SELECT ARRAY[codes[1], amounts[1], others[1]] AS answer FROM ledger.grant_many($1, ARRAY[$2::uuid], ARRAY[$2::uuid, $2::uuid, $2::uuid], $3::uuid[], '{1}', '{1}', '{2}', '{3}',
       ARRAY[$4::uuid], ARRAY[$5::uuid], ARRAY[$6::bigint], ARRAY[$7::bigint], '{NULL}', ARRAY[$8::bigint], ARRAY[$8::bigint], ARRAY[$9::boolean],
       '{NULL}', '{NULL}', '{NULL}', false)`,
    [
      journalId,
      accountId,
      budgets,
      holdId,
      rest.leaseId ?? null,
      rest.want ?? null,
      token,
      amount,
      rest.grows ?? false,
    ],
  );
  return row?.answer ?? [];
}

/** Held, charged and charged in the period, of each budget. */
async function sums({ budgets }: World): Promise<(readonly bigint[])[]> {
  const rows = await database.db.query<{ held: bigint; charged: bigint; period: bigint }>(
    "SELECT held_nano AS held, charged_nano AS charged, period_charged_nano AS period FROM ledger.budgets WHERE budget_id = ANY ($1::uuid[]) ORDER BY budget_id",
    [budgets],
  );
  return rows.map(({ held, charged, period }) => [held, charged, period]);
}

const thrice = (...values: readonly bigint[]) => [values, values, values];

test("the tightest of three decides, wherever it stands, and is the one that is named", async () => {
  const { db } = database;
  for (const tight of [0, 1, 2]) {
    const place = await world([900n, 900n, 900n]);
    await db.query("UPDATE ledger.budgets SET limit_nano = 50 WHERE budget_id = $1", [
      place.budgets[tight],
    ]);
    assert.deepEqual(await grant(place, newUuid(), 30n), [1n, 30n, null]);
    const isGroup = tight === 2;
    assert.deepEqual(await grant(place, newUuid(), 21n), [isGroup ? 11n : 4n, 20n, 30n]);
    const leaseId = newUuid();
    assert.deepEqual(await grant(place, newUuid(), 1n, { leaseId, want: 400n }), [9n, 1n, 20n]);
    assert.deepEqual(await sums(place), thrice(31n, 0n, 0n));
    await closeBudget(db, place.budgets[tight] ?? "");
    assert.equal((await grant(place, newUuid(), 1n))[0], isGroup ? 12n : 5n, "closed");
    assert.deepEqual(
      await grant(place, leaseId, 19n, { grows: true }),
      [1n, 19n, null],
      "what was admitted may grow",
    );
    assert.deepEqual(await sums(place), thrice(50n, 0n, 0n));
  }
});

test("a charge counts in all three, and what is over is free again in all three", async () => {
  const { db } = database;
  const place = await world([null, 4_000n, 2_000n]);
  const { accountId, journalId } = place;
  const [own, leaseId] = [newUuid(), newUuid()];
  await grant(place, own, 30n);
  assert.deepEqual(await grant(place, newUuid(), 1n, { leaseId, want: 90n }), [9n, 90n, 1_970n]);
  const writer = createPageWriter(db, journalId);
  const shared = { requestId: newUuid(), accountId, holdId: leaseId, heldNano: 40n as Nano };
  await writer.write(
    ended({ requestId: own, accountId, holdId: own, heldNano: 30n as Nano }, 12n),
    ended(shared, 25n),
    given(accountId, leaseId, 20n),
  );
  await postAll(db);
  assert.deepEqual(await sums(place), thrice(45n, 37n, 37n));
  await db.run(CLOSE_JOURNAL, [journalId]);
  assert.deepEqual(await sums(place), thrice(0n, 37n, 37n));
});

test("what is shown as held is the same for each of the three", async () => {
  const place = await world([null, null, null]);
  await grant(place, newUuid(), 30n);
  await grant(place, newUuid(), 1n, { leaseId: newUuid(), want: 90n });
  const rows = await database.db.query<{ nano: bigint }>(
    "SELECT ledger.in_use($1, b) AS nano FROM unnest($2::uuid[]) AS b",
    [place.accountId, place.budgets],
  );
  assert.deepEqual(
    rows.map(({ nano }) => nano),
    [30n, 30n, 30n],
  );
});
