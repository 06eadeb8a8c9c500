/**
 * Guarantee: where accounts are spread over servers, each statement of a grant, a post and a release
 * writes rows of one part, and the books are as exact: tried on one server that pretends sixteen.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { ZERO_NANO } from "../../src/kernel/money.ts";
import { grantMany, type TokenedGrant } from "../../src/ledger/grants.store.ts";
import type { GrantVerdict } from "../../src/ledger/hold-verdicts.ts";
import { CLOSE_JOURNAL, postAll } from "../../src/ledger/journals.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { seededRandom } from "../support/seeded-random.ts";
import {
  createPageWriter,
  ended,
  given,
  leaseGrant,
  noted,
  openJournal,
  ownGrant,
} from "./journal-world.ts";
import { asRepeated, fundedAccount, newBudget } from "./ledger-world.ts";

const PARTS = 16;
const ACCOUNTS = 40;
const ROUNDS = 12;
const WRITTEN = [
  "ledger.accounts",
  "ledger.budgets",
  "ledger.holds",
  "ledger.entries",
  "ledger.unfinished",
  "usage.hourly",
];

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await spreadAccounts();
});
after(async () => database.drop());

/** From here on a statement that writes rows of two parts fails. */
async function spreadAccounts(): Promise<void> {
  const { db } = database;
  await db.query(
    "CREATE OR REPLACE FUNCTION ledger.spread() RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'",
  );
  await db.query(
    `CREATE OR REPLACE FUNCTION ledger.shard_of(account uuid) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT get_byte(uuid_send(account), 15) % ${PARTS}'`,
  );
  await db.query(`CREATE FUNCTION ledger.one_part() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(DISTINCT ledger.shard_of(account_id)) FROM written) > 1 THEN
        RAISE EXCEPTION '% on % writes rows of several parts', TG_OP, TG_TABLE_NAME;
      END IF;
      RETURN NULL;
    END $$`);
  for (const table of WRITTEN)
    for (const event of ["INSERT", "UPDATE", "DELETE"])
      await db.query(
        `CREATE TRIGGER one_part_${event} AFTER ${event} ON ${table} REFERENCING ${event === "DELETE" ? "OLD" : "NEW"} TABLE AS written
         FOR EACH STATEMENT EXECUTE FUNCTION ledger.one_part()`,
      );
}

interface Customer {
  readonly accountId: Uuid;
  readonly budgetId: Uuid;
}

test("a statement that writes rows of two parts is seen", async () => {
  for (let tries = 0; tries < 8; tries++) await fundedAccount(database.db, 1n);
  await assert.rejects(
    database.db.query("UPDATE ledger.accounts SET blocked = blocked"),
    /several parts/,
  );
});

test("random grants, pages, posts and closes over all parts: one part a statement, and the books agree", async () => {
  const { db } = database;
  const random = seededRandom(20_261_124);
  const customers: Customer[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const accountId = await fundedAccount(db, 100_000n);
    const limit = index % 3 === 0 ? 150n : null;
    customers.push({ accountId, budgetId: await newBudget(db, accountId, limit) });
  }
  const verdicts = new Set<GrantVerdict["kind"]>();
  let charged = 0n;
  let live: readonly TokenedGrant[] = [];
  const journalId = await openJournal(db);
  const writer = createPageWriter(db, journalId);
  for (let round = 0; round < ROUNDS; round++) {
    const rows = customers.map(({ accountId, budgetId }, index) =>
      (index + round) % 4 === 0
        ? leaseGrant(accountId, 400n, 10n, { budgetId })
        : ownGrant(accountId, BigInt(1 + Math.floor(random() * 200)), { budgetId }),
    );
    // Another account's budget is as good as closed, in whichever part it lies.
    const [first, second] = customers;
    assert.ok(first !== undefined && second !== undefined);
    rows.push(ownGrant(first.accountId, 1n, { budgetId: second.budgetId }));
    const answers = await grantMany(db, journalId, rows, false);
    const repeated = await grantMany(db, journalId, rows, true);
    assert.deepEqual(repeated, answers.map(asRepeated), "a repetition reports");
    assert.equal(answers.at(-1)?.kind, "budget-closed");
    for (const { kind } of answers) verdicts.add(kind);
    const held = rows.filter((_, index) => answers[index]?.kind === "held");
    const leased = rows.filter((_, index) => answers[index]?.kind === "leased");
    const of = ({ accountId, holdId, sliceNano }: TokenedGrant) => ({
      requestId: holdId,
      accountId,
      holdId,
      heldNano: sliceNano,
    });
    const byLease = leased.map((row) => ({
      ...of(row),
      requestId: newUuid(),
      holdId: row.lease?.leaseId ?? newUuid(),
    }));
    charged += BigInt(live.length + byLease.length);
    await writer.write(
      ...held.map((row) => noted(of(row), 1n)),
      ...live.map((row) => ended(of(row), 1n, { noted: true })),
      ...byLease.map((request) => ended(request, 1n)),
      ...leased.map(({ accountId, lease }) => given(accountId, lease?.leaseId ?? "", null)),
    );
    live = held;
    if (round % 2 === 0) await postAll(db);
  }
  await postAll(db);
  assert.deepEqual((await db.transaction(verify)).mismatches, []);
  await writer.write(
    ...live.map((row) =>
      ended(
        {
          requestId: row.holdId,
          accountId: row.accountId,
          holdId: row.holdId,
          heldNano: row.sliceNano,
        },
        0n,
        { noted: true },
      ),
    ),
  );
  await db.run(CLOSE_JOURNAL, [journalId]);
  assert.deepEqual((await db.transaction(verify)).mismatches, []);
  const [totals] = await db.query(
    "SELECT sum(charged_nano)::bigint AS charged, sum(held_nano)::bigint AS held FROM ledger.accounts",
  );
  assert.deepEqual(totals, { charged, held: ZERO_NANO });
  assert.deepEqual([...verdicts].toSorted(), ["budget-closed", "held", "leased", "limit-exceeded"]);
});
