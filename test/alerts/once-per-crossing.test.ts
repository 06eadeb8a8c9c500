/**
 * Protects: however many requests cross a threshold, and however many processes look, there is
 * exactly one alert (hazards §43).
 */
import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { MemberCaller } from "../../src/accounts/member-caller.ts";
import type { AlertDeliveryList, AlertList, NewAlert } from "../../src/contract/panel/alert.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import type { ChargeOrder } from "./alert-process.ts";
import { addMember, lookedAt, openAlertWorld, type AlertWorld } from "./alert-world.ts";

let database: TestDatabase;
let world: AlertWorld;
const children: ChildProcess[] = [];

before(async () => {
  database = await testDatabase();
  world = await openAlertWorld({ databaseUrl: database.url, works: false });
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await world.close();
  await database.drop();
});

interface Running {
  readonly child: ChildProcess;
  charge(order: ChargeOrder): Promise<void>;
}

function start(): Promise<Running> {
  const child = fork(
    join(import.meta.dirname, "alert-process.ts"),
    [JSON.stringify({ databaseUrl: database.url })],
    { stdio: "inherit" },
  );
  children.push(child);
  const ready = Promise.withResolvers<Running>();
  child.once("exit", (code) => ready.reject(new Error(`the process ended with ${code}`)));
  const running: Running = {
    child,
    charge(order) {
      const done = Promise.withResolvers<void>();
      child.once("message", (message: { failed?: string }) =>
        message.failed === undefined ? done.resolve() : done.reject(new Error(message.failed)),
      );
      child.send(order);
      return done.promise;
    },
  };
  child.once("message", () => ready.resolve(running));
  return ready.promise;
}

async function deliveries(member: MemberCaller): Promise<string[]> {
  const answer = await world.endpoint.ask(member, "GET", "/panel/api/alerts/deliveries?limit=1000");
  return answer
    .json<AlertDeliveryList>()
    .data.map(({ kind }) => kind)
    .toSorted();
}

test("a thousand requests on two processes across every threshold give one alert of each, and one mail", async () => {
  const [one, two, ...more] = await Promise.all([start(), start(), start()]);
  assert.equal(more.length, 1);
  const accountId = await newAccount(database.db, "5000");
  const owner = await addMember(database.db, accountId);
  await until(
    "it is looked at",
    async () =>
      (await world.endpoint.ask(owner, "GET", "/panel/api/alerts")).json<AlertList>().data
        .length === 2,
  );
  const wishes: readonly NewAlert[] = [
    { kind: "balance_below", threshold: "4500" },
    { kind: "spend_day", threshold: "600" },
    { kind: "spend_month", threshold: "1500" },
  ];
  for (const wish of wishes)
    assert.equal((await world.endpoint.ask(owner, "POST", "/panel/api/alerts", wish)).status, 201);
  await Promise.all(
    [one, two].map((process) => process?.charge({ accountId, roubles: "2", count: 500 })),
  );
  const all = ["balance_below", "spend_day", "spend_month", "spend_spike"];
  await until("all have fired", async () => (await deliveries(owner)).length >= all.length);
  await until("all is looked at", () => lookedAt(database.db, accountId));
  // And some more, now that all are past.
  await Promise.all(
    [one, two].map((process) => process?.charge({ accountId, roubles: "1", count: 50 })),
  );
  await until("all is looked at again", () => lookedAt(database.db, accountId));
  assert.deepEqual(await deliveries(owner), all);
  const mails = await database.db.query("SELECT 1 FROM mail.outbox WHERE recipient = $1", [
    owner.email,
  ]);
  assert.equal(mails.length, all.length);
  // What was counted behind the ledger is what the ledger says, to the last nano-rouble.
  const [sums] = await database.db.query<{ counted: bigint; charged: bigint }>(
    `SELECT (SELECT sum(charged_nano)::bigint FROM alerts.spend WHERE subject_id = $1 AND grain = 'day') AS counted,
       (SELECT charged_nano FROM ledger.accounts WHERE account_id = $1) AS charged`,
    [accountId],
  );
  assert.equal(sums?.counted, sums?.charged);
  assert.equal(sums?.charged, 2_100_000_000_000n);
});
