/**
 * Guarantee: an upgrade leaves no secret of webhooks in the clear in the database, and receivers
 * notice nothing of it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { newWebhookSecret } from "../../src/serving/webhooks/sign-webhook.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { dumpDatabase } from "../support/dump-database.ts";
import { failedTask } from "../support/failed-task.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount } from "../support/new-customer.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import { until } from "../support/until.ts";

const MIGRATION = readFileSync(
  join(import.meta.dirname, "../../migrations/0097_sealed_webhook_secrets.sql"),
  "utf8",
);
/** As the migrations before had made them. */
const OLD_TABLES = ["tasks.webhook_secrets", "alerts.secrets"].map(
  (
    name,
  ) => `CREATE TABLE ${name} (account_id uuid PRIMARY KEY, secret text NOT NULL, made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    previous text, previous_until timestamptz, CHECK ((previous IS NULL) = (previous_until IS NULL)))`,
);
const ENV = { NOBODY_KEY: "none", FETCH_ALLOW: "127.0.0.0/8", SESSION_SECRET: "s".repeat(40) };

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: Received[] = [];
const gateways: Gateway[] = [];
let database: TestDatabase;
let receiver: Server;
let url: string;
before(async () => {
  database = await testDatabase();
  receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body: body.toString() });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
after(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  receiver.close();
  await database.drop();
});

async function start(env: Readonly<Record<string, string>>): Promise<Gateway> {
  const gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: PANEL_CATALOGUE,
    env,
  });
  gateways.push(gateway);
  return gateway;
}

/** The webhook of a task of the account that has failed. */
async function endOne(accountId: Uuid): Promise<Received> {
  const taskId = await failedTask(database.db, { accountId, callbackUrl: url });
  return until(
    "the webhook of a task",
    async () => received.find(({ body }) => body.includes(taskId)) ?? null,
  );
}

/** One about the account's money. */
async function alertOne(accountId: Uuid): Promise<Received> {
  const deliveryId = newUuid();
  await database.db.query(
    `INSERT INTO alerts.deliveries (delivery_id, account_id, kind, channel, target, test, value_nano, threshold_nano, body, due_at)
     VALUES ($1, $2, 'spend_day', 'webhook', $3, false, 1, 1, $4, now())`,
    [deliveryId, accountId, url, JSON.stringify({ deliveryId })],
  );
  return until(
    "the webhook of an alert",
    async () => received.find(({ body }) => body.includes(deliveryId)) ?? null,
  );
}

const accepts = (secret: string, { headers, body }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

test("two processes that start after the upgrade leave nothing in the clear, and sign as before; so does the command line read", async () => {
  const { db } = database;
  const accountId = await newAccount(db, "1");
  const [ofTasks, before, ofAlerts] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  await db.query("DROP SCHEMA webhooks CASCADE");
  for (const table of OLD_TABLES) await db.query(table);
  await db.query(
    "INSERT INTO tasks.webhook_secrets VALUES ($1, $2, now(), $3, now() + interval '1 hour')",
    [accountId, ofTasks, before],
  );
  await db.query("INSERT INTO alerts.secrets VALUES ($1, $2)", [accountId, ofAlerts]);
  await db.query(MIGRATION);
  assert.ok((await dumpDatabase(db)).includes(ofTasks), "it is where the upgrade found it");

  const [one, two] = await Promise.all([start(ENV), start(ENV)]);
  const dump = await dumpDatabase(db);
  for (const secret of [ofTasks, before, ofAlerts])
    assert.ok(!dump.includes(secret.replace("whsec_", "")));
  const sealed = [one, two].flatMap((gateway) =>
    gateway.log().flatMap((line) => ("sealed" in line ? [Number(line["sealed"])] : [])),
  );
  assert.equal(
    sealed.reduce((sum, each) => sum + each, 0),
    2,
    "each row once",
  );

  const ended = await endOne(accountId);
  assert.deepEqual(
    [accepts(ofTasks, ended), accepts(before, ended), accepts(ofAlerts, ended)],
    [true, true, false],
  );
  const alerted = await alertOne(accountId);
  assert.deepEqual([accepts(ofAlerts, alerted), accepts(ofTasks, alerted)], [true, false]);

  const command = createTollgateCommand({ ...one.env });
  const shown = async (): Promise<unknown> =>
    ((await command.json("webhooks", "secret", accountId)) as { secret: string }).secret;
  assert.equal(await shown(), ofTasks);
  const stranger = createTollgateCommand({ ...one.env, SESSION_SECRET: "t".repeat(40) });
  const refused = await stranger.run("webhooks", "secret", accountId);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.equal(await shown(), ofTasks, "it was only looked for");
  await Promise.all([one.stop(), two.stop()]);
});

test("after a start with another SESSION_SECRET webhooks go on: with a fresh secret, told in the log without it, which the owner can have", async () => {
  const accountId = await newAccount(database.db, "1");
  const gateway = await start(ENV);
  const command = createTollgateCommand({ ...gateway.env });
  const kept = (await command.run("webhooks", "secret", accountId)).stdout.trim();
  assert.ok(accepts(kept, await endOne(accountId)));
  await gateway.stop();

  const changed = await start({ ...ENV, SESSION_SECRET: "t".repeat(40) });
  const ended = await endOne(accountId);
  const alerted = await alertOne(accountId);
  assert.deepEqual([accepts(kept, ended), accepts(kept, alerted)], [false, false]);
  const reported = await changed.logged((line) =>
    String(line.msg).includes("SESSION_SECRET was changed"),
  );
  assert.deepEqual([reported["accountId"], reported["purpose"]], [accountId, "tasks"]);
  const fresh = (
    await createTollgateCommand({ ...changed.env }).run("webhooks", "secret", accountId)
  ).stdout.trim();
  assert.ok(accepts(fresh, ended));
  assert.ok(!changed.output().includes(fresh.replace("whsec_", "")));
  assert.ok(accepts(fresh, await endOne(accountId)), "and it stays");
  await changed.stop();
});
