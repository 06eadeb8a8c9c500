/** Protects margins over several days: the days of Moscow, each summed once and kept, by several processes at the same time too. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { recordMany } from "../../usage/receipts.store.ts";
import { createAccount } from "../create-account.ts";
import { keepMargins } from "./keep-margins.ts";
import { readMargin } from "./read-margin.ts";

const ROUBLE = 1_000_000_000n;
const DAY = "2026-05-10";

let database: TestDatabase;
let accountId: Uuid;
before(async () => {
  database = await testDatabase();
  const made = await createAccount(database.db, { name: "customer", email: null, operator: false });
  assert.ok(made.kind === "created");
  ({ accountId } = made);
});
after(() => database.drop());

/** A request whose hold ended then, as far as the books and its receipt go. */
async function ended(at: string, charge: bigint, detail: Readonly<Record<string, unknown>>): Promise<void> {
  const requestId = newUuid();
  const { db } = database;
  await db.query(
    `INSERT INTO ledger.entries (entry_id, kind, account_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
     VALUES ($1, $2::ledger.entry_kind, $3, $3, '00000000-0000-0000-0000-000000000002', $4, $5, $5::bigint - $4::bigint, 1, $6, 'r')`,
    [requestId, charge > 0n ? "charge" : "release", accountId, charge, 10n * ROUBLE, at],
  );
  const row = { requestId, accountId, keyId: null, endpoint: "messages", modelRequested: "m", model: "m", state: "completed" } as const;
  await recordMany(db, [{ ...row, startedAt: new Date(at), chargedNano: nano(charge), detail }]);
}

const SERVED = { attempts: [{ upstream: "u", model: "x", outcome: "served", status: 200, reason: null, ms: 1 }] };

test("a day begins at midnight in Moscow; what cost nothing, what nobody knows the cost of and what is lost are told apart", async () => {
  await ended("2026-05-09T20:59:59Z", ROUBLE, { ...SERVED, upstreamCostNano: "1" });
  await ended("2026-05-09T21:00:00Z", 2n * ROUBLE, { ...SERVED, upstreamCostNano: "500000000", lossNano: "250000000" });
  await ended("2026-05-10T20:59:59Z", 3n * ROUBLE, { ...SERVED, upstreamCostNano: null });
  // Nobody served it, so nobody has to be paid for it.
  await ended("2026-05-10T12:00:00Z", 0n, {
    attempts: [{ upstream: "u", model: "x", outcome: "failed", status: 500, reason: "x", ms: 1 }],
  });
  // Its process died: what was delivered was charged, and by whom is not known.
  await ended("2026-05-10T12:00:01Z", ROUBLE, { usage: null });
  await ended("2026-05-10T21:00:00Z", 4n * ROUBLE, { ...SERVED, upstreamCostNano: "0" });
  const report = await readMargin(database.db, { from: DAY, to: DAY, by: "upstream" });
  const known = { requests: 2, revenue: "5", cost: "0.5", margin: "1.5", unknownCostRequests: 1, unknownCostRevenue: "3", loss: "0.25" };
  const nobody = { requests: 2, revenue: "1", cost: null, margin: null, unknownCostRequests: 1, unknownCostRevenue: "1", loss: "0" };
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
  assert.deepEqual([days.total.revenue, days.total.cost, days.total.margin], ["11", "0.500000001", "6.499999999"]);
});

test("days that are over are kept before anybody asks, whoever works at them at the same time, and read from what is kept", async () => {
  const { db } = database;
  await db.query("DELETE FROM operate.margin");
  await db.query("DELETE FROM operate.margin_days");
  const [today] = await db.query<{ day: string }>("SELECT (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date AS day");
  const yesterday = new Date(Date.parse(`${today?.day ?? ""}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  const noon = `${yesterday}T12:00:00Z`;
  await ended(noon, 7n * ROUBLE, { ...SERVED, upstreamCostNano: "7" });
  const reports = await Promise.all([
    keepMargins(db),
    keepMargins(db),
    readMargin(db, { from: yesterday, to: today?.day ?? "", by: "model" }),
    readMargin(db, { from: yesterday, to: today?.day ?? "", by: "model" }),
  ]);
  for (const report of reports) if (report !== undefined) assert.equal(report.total.revenue, "7");
  await keepMargins(db);
  const [kept] = await db.query<{ days: bigint; last: string }>("SELECT count(*) AS days, max(day) AS last FROM operate.margin_days");
  // In the first minutes of a day yesterday is not over yet.
  assert.ok(kept !== undefined && kept.days >= 90n && kept.last < (today?.day ?? ""));
  await db.query("UPDATE operate.margin SET charged_nano = 1 WHERE day = $1", [yesterday]);
  const again = await readMargin(db, { from: yesterday, to: yesterday, by: "day" });
  if (kept.last === yesterday) assert.equal(again.total.revenue, "0.000000001");
});
