/** Guarantee: what was spent is in the panel as in the ledger, to the nano-rouble, at any moment. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { fillReceipts } from "../../../../test/support/fill-receipts.ts";
import { systemClock } from "../../../kernel/clock.ts";
import { formatRoubles, nano, parseRoubles } from "../../../kernel/money.ts";
import { NO_USAGE } from "../../../kernel/token-usage.ts";
import { verifyLedger } from "../../operate/verify-ledger.ts";
import { changeAccountKey } from "./change-account-key.ts";
import { createAccountGroup } from "./create-account-group.ts";
import { keepDays } from "./keep-days.ts";
import { readOverview } from "./read-overview.ts";
import { readSpend } from "./read-spend.ts";
import { spendGroups } from "./spend.store.ts";

let scene: AccountScene;
before(async () => {
  scene = await openAccountScene();
});
after(() => scene.close());

const ALWAYS = { from: "2000-01-01", to: "2100-01-01" };

/** The same sums straight from the entries, the receipts and the tasks. */
async function truth(accountId: string): Promise<Map<string, bigint>> {
  const rows = await scene.db.query<{ name: string; total: bigint }>(
    `WITH e AS (
       SELECT (at AT TIME ZONE 'Europe/Moscow')::date::text AS day, budget_id::text AS key, coalesce(budget3_id::text, 'null') AS in_group, amount_nano,
         coalesce((SELECT model FROM usage.requests WHERE request_id = entry_id), (SELECT model FROM tasks.tasks WHERE task_id = entry_id)) AS model
       FROM ledger.entries WHERE account_id = $1 AND kind IN ('charge', 'release'))
     SELECT 'day ' || day AS name, sum(amount_nano)::bigint AS total FROM e GROUP BY day
     UNION ALL SELECT 'key ' || key, sum(amount_nano)::bigint FROM e GROUP BY key
     UNION ALL SELECT 'group ' || in_group, sum(amount_nano)::bigint FROM e GROUP BY in_group
     UNION ALL SELECT 'model ' || model, sum(amount_nano)::bigint FROM e GROUP BY model`,
    [accountId],
  );
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function reported(accountId: string): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const by of ["day", "key", "model", "group"] as const)
    for (const { day, keyId, model, groupId, chargedNano } of await spendGroups(
      scene.db,
      { accountId, ...ALWAYS },
      by,
    ))
      sums.set(`${by} ${day ?? keyId ?? model ?? groupId}`, chargedNano);
  return sums;
}

function sorted(sums: Map<string, bigint>): [string, bigint][] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function withTraffic(
  count: number,
): Promise<{ accountId: string; keys: Awaited<ReturnType<AccountScene["key"]>>["key"][] }> {
  const accountId = await scene.account("1000000");
  const keys = [
    (await scene.key(accountId)).key,
    (await scene.key(accountId)).key,
    (await scene.key(accountId)).key,
  ];
  const keyIds = keys.map(({ keyId }) => keyId);
  await fillReceipts(scene.url, {
    accountId,
    keyIds,
    models: ["sandbox-large", "b", "c"],
    count,
    apart: "37 minutes",
  });
  return { accountId, keys };
}

test("random traffic of weeks, requests and tasks: the sums are the ledger's", async () => {
  const { accountId, keys } = await withTraffic(1_500);
  const group = { accountId, name: "Отдел", limit: null, models: null, once: null };
  const { id: groupId } = await createAccountGroup(scene.db, group);
  await changeAccountKey(scene.db, systemClock, accountId, keys[0]?.hash ?? "", { groupId });
  for (let round = 0; round < 6; round++) {
    for (const key of keys) {
      const chargeNano = BigInt(Math.floor(Math.random() * 1e9));
      await scene.chat(key, {
        chargeNano,
        state: chargeNano % 2n === 0n ? "completed" : "interrupted",
      });
      await scene.task(
        key,
        5_000_000_000n + chargeNano,
        chargeNano % 3n === 0n ? "failed" : "completed",
      );
      await scene.chat(key, { chargeNano: 0n, state: "failed" });
    }
    assert.deepEqual(
      sorted(await reported(accountId)),
      sorted(await truth(accountId)),
      `round ${round}`,
    );
  }
  // The days that are over are kept by several processes at once, and today goes on.
  await Promise.all([keepDays(scene.db), keepDays(scene.otherDb()), keepDays(scene.otherDb())]);
  assert.deepEqual(sorted(await reported(accountId)), sorted(await truth(accountId)));
  for (const table of ["usage.daily", "usage.account_daily"]) {
    const [kept] = await scene.db.query<{ days: bigint; yesterday: boolean }>(
      `SELECT count(DISTINCT d.day) AS days, bool_and(t.day >= (now() AT TIME ZONE 'Europe/Moscow')::date - 2) AS yesterday
       FROM ${table} d, ${table}_through t WHERE account_id = $1`,
      [accountId],
    );
    assert.ok(kept !== undefined && kept.days > 30n && kept.yesterday, table);
  }
  for (const key of keys) await scene.chat(key, { chargeNano: 7n });
  await keepDays(scene.db);
  assert.deepEqual(sorted(await reported(accountId)), sorted(await truth(accountId)));
  assert.deepEqual((await verifyLedger(scene.db)).mismatches, []);
  const request = { from: null, to: null, keyHash: null, model: null, by: "group" } as const;
  const { rows } = await readSpend(scene.db, accountId, request);
  assert.deepEqual(new Set(rows.map((row) => row.group?.name)), new Set(["Отдел", undefined]));
});

/** Eleven more tokens of the prompt. */
const MEDIA = { audioInput: 4, imageInput: 7, audioOutput: 1, imageOutput: 0 };

test("the overview and the table of spend say the same, and count requests, tasks, failures and tokens, sound and images included", async () => {
  const accountId = await scene.account("100");
  const { key } = await scene.key(accountId);
  await scene.chat(key, {
    chargeNano: 2_000_000_001n,
    usage: {
      ...NO_USAGE,
      inputTokens: 10,
      cachedInputTokens: 5,
      cacheWrite1hTokens: 2,
      outputTokens: 7,
      media: MEDIA,
    },
  });
  await scene.chat(key, { chargeNano: 0n, state: "failed" });
  await scene.task(key, 3_000_000_000n, "completed");
  await scene.task(key, 4_000_000_000n, "failed");
  const overview = await readOverview(scene.db, accountId);
  const sums = {
    charged: "5.000000001",
    requests: 2,
    tasks: 2,
    errors: 2,
    inputTokens: 28,
    cachedTokens: 5,
    outputTokens: 7,
  };
  assert.deepEqual([overview.today, overview.last7Days, overview.last30Days], [sums, sums, sums]);
  assert.deepEqual(
    [overview.balance, overview.held, overview.runsOutInDays],
    ["94.999999999", "0", null],
  );
  assert.equal(overview.byDay.length, 30);
  assert.deepEqual(overview.byDay.at(-1), {
    day: overview.byDay.at(-1)?.day ?? "",
    key: null,
    model: null,
    group: null,
    member: null,
    ...sums,
  });
  assert.deepEqual(overview.topModels, [
    { model: "seedance-2", charged: "3" },
    { model: "sandbox-large", charged: "2.000000001" },
  ]);
  assert.deepEqual(
    overview.topKeys.map(({ key: name, charged }) => [name?.hash, charged]),
    [[key.hash, "5.000000001"]],
  );
  const request = { from: null, to: null, keyHash: null, model: null };
  for (const by of ["day", "key", "model", "group", "member"] as const)
    assert.deepEqual((await readSpend(scene.db, accountId, { ...request, by })).total, sums);
  assert.equal(
    (await readSpend(scene.db, accountId, { ...request, by: "day", model: "seedance-2" })).total
      .charged,
    "3",
  );
});

test("the balance lasts as long as the mean of the last seven full days says", async () => {
  const { accountId } = await withTraffic(1_500);
  const overview = await readOverview(scene.db, accountId);
  const fullDays = overview.byDay.slice(-8, -1).map(({ charged }) => parseRoubles(charged) ?? 0n);
  const weekNano = fullDays.reduce<bigint>((sum, chargedNano) => sum + chargedNano, 0n);
  assert.ok(weekNano > 0n);
  assert.equal(overview.dailyMean, formatRoubles(nano(weekNano / 7n)));
  const days: bigint = ((parseRoubles(overview.balance) ?? 0n) * 7n) / weekNano;
  assert.equal(overview.runsOutInDays, Number(days > 36_500n ? 36_500n : days));
});

test("beside live traffic every reader sees the sums that the balance was charged", async () => {
  const { accountId, keys } = await withTraffic(2_000);
  let busy = true;
  const reading = (async () => {
    let reads = 0;
    while (busy) {
      await scene.db.transaction(async (tx) => {
        await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        const [account] = await tx.query<{ charged: bigint }>(
          "SELECT charged_nano AS charged FROM ledger.accounts WHERE account_id = $1",
          [accountId],
        );
        for (const by of ["day", "key"] as const)
          assert.equal(
            (await spendGroups(tx, { accountId, ...ALWAYS }, by)).reduce(
              (sum, { chargedNano }) => sum + chargedNano,
              0n,
            ),
            account?.charged,
          );
      });
      reads++;
    }
    return reads;
  })();
  await Promise.all(
    keys.map(async (key) => {
      for (let chat = 0; chat < 15; chat++)
        await scene.chat(key, { chargeNano: BigInt(chat) * 1_000_003n });
    }),
  );
  busy = false;
  assert.ok((await reading) > 0);
  assert.deepEqual(sorted(await reported(accountId)), sorted(await truth(accountId)));
});
