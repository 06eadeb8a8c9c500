/**
 * Protects: a burst of real requests through two whole gateways gives one alert of each crossing,
 * with its right amount, and one mail (hazards §43).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type {
  Alert,
  AlertDelivery,
  AlertDeliveryList,
  AlertList,
  NewAlert,
} from "../../src/contract/panel/alert.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { nano } from "../../src/kernel/money.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { until } from "../support/until.ts";
import { openMoneyScene, roubles, type MoneyScene } from "../money/money-scene.ts";
import {
  addMember,
  lookedAt,
  openAlertWorld,
  SESSION_SECRET,
  type AlertWorld,
} from "./alert-world.ts";

/** Requests under way at each gateway. */
const AT_ONCE = 25;
const PATIENCE_MS = 120_000;

let scene: MoneyScene;
let world: AlertWorld;
let urls: readonly string[];

before(async () => {
  scene = await openMoneyScene(({ json }) => {
    json(
      200,
      openAiCompletion({
        pieces: ["yes"],
        usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
      }),
    );
  });
  const env = { SESSION_SECRET };
  urls = (await Promise.all(["one", "two"].map((name) => scene.gateway(name, { env })))).map(
    ({ url }) => url,
  );
  // Only the panel's routes: it is the gateways that look.
  world = await openAlertWorld({ databaseUrl: scene.url, works: false });
});
after(async () => {
  await world.close();
  await scene[Symbol.asyncDispose]();
});

/** So many requests of a rouble, one half at each gateway. */
async function burst(secret: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "fixed", messages: [{ role: "user", content: "yes?" }] });
  await Promise.all(
    urls.flatMap((url) => {
      let left = count / urls.length;
      return Array.from({ length: AT_ONCE }, async () => {
        while (left > 0) {
          left -= 1;
          const answer = await fetch(`${url}/v1/chat/completions`, {
            method: "POST",
            headers,
            body,
          });
          assert.equal(answer.status, 200, await answer.text());
        }
      });
    }),
  );
}

async function add(owner: MemberCaller, wish: NewAlert): Promise<string> {
  const answer = await world.endpoint.ask(owner, "POST", "/panel/api/alerts", wish);
  assert.equal(answer.status, 201, answer.text);
  return answer.json<Alert>().alertId;
}

/** Oldest first. */
async function reported(owner: MemberCaller): Promise<AlertDelivery[]> {
  const answer = await world.endpoint.ask(owner, "GET", "/panel/api/alerts/deliveries?limit=1000");
  return answer.json<AlertDeliveryList>().data.toReversed();
}

async function mailCount(owner: MemberCaller): Promise<number> {
  return (
    await scene.db.query("SELECT 1 FROM mail.outbox WHERE recipient = $1 AND kind = 'alert'", [
      owner.email,
    ])
  ).length;
}

/** Until every charge is booked and was looked at. */
async function settled(accountId: string, chargedRoubles: number): Promise<void> {
  await until(
    "all is charged",
    async () => {
      const [row] = await scene.db.query<{ charged: bigint }>(
        "SELECT charged_nano AS charged FROM ledger.accounts WHERE account_id = $1 AND held_nano = 0",
        [accountId],
      );
      return row?.charged === roubles(chargedRoubles);
    },
    PATIENCE_MS,
  );
  await until("all is looked at", () => lookedAt(scene.db, accountId), PATIENCE_MS);
}

test("a thousand requests over HTTP give one alert of the balance, the account's day and the key's day; a top-up arms the balance again", async () => {
  const accountId = await newAccount(scene.db, "1600");
  const owner = await addMember(scene.db, accountId);
  const one = await newKey(scene.db, accountId);
  const two = await newKey(scene.db, accountId);
  const mine = {
    balance: await add(owner, { kind: "balance_below", threshold: "1000" }),
    day: await add(owner, { kind: "spend_day", threshold: "700" }),
    keyDay: await add(owner, { kind: "spend_day", threshold: "300", keyHash: one.key.hash }),
  };
  const all = (await world.endpoint.ask(owner, "GET", "/panel/api/alerts")).json<AlertList>().data;
  // Those that every account has are not what this is about.
  for (const { alertId } of all.filter((alert) => !Object.values(mine).includes(alert.alertId)))
    assert.equal(
      (await world.endpoint.ask(owner, "DELETE", `/panel/api/alerts/${alertId}`)).status,
      200,
    );

  await Promise.all([burst(one.secret, 600), burst(two.secret, 400)]);
  await settled(accountId, 1000);
  const first = await reported(owner);
  assert.deepEqual(first.map(({ alertId }) => alertId).toSorted(), Object.values(mine).toSorted());
  assert.equal(await mailCount(owner), 3);
  // Whole roubles, because each request costs one; and of the time between the crossing and the
  // end.
  const valueOf = (id: string): number =>
    Number(first.find(({ alertId }) => alertId === id)?.value);
  for (const [id, least, most] of [
    [mine.balance, 600, 999],
    [mine.day, 700, 1000],
    [mine.keyDay, 300, 600],
  ] as const) {
    const value = valueOf(id);
    assert.ok(
      Number.isInteger(value) && value >= least && value <= most,
      `${value} is not from ${least} to ${most}`,
    );
  }
  const counted = await scene.db.query<{ subject: string; charged: bigint }>(
    "SELECT subject_id AS subject, sum(charged_nano)::bigint AS charged FROM alerts.spend WHERE grain = 'day' AND subject_id = ANY ($1::uuid[]) GROUP BY 1",
    [[accountId, one.key.keyId]],
  );
  assert.deepEqual(
    new Map(counted.map(({ subject, charged }) => [subject, charged])),
    new Map([
      [accountId, roubles(1000)],
      [one.key.keyId, roubles(600)],
    ]),
  );

  await topUp(scene.db, { accountId, amountNano: nano(roubles(900)), reference: null });
  await until("it is armed again", async () => {
    const alerts = (await world.endpoint.ask(owner, "GET", "/panel/api/alerts")).json<AlertList>()
      .data;
    return alerts.find(({ alertId }) => alertId === mine.balance)?.fired === false;
  });
  assert.equal((await reported(owner)).length, 3);
  await burst(two.secret, 1000);
  await settled(accountId, 2000);
  const more = (await reported(owner)).slice(3);
  assert.deepEqual(
    more.map(({ alertId }) => alertId),
    [mine.balance],
  );
  const value = Number(more[0]?.value);
  assert.ok(Number.isInteger(value) && value >= 500 && value < 1000, `${value}`);
  assert.equal(await mailCount(owner), 4);
  await scene.verifyLedger();
});
