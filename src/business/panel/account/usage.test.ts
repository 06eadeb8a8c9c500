/**
 * Guarantee: the overview's figures are what the ledger's entries of their hours and days add up
 * to, to the nano-rouble, and a running hour or day is compared with nothing.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { fillReceipts } from "../../../../test/support/fill-receipts.ts";
import type { Usage } from "../../../contract/panel/usage.ts";
import { Fault } from "../../../kernel/faults.ts";
import { formatRoubles, nano, parseRoubles } from "../../../kernel/money.ts";
import { keepDays } from "./keep-days.ts";
import { moscowMidnight } from "./days.ts";
import { meanOf, readUsage, usageSums, type UsageWish } from "./read-usage.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

const WISH: UsageWish = {
  range: "30d",
  from: null,
  to: null,
  by: "model",
  figure: "spent",
  keyHash: null,
  model: null,
  kind: null,
};
const HOUR_MS = 3_600_000;

interface EntrySums {
  readonly chargedNano: bigint;
  readonly requests: bigint;
  readonly failed: bigint;
  readonly lastedMs: bigint;
}

/** Straight from the entries that were booked from one moment on and before the other. */
async function truth(
  accountId: string,
  [from, to]: readonly [Date, Date],
  where = "true",
): Promise<EntrySums> {
  const [row] = await scene.db.query<EntrySums>(
    `SELECT coalesce(sum(amount_nano), 0)::bigint AS "chargedNano", count(*) AS requests, count(*) FILTER (WHERE state = 'failed') AS failed,
       coalesce(sum(duration_ms), 0)::bigint AS "lastedMs"
     FROM ledger.entries WHERE account_id = $1 AND kind IN ('charge', 'release') AND at >= $2 AND at < $3 AND ${where}`,
    [accountId, from, to],
  );
  assert.ok(row !== undefined);
  return row;
}

function timeOfPoint({ grain }: Usage, at: string): readonly [Date, Date] {
  const from = grain === "hour" ? new Date(at) : moscowMidnight(at);
  return [from, new Date(from.getTime() + (grain === "hour" ? 1 : 24) * HOUR_MS)];
}

async function withTraffic(count: number, apart: string) {
  const accountId = await scene.account("1000000");
  const keys = [(await scene.key(accountId)).key, (await scene.key(accountId)).key];
  await fillReceipts(scene.url, {
    accountId,
    keyIds: keys.map(({ keyId }) => keyId),
    models: ["sandbox-large", "b", "c", "d", "e", "f", "g"],
    count,
    apart,
  });
  return { accountId, keys };
}

const addRoubles = (amounts: readonly string[]): bigint =>
  amounts.reduce((sum, amount) => sum + (parseRoubles(amount) ?? 0n), 0n);

for (const [name, count, apart] of [
  ["24h", 1_200, "3 minutes"],
  ["7d", 1_500, "17 minutes"],
  ["30d", 1_900, "47 minutes"],
] as const) {
  test(`${name}: each point, each part and the comparison are the entries'`, async () => {
    const { accountId } = await withTraffic(count, apart);
    if (name === "30d") await keepDays(scene.db);
    const usage = await readUsage(scene.db, accountId, { ...WISH, range: name });
    for (const { at, sums } of [...usage.lead, ...usage.points]) {
      const { chargedNano, requests, failed } = await truth(accountId, timeOfPoint(usage, at));
      assert.deepEqual(
        [sums.charged, sums.requests, sums.errors],
        [formatRoubles(nano(chargedNano)), Number(requests), Number(failed)],
        at,
      );
    }
    const first = timeOfPoint(usage, usage.points[0]?.at ?? "")[0];
    const running = timeOfPoint(usage, usage.points.at(-1)?.at ?? "")[0];
    const lengthMs = usage.points.length * (usage.grain === "hour" ? 1 : 24) * HOUR_MS;
    const earlier = (moment: Date): Date => new Date(moment.getTime() - lengthMs);
    assert.deepEqual(
      usage.points.map(({ partial }) => partial),
      usage.points.map((_, at) => at === usage.points.length - 1),
    );
    for (const [sums, time] of [
      [usage.compared?.now, [first, running]],
      [usage.compared?.before, [earlier(first), earlier(running)]],
    ] as const)
      assert.equal(sums?.charged, formatRoubles(nano((await truth(accountId, time)).chargedNano)));
    assert.notEqual(usage.compared?.before.charged, "0");
    assert.equal(usage.lead.length, name === "7d" ? 1 : 0);
    // Seven models: five and two more, which together are the whole of each point.
    assert.deepEqual([usage.parts.length, usage.others], [5, 2]);
    for (const [at, { sums }] of usage.points.entries())
      assert.equal(
        addRoubles([...usage.parts.map(({ points }) => points[at] ?? "0"), usage.rest[at] ?? "0"]),
        parseRoubles(sums.charged),
      );
    const dearest = usage.parts.map(({ sums }) => parseRoubles(sums.charged) ?? 0n);
    assert.deepEqual(
      dearest,
      dearest.toSorted((a, b) => (a < b ? 1 : -1)),
    );
    for (const { model, sums, points } of usage.parts) {
      const { charged } = sums;
      assert.equal(addRoubles(points), parseRoubles(charged));
      const end = new Date(running.getTime() + lengthMs);
      const own = await truth(accountId, [first, end], `model = '${model ?? ""}'`);
      assert.equal(charged, formatRoubles(nano(own.chargedNano)));
    }
    assert.deepEqual([usage.total.durationMs, usage.total.timeToFirstTokenMs], [1_200, 150]);
    // Sums of days by key do not have how long answers took, and the same of all else.
    const byKey = await readUsage(scene.db, accountId, { ...WISH, range: name, by: "key" });
    const times = name === "30d" ? { durationMs: null, timeToFirstTokenMs: null } : {};
    assert.deepEqual(
      byKey.points.map(({ sums }) => ({ ...sums, durationMs: null, timeToFirstTokenMs: null })),
      usage.points.map(({ sums }) => ({ ...sums, durationMs: null, timeToFirstTokenMs: null })),
    );
    assert.deepEqual(byKey.total, { ...usage.total, ...times });
  });
}

test("by key, with its limit; by kind; and of one key or model alone", async () => {
  const { accountId, keys } = await withTraffic(400, "5 minutes");
  const [one, two] = keys;
  assert.ok(one !== undefined && two !== undefined);
  await scene.task(one, 3_000_000_000n, "completed");
  const byKey = await readUsage(scene.db, accountId, { ...WISH, by: "key" });
  assert.deepEqual(
    byKey.parts.map(({ key }) => key?.hash),
    [one.hash, two.hash],
  );
  assert.deepEqual([byKey.others, byKey.parts[0]?.limit], [0, null]);
  const byKind = await readUsage(scene.db, accountId, { ...WISH, by: "kind" });
  assert.deepEqual(
    byKind.parts.map(({ kind }) => kind),
    ["task", "chat"],
  );
  assert.deepEqual([byKind.total.tasks, byKind.total.requests], [1, 400]);
  const own = await readUsage(scene.db, accountId, { ...WISH, by: "key", keyHash: two.hash });
  assert.deepEqual(
    own.parts.map(({ key }) => key?.hash),
    [two.hash],
  );
  assert.equal(own.total.charged, byKey.parts[1]?.sums.charged);
  const tasks = await readUsage(scene.db, accountId, { ...WISH, model: "seedance-2" });
  assert.deepEqual([tasks.total.charged, tasks.total.requests], ["3", 0]);
});

test("days that cannot be, and another account's key, are refused", async () => {
  const accountId = await scene.account("1");
  const other = (await scene.key(await scene.account("1"))).key;
  for (const [from, to] of [
    ["2026-02-30", "2026-03-01"],
    ["2026-03-02", "2026-03-01"],
    ["2020-01-01", "2026-03-01"],
    ["2026-03-01", null],
  ] as const)
    await assert.rejects(
      readUsage(scene.db, accountId, { ...WISH, from, to }),
      (error) => error instanceof Fault && error.code === "invalid_request",
    );
  await assert.rejects(
    readUsage(scene.db, accountId, { ...WISH, keyHash: other.hash }),
    (error) => error instanceof Fault && error.code === "not_found",
  );
  const empty = await readUsage(scene.db, accountId, WISH);
  assert.deepEqual([empty.total.charged, empty.parts, empty.points.length], ["0", [], 30]);
});

test("a mean is of what is known, and of nothing there is none", () => {
  assert.deepEqual([meanOf(10n, 4n), meanOf(10n, 0n), meanOf(null, 4n)], [2, null, null]);
  assert.deepEqual(usageSums([]).durationMs, null);
});
