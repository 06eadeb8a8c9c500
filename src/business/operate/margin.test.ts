/**
 * Protects margins over several days: the days of Moscow, each summed once and kept, by several
 * processes at the same time too.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bookReceipts } from "../../../test/support/book-receipts.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { nano, ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { holdIn, settleIn } from "../../ledger/holds.store.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";
import { exactHold, fundedAccount } from "../../../test/ledger/ledger-world.ts";
import { keepMargins } from "./keep-margins.ts";
import { keepDay, lastDays } from "./margin.store.ts";
import { readMargin } from "./read-margin.ts";

const ROUBLE = 1_000_000_000n;
const DAY = "2026-05-10";
const TASKS_DAY = "2026-06-02";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

interface Served {
  readonly upstream?: string | null;
  /** Absent or null: not known. */
  readonly costNano?: bigint | null;
  readonly lossNano?: bigint;
}

const SERVED: Served = { upstream: "u" };

/** Makes it look as if all that an account has was booked then. */
async function booked(accountId: Uuid, at: string): Promise<void> {
  await database.db.query(
    "UPDATE usage.hourly SET hour = date_trunc('hour', $2::timestamptz, 'UTC') WHERE account_id = $1",
    [accountId, at],
  );
}

/** A request of a customer of its own that ended then. */
async function ended(
  at: string,
  charge: bigint,
  { upstream = null, costNano = null, lossNano = 0n }: Served,
): Promise<void> {
  const accountId = newUuid();
  await bookReceipts(database.db, [
    {
      requestId: newUuid(),
      accountId,
      keyId: null,
      chargeNano: nano(charge),
      lossNano: nano(lossNano),
      receipt: {
        endpoint: "messages",
        modelRequested: "m",
        model: "m",
        state: "completed",
        startedAt: new Date(at),
        durationMs: 1,
        firstMs: null,
        figures: receiptFigures(NO_USAGE, upstream, costNano === null ? null : nano(costNano)),
        detail: {},
      },
    },
  ]);
  await booked(accountId, at);
}

async function endedTask(
  at: string,
  state: "completed" | "failed",
  costNano: bigint | null,
): Promise<void> {
  const accountId = await fundedAccount(database.db, ROUBLE);
  const hold = { ...exactHold(accountId, ROUBLE), reference: "task:t" };
  await holdIn(database.db, hold);
  const chargeNano = state === "completed" ? nano(ROUBLE) : ZERO_NANO;
  await settleIn(
    database.db,
    { accountId, holdId: hold.holdId, chargeNano, lossNano: ZERO_NANO },
    {
      model: "t",
      state,
      startedAt: new Date(),
      upstream: "media",
      costNano: costNano === null ? null : nano(costNano),
    },
  );
  await booked(accountId, at);
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

test("a task that failed cost nothing, one that completed at an unknown cost is told apart", async () => {
  await endedTask(`${TASKS_DAY}T09:00:00Z`, "completed", 1n);
  await endedTask(`${TASKS_DAY}T10:00:00Z`, "completed", null);
  await endedTask(`${TASKS_DAY}T11:00:00Z`, "failed", null);
  const report = await readMargin(database.db, { from: TASKS_DAY, to: TASKS_DAY, by: "upstream" });
  assert.deepEqual(report.rows, [
    {
      name: "media",
      requests: 3,
      revenue: "2",
      cost: "0.000000001",
      margin: "0.999999999",
      unknownCostRequests: 1,
      unknownCostRevenue: "1",
      loss: "0",
    },
  ]);
});

test("today's sums are those of its entries at every moment, and a day that is kept does not change", async () => {
  const { db } = database;
  const { to: today } = await lastDays(db, 1);
  const read = () => readMargin(db, { from: today, to: today, by: "upstream" });
  const before = await read();
  await ended(new Date().toISOString(), 3n * ROUBLE, { ...SERVED, costNano: 1n });
  const after = await read();
  assert.equal(after.total.requests, before.total.requests + 1);
  assert.equal((await read()).total.revenue, after.total.revenue);
  await db.transaction((tx) => keepDay(tx, DAY));
  const kept = await readMargin(db, { from: DAY, to: DAY, by: "upstream" });
  await ended(`${DAY}T12:00:00Z`, ROUBLE, SERVED);
  assert.deepEqual(await readMargin(db, { from: DAY, to: DAY, by: "upstream" }), kept);
});
