/**
 * `tollgate ledger verify` finds every kind of disagreement: each is planted in a ledger whose
 * walls were taken down, and told in its own sentences.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noted, leased, type Leased, type PagedRequest } from "../../test/ledger/journal-world.ts";
import { exactHold, fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { verifyPlanted } from "../../test/support/verify-planted.ts";
import { ENGLISH_LEDGER_FINDINGS } from "../contract/sentences/english-findings.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { holdIn, settleIn } from "./holds.store.ts";
import { postWhole } from "./journals.store.ts";
import { adjust } from "./transfers.store.ts";
import { verify } from "./verify.store.ts";

let database: TestDatabase;
let accountId: Uuid;
/** Of the key, the member and the group that paid. */
let budgets: readonly [Uuid, Uuid, Uuid];
let charged: Uuid;
let held: Uuid;
let lease: Leased;
/** Noted and posted, so among the unfinished; and noted on a page that waits. */
let unfinished: PagedRequest;
let waiting: PagedRequest;
let topUp: Uuid;
let loss: Uuid;
const OTHER = newUuid();

before(async () => {
  database = await testDatabase();
  const { db } = database;
  accountId = await fundedAccount(db, 1_000n);
  const adjustment = { accountId, amountNano: -10n as Nano, reference: "a mistake", note: "why" };
  await db.transaction((tx) => adjust(tx, adjustment));
  budgets = [
    await newBudget(db, accountId, 500n, "month"),
    await newBudget(db, accountId, null),
    await newBudget(db, accountId, null),
  ];
  const requests = [exactHold(accountId, 100n), exactHold(accountId, 50n)];
  [charged = "", held = ""] = requests.map((request) => request.holdId);
  for (const request of requests) {
    await holdIn(db, { ...request, budgetId: budgets[0] });
    await db.query("UPDATE ledger.holds SET budget2_id = $2, budget3_id = $3 WHERE hold_id = $1", [
      request.holdId,
      budgets[1],
      budgets[2],
    ]);
    await db.query(
      "UPDATE ledger.budgets SET held_nano = held_nano + $2 WHERE budget_id = ANY ($1::uuid[])",
      [budgets.slice(1), request.minimumNano],
    );
  }
  await settleIn(
    db,
    { accountId, holdId: charged, chargeNano: 60n as Nano, lossNano: 5n as Nano },
    {
      model: "m",
      state: "completed",
      startedAt: new Date(),
      upstream: "one",
      costNano: 30n as Nano,
    },
  );
  const entries = await db.query<{ kind: string; id: Uuid }>(
    "SELECT kind::text, entry_id AS id FROM ledger.entries",
  );
  const idOf = (wanted: string): Uuid => entries.find(({ kind }) => kind === wanted)?.id ?? "";
  [topUp, loss] = [idOf("topup"), idOf("loss")];
  lease = await leased(db, accountId, 40n);
  unfinished = lease.request(30n);
  waiting = lease.request(10n);
  await lease.writer.write(noted(unfinished, 3n));
  await postWhole(db, lease.writer.journalId);
  await lease.writer.write(noted(waiting, 3n));
  await takeWallsDown();
});
after(async () => database.drop());

async function takeWallsDown(): Promise<void> {
  const { db } = database;
  await db.query("GRANT UPDATE, DELETE ON ledger.entries TO CURRENT_USER");
  await db.query("ALTER TABLE ledger.entries DISABLE TRIGGER append_only, DROP CONSTRAINT adds_up");
  await db.query("ALTER TABLE ledger.accounts DROP CONSTRAINT never_overspent");
  await db.query("ALTER TABLE ledger.budgets DROP CONSTRAINT limit_kept");
}

/** Names in braces stand for ids of the ledger above; `other` is that of nothing. */
function named(text: string): string {
  const [key, member, group] = budgets;
  const ids: Readonly<Record<string, string>> = {
    account: accountId,
    key,
    member,
    group,
    charged,
    held,
    lease: lease.leaseId,
    journal: lease.writer.journalId,
    unfinished: unfinished.requestId,
    waiting: waiting.requestId,
    topup: topUp,
    loss,
    other: OTHER,
  };
  return text.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => ids[name] ?? assert.fail(name));
}

test("a sound ledger has no mismatches, and the counts say what was looked at", async () => {
  assert.deepEqual(await database.db.transaction(verify), {
    checked: { accounts: 1n, budgets: 3n, holds: 2n, entries: 4n },
    mismatches: [],
  });
});

interface Plant {
  readonly fault: string;
  readonly sql: string;
  readonly found: readonly string[];
}

const ENTRY = "UPDATE ledger.entries SET";
const CHARGED = "WHERE entry_id = '{charged}'";
const ALL_BUDGETS = (place: string): string[] =>
  ["key", "member", "group"].map((budget) => `${place} {${budget}}`);

const PLANTS: readonly Plant[] = [
  {
    fault: "an account credited without an entry",
    sql: "UPDATE ledger.accounts SET credited_nano = credited_nano + 1",
    found: ["account.credited {account}", "account.balance {account}", "books.sum all"],
  },
  {
    fault: "an account charged otherwise than its entries say",
    sql: "UPDATE ledger.accounts SET charged_nano = charged_nano - 1",
    found: ["account.charged {account}", "account.balance {account}", "books.sum all"],
  },
  {
    fault: "an account that holds otherwise than its holds say",
    sql: "UPDATE ledger.accounts SET held_nano = held_nano + 1",
    found: ["account.held {account}"],
  },
  {
    fault: "an account that spent more than it has",
    sql: "UPDATE ledger.holds SET held_nano = 5000 WHERE hold_id = '{held}'",
    found: [
      "account.available {account}",
      "account.held {account}",
      ...ALL_BUDGETS("budget.held"),
      "budget.limit {key}",
    ],
  },
  {
    fault: "an account that counts fewer entries",
    sql: "UPDATE ledger.accounts SET entries = entries - 1",
    found: ["account.entries {account}"],
  },
  {
    fault: "an account whose last entry is of another time",
    sql: "UPDATE ledger.accounts SET entered_at = entered_at + interval '1 microsecond'",
    found: ["account.enteredAt {account}"],
  },
  ...["key", "member", "group"].map((budget) => ({
    fault: `a budget charged otherwise than its entries say, of the ${budget}`,
    sql: `UPDATE ledger.budgets SET charged_nano = charged_nano + 1 WHERE budget_id = '{${budget}}'`,
    found: [`budget.charged {${budget}}`],
  })),
  ...["key", "member", "group"].map((budget) => ({
    fault: `a budget's period charged otherwise than its entries say, of the ${budget}`,
    sql: `UPDATE ledger.budgets SET period_charged_nano = 0 WHERE budget_id = '{${budget}}'`,
    found: [`budget.periodCharged {${budget}}`],
  })),
  ...["key", "member", "group"].map((budget) => ({
    fault: `a budget that holds otherwise than its holds say, of the ${budget}`,
    sql: `UPDATE ledger.budgets SET held_nano = 0 WHERE budget_id = '{${budget}}'`,
    found: [`budget.held {${budget}}`],
  })),
  {
    fault: "a budget above its limit",
    sql: "UPDATE ledger.budgets SET limit_nano = 109 WHERE budget_id = '{key}'",
    found: ["budget.limit {key}"],
  },
  {
    fault: "an entry that was removed",
    sql: `DELETE FROM ledger.entries ${CHARGED}`,
    found: [
      "account.charged {account}",
      ...ALL_BUDGETS("budget.charged"),
      ...ALL_BUDGETS("budget.periodCharged"),
      "entry.number {loss}",
      "entry.balance {loss}",
      ...["charged", "cost", "ended"].map((figure) => `hour.${figure} {account}`),
      "books.sum all",
    ],
  },
  {
    fault: "the last entry, removed",
    sql: "DELETE FROM ledger.entries WHERE entry_id = '{loss}'",
    found: ["account.entries {account}", "hour.loss {account}"],
  },
  {
    fault: "an entry whose amount was changed",
    sql: `${ENTRY} amount_nano = 61 ${CHARGED}`,
    found: [
      "account.charged {account}",
      ...ALL_BUDGETS("budget.charged"),
      ...ALL_BUDGETS("budget.periodCharged"),
      "entry.balance {charged}",
      "hour.charged {account}",
      "books.sum all",
    ],
  },
  {
    fault: "a charge above what was held",
    sql: `${ENTRY} held_nano = 59 ${CHARGED}`,
    found: ["entry.amounts {charged}"],
  },
  {
    fault: "a release that took something",
    sql: `${ENTRY} kind = 'release' ${CHARGED}`,
    found: ["entry.amounts {charged}"],
  },
  {
    fault: "a top-up of what was held",
    sql: `${ENTRY} held_nano = 5000 WHERE entry_id = '{topup}'`,
    found: ["entry.amounts {topup}"],
  },
  {
    fault: "a number that is there twice, and another one that is not",
    sql: `${ENTRY} entry_no = entry_no + 1 WHERE entry_id = '{loss}'`,
    found: ["entry.number {loss}", "account.entries {account}"],
  },
  {
    fault: "a balance that does not follow from the one before",
    sql: `${ENTRY} balance_nano = balance_nano + 1 WHERE entry_id = '{loss}'`,
    found: ["entry.balance {loss}", "account.balance {account}"],
  },
  {
    fault: "a time that goes back",
    sql: `${ENTRY} at = at + interval '1 microsecond' ${CHARGED}`,
    found: ["entry.time {loss}"],
  },
  {
    fault: "an entry of an account that is not there",
    sql: `${ENTRY} account_id = '{other}', budget2_id = NULL, budget3_id = NULL, entry_no = 1, balance_nano = -60 ${CHARGED}`,
    found: [
      "account.charged {account}",
      ...ALL_BUDGETS("budget.charged"),
      ...ALL_BUDGETS("budget.periodCharged"),
      "entry.account {other}",
      "entry.budget {key}",
      "entry.number {loss}",
      "entry.balance {loss}",
      ...["charged", "cost", "ended"].flatMap((figure) => [
        `hour.${figure} {account}`,
        `hour.${figure} {other}`,
      ]),
    ],
  },
  ...(["budget_id", "budget2_id", "budget3_id"] as const).map((column, nth) => ({
    fault: `an entry in a budget that is not there: ${column}`,
    sql: `${ENTRY} ${column} = '{other}' ${CHARGED}`,
    found: [
      `budget.charged {${["key", "member", "group"][nth]}}`,
      `budget.periodCharged {${["key", "member", "group"][nth]}}`,
      "entry.budget {other}",
      // That of the budget which paid, and of the one which did not.
      ...["charged", "cost", "ended"].flatMap((figure) => [
        `hour.${figure} {account}`,
        `hour.${figure} {account}`,
      ]),
    ],
  })),
  ...Object.entries({
    ended: "ended",
    charged: "charged_nano",
    loss: "loss_nano",
    cost: "cost_nano",
    inputTokens: "input_tokens",
    cachedTokens: "cached_tokens",
    outputTokens: "output_tokens",
  }).map(([figure, column]) => ({
    fault: `the sum of an hour that its entries do not come to: ${figure}`,
    sql: `UPDATE usage.hourly SET ${column} = ${column} + 1`,
    found: [`hour.${figure} {account}`],
  })),
  {
    fault: "sums of an hour in which nothing was booked",
    sql: "UPDATE usage.hourly SET hour = hour - interval '1 hour'",
    found: ["charged", "cost", "ended", "loss"].flatMap((figure) => [
      `hour.${figure} {account}`,
      `hour.${figure} {account}`,
    ]),
  },
  {
    fault: "a top-up that no reference names",
    sql: "DELETE FROM directory.transfers WHERE kind = 'topup'",
    found: ["account.transfers {account}"],
  },
  {
    fault: "a reference that names another entry",
    sql: "UPDATE directory.transfers SET entry_id = '{other}' WHERE kind = 'topup'",
    found: ["transfer.entry {other}"],
  },
  {
    fault: "a reference of another amount",
    sql: "UPDATE directory.transfers SET amount_nano = 1 WHERE kind = 'topup'",
    found: ["transfer.entry {topup}"],
  },
  {
    fault: "a reference of another class of credit",
    sql: `${ENTRY} class = 'bonus' WHERE entry_id = '{topup}'`,
    found: ["transfer.entry {topup}"],
  },
  {
    fault: "a charge that has a class of credit",
    sql: `${ENTRY} class = 'bonus' ${CHARGED}`,
    found: ["entry.class {charged}"],
  },
  {
    fault: "a trial that nobody gave",
    sql: "UPDATE ledger.accounts SET trial_until_nano = 1, bonus_until_nano = 1",
    found: ["account.trial {account}", "account.bonus {account}"],
  },
  {
    fault: "a trial that ends behind all that was given",
    sql: "UPDATE ledger.accounts SET trial_until_nano = 1",
    found: ["account.trial {account}", "account.given {account}"],
  },
  {
    fault: "more that was given than there is",
    sql: "UPDATE ledger.accounts SET bonus_until_nano = credited_nano + 1",
    found: ["account.bonus {account}", "account.paid {account}"],
  },
  {
    fault: "a hold of an account that is not there",
    sql: "UPDATE ledger.holds SET account_id = '{other}' WHERE hold_id = '{held}'",
    found: [
      "account.held {account}",
      ...ALL_BUDGETS("budget.held"),
      "hold.account {held}",
      ...["key", "member", "group"].map(() => "hold.budget {held}"),
    ],
  },
  ...(["budget_id", "budget2_id", "budget3_id"] as const).map((column, nth) => ({
    fault: `a hold in a budget that is not there: ${column}`,
    sql: `UPDATE ledger.holds SET ${column} = '{other}' WHERE hold_id = '{held}'`,
    found: [`budget.held {${["key", "member", "group"][nth]}}`, "hold.budget {held}"],
  })),
  {
    fault: "a hold that has ended already",
    sql: "UPDATE ledger.holds SET hold_id = '{charged}' WHERE hold_id = '{held}'",
    found: ["hold.ended {charged}"],
  },
  {
    fault: "a lease, a page and a request of a journal that is not there",
    sql: "DELETE FROM ledger.journals",
    found: ["hold.journal {lease}", "page.journal {journal}", "unfinished.journal {unfinished}"],
  },
  {
    fault: "a page and a request that name a hold which is not there",
    sql: "UPDATE ledger.holds SET hold_id = '{other}' WHERE hold_id = '{lease}'",
    found: ["page.hold {waiting}", "unfinished.hold {unfinished}"],
  },
  {
    fault: "a page that ends a request of another account's hold",
    sql: `INSERT INTO ledger.pages (journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, price_versions)
      VALUES ('{journal}', 3, ARRAY['{other}'::uuid], ARRAY['{other}'::uuid], ARRAY['{lease}'::uuid], '{1}', '{1}', '{1}')`,
    found: ["page.hold {other}"],
  },
  {
    fault: "a page that nobody posts",
    sql: "UPDATE ledger.pages SET at = at - interval '6 minutes'",
    found: ["page.posted {journal}"],
  },
  {
    fault: "requests that use more of a lease than it has",
    sql: "UPDATE ledger.unfinished SET held_nano = 41",
    found: ["unfinished.held {lease}"],
  },
  {
    fault: "an entry of no month",
    sql: `${ENTRY} entry_id = 'ffffffff-0000-7000-8000-000000000000' WHERE entry_id = '{loss}'`,
    found: ["months.other all"],
  },
  {
    fault: "a month that was not made",
    sql: `DO $$ BEGIN
        EXECUTE format('DROP TABLE ledger.entries_%s', to_char(clock_timestamp() AT TIME ZONE 'Europe/Moscow' + interval '2 months', 'YYYY_MM'));
      END $$`,
    found: ["months.ahead all"],
  },
];

for (const { fault, sql, found } of PLANTS) {
  test(`finds ${fault}`, async () => {
    const mismatches = await verifyPlanted(database.db, (tx) => tx.query(named(sql)));
    assert.deepEqual(
      mismatches.map(({ where, id }) => `${where} ${id}`).toSorted(),
      found.map(named).toSorted(),
    );
    for (const { expected, found: actual } of mismatches) {
      assert.doesNotMatch(`${expected} ${actual}`, /undefined|NaN|null/);
      assert.notEqual(expected, actual);
    }
  });
}

test("each kind of finding is planted here, but those of archived months and of several servers", () => {
  const planted = new Set(PLANTS.flatMap(({ found }) => found.map((one) => one.split(" ")[0])));
  assert.deepEqual(
    Object.keys(ENGLISH_LEDGER_FINDINGS).filter((place) => !planted.has(place)),
    ["account.numbers", "seal.entries", "seal.moved", "seal.trial", "seal.bonus", "tables.place"],
  );
});
