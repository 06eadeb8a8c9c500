/**
 * Protects margins over several days: the days of Moscow, each summed once and kept, by several
 * processes at the same time too.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { forgetFigures } from "../../../test/support/receipt-figures.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { nano, type Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";
import { recordMany } from "../../usage/receipts.store.ts";
import { createAccount } from "../accounts/create-account.ts";
import { createSpendFolder } from "../panel/account/fold-spend.ts";
import { foldParts } from "../panel/account/fold-spend.store.ts";
import { keepMargins } from "./keep-margins.ts";
import { keepDay, runningSums, sumDay, type MarginSum } from "./margin.store.ts";
import { readMargin } from "./read-margin.ts";

const ROUBLE = 1_000_000_000n;
const DAY = "2026-05-10";
const GOING_ON = "2026-06-02";

let database: TestDatabase;
let accountId: Uuid;
before(async () => {
  database = await testDatabase();
  const made = await createAccount(database.db, { name: "customer", email: null, operator: false });
  assert.ok(made.kind === "created");
  ({ accountId } = made);
});
after(() => database.drop());

interface Served {
  readonly upstream?: string | null;
  /** Absent or null: not known. */
  readonly costNano?: bigint | null;
  readonly lossNano?: bigint;
}

const SERVED: Served = { upstream: "u" };
const FAILED = { upstream: "f", model: "x", outcome: "failed", status: 500, reason: "x", ms: 1 };

/** A request whose hold ended then, as far as the books and its receipt go. */
async function ended(
  at: string,
  charge: bigint,
  { upstream = null, costNano = null, lossNano = 0n }: Served,
): Promise<void> {
  const requestId = newUuid();
  const attempts =
    upstream === null
      ? [FAILED]
      : [FAILED, { ...FAILED, upstream, outcome: "served", status: 200 }];
  const detail = {
    usage: null,
    attempts,
    upstreamCostNano: costNano?.toString() ?? null,
    lossNano: String(lossNano),
  };
  const figures = receiptFigures(NO_USAGE, upstream, costNano as Nano | null, nano(lossNano));
  const row = {
    requestId,
    accountId,
    keyId: null,
    endpoint: "messages",
    modelRequested: "m",
    model: "m",
    state: "completed",
  } as const;
  await database.db.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO ledger.entries (entry_id, kind, account_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
       VALUES ($1, $2::ledger.entry_kind, $3, $3, '00000000-0000-0000-0000-000000000002', $4, $5, $5::bigint - $4::bigint, 1, $6, 'r')`,
      [requestId, charge > 0n ? "charge" : "release", accountId, charge, 10n * ROUBLE, at],
    );
    await recordMany(tx, [
      { ...row, startedAt: new Date(at), chargedNano: nano(charge), figures, detail },
    ]);
  });
}

async function forgetSums(): Promise<void> {
  await database.db.query("DELETE FROM operate.margin");
  await database.db.query("DELETE FROM operate.margin_days");
}

test("a day begins at midnight in Moscow; what cost nothing, what has an unknown cost and what is lost are told apart", async () => {
  await ended("2026-05-09T20:59:59Z", ROUBLE, { ...SERVED, costNano: 1n });
  await ended("2026-05-09T21:00:00Z", 2n * ROUBLE, {
    ...SERVED,
    costNano: 500000000n,
    lossNano: 250000000n,
  });
  await ended("2026-05-10T20:59:59Z", 3n * ROUBLE, { ...SERVED, costNano: null });
  // No upstream served it, so none has to be paid for it.
  await ended("2026-05-10T12:00:00Z", 0n, {});
  // Its process died: what was delivered was charged, and by whom is not known.
  await ended("2026-05-10T12:00:01Z", ROUBLE, {});
  await ended("2026-05-10T21:00:00Z", 4n * ROUBLE, { ...SERVED, costNano: 0n });
  const report = await readMargin(database.db, { from: DAY, to: DAY, by: "upstream" });
  const known = {
    requests: 2,
    revenue: "5",
    cost: "0.5",
    margin: "1.5",
    unknownCostRequests: 1,
    unknownCostRevenue: "3",
    loss: "0.25",
  };
  const nobody = {
    requests: 2,
    revenue: "1",
    cost: null,
    margin: null,
    unknownCostRequests: 1,
    unknownCostRevenue: "1",
    loss: "0",
  };
  assert.deepEqual(report.rows, [
    { name: "u", ...known },
    { name: null, ...nobody },
  ]);
  await forgetSums();
  await database.db.transaction(forgetFigures);
  assert.deepEqual(
    await readMargin(database.db, { from: DAY, to: DAY, by: "upstream" }),
    report,
    "from details alone",
  );
  const days = await readMargin(database.db, { from: "2026-05-09", to: "2026-05-11", by: "day" });
  assert.deepEqual(
    days.rows.map(({ name, revenue, cost }) => [name, revenue, cost]),
    [
      ["2026-05-09", "1", "0.000000001"],
      [DAY, "6", "0.5"],
      ["2026-05-11", "4", "0"],
    ],
  );
  assert.deepEqual(
    [days.total.revenue, days.total.cost, days.total.margin],
    ["11", "0.500000001", "6.499999999"],
  );
});

test("days that are over are kept before they are asked for, by several processes at a time too, and read from what is kept", async () => {
  const { db } = database;
  await forgetSums();
  const [today] = await db.query<{ day: string }>(
    "SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS day",
  );
  const yesterday = new Date(Date.parse(`${today?.day ?? ""}T00:00:00Z`) - 86_400_000)
    .toISOString()
    .slice(0, 10);
  const noon = `${yesterday}T12:00:00Z`;
  await ended(noon, 7n * ROUBLE, { ...SERVED, costNano: 7n });
  const reports = await Promise.all([
    keepMargins(db),
    keepMargins(db),
    readMargin(db, { from: yesterday, to: today?.day ?? "", by: "model" }),
    readMargin(db, { from: yesterday, to: today?.day ?? "", by: "model" }),
  ]);
  for (const report of reports) if (report !== undefined) assert.equal(report.total.revenue, "7");
  await keepMargins(db);
  const [kept] = await db.query<{ days: bigint; last: string }>(
    "SELECT count(*) AS days, max(day) AS last FROM operate.margin_days",
  );
  // In the first minutes of a day yesterday is not over yet.
  assert.ok(kept !== undefined && kept.days >= 90n && kept.last < (today?.day ?? ""));
  await db.query("UPDATE operate.margin SET charged_nano = 1 WHERE day = $1", [yesterday]);
  const again = await readMargin(db, { from: yesterday, to: yesterday, by: "day" });
  if (kept.last === yesterday) assert.equal(again.total.revenue, "0.000000001");
});

test("the sums of a day that goes on are those of its entries before, while and after they are counted, by several at once too", async () => {
  const { db } = database;
  const sorted = (sums: readonly MarginSum[]): MarginSum[] =>
    sums.toSorted((a, b) => `${a.model} ${a.upstream}`.localeCompare(`${b.model} ${b.upstream}`));
  const exact = async (): Promise<void> => {
    const sums = sorted(await sumDay(db, GOING_ON));
    assert.deepEqual(sorted(await runningSums(db, GOING_ON)), sums);
    const report = await readMargin(db, { from: GOING_ON, to: GOING_ON, by: "model" });
    assert.equal(
      report.total.requests,
      Number(sums.reduce((total, { requests }) => total + requests, 0n)),
    );
  };
  const some = async (): Promise<void> => {
    // On both sides of midnight in Moscow; at a known cost, at an unknown one, at none, and of no
    // upstream.
    for (let n = 0n; n < 12n; n += 1n) {
      const cost = [{ costNano: n, lossNano: 3n }, { costNano: null }, { costNano: 0n }][
        Number(n % 3n)
      ];
      await ended(
        `2026-06-0${n % 2n === 0n ? 1 : 2}T2${n % 4n}:00:00Z`,
        n % 5n,
        n === 7n ? {} : { ...SERVED, ...cost },
      );
    }
  };
  await some();
  await exact();
  await db.transaction((tx) => foldParts(tx, [accountId], 7));
  await exact();
  const folders = [1, 2, 3].map((part) => createSpendFolder(db, { part }));
  await some();
  await Promise.all([...folders.map((folder) => folder.round()), exact(), exact()]);
  await Promise.all([...folders.map((folder) => folder.round()), some()]);
  await exact();
  await folders[0]?.round();
  await exact();
  const [left] = await db.query<{ left: bigint }>(
    "SELECT count(*) AS left FROM usage.uncounted_entries($1)",
    [accountId],
  );
  assert.equal(left?.left, 0n);
  // Once the day is kept it is read from there, and what was counted on the way goes.
  const before = await readMargin(db, { from: GOING_ON, to: GOING_ON, by: "upstream" });
  await db.transaction((tx) => keepDay(tx, GOING_ON));
  await keepMargins(db);
  assert.deepEqual(
    await db.query("SELECT 1 FROM operate.running_margin WHERE day = $1", [GOING_ON]),
    [],
  );
  assert.deepEqual(await readMargin(db, { from: GOING_ON, to: GOING_ON, by: "upstream" }), before);
});

test("of a day that began before sums were counted on the way only its entries tell, whatever was counted since", async () => {
  const { db } = database;
  const day = "2026-04-10";
  await ended(`${day}T12:00:00Z`, 5n * ROUBLE, SERVED);
  await db.query("UPDATE operate.running_since SET day = '2026-04-11'");
  await db.query("DELETE FROM operate.margin_days WHERE day = $1", [day]);
  assert.deepEqual((await readMargin(db, { from: day, to: day, by: "day" })).total.revenue, "5");
  await db.query("DELETE FROM operate.margin WHERE day = $1", [day]);
  await db.query("DELETE FROM operate.margin_days WHERE day = $1", [day]);
  await createSpendFolder(db).round();
  await db.query("DELETE FROM operate.running_margin WHERE day = $1", [day]);
  assert.deepEqual((await readMargin(db, { from: day, to: day, by: "day" })).total.revenue, "5");
  await db.query("UPDATE operate.running_since SET day = '-infinity'");
});
