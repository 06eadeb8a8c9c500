/**
 * Webhooks to real servers: signed so that a public SDK accepts them, sent again where they fail,
 * and not held up by one that is down.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, beforeEach, test } from "node:test";
import OpenAI from "openai";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { failedTask } from "../../../test/support/failed-task.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../../kernel/clock.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { createSeal } from "../../kernel/seal.ts";
import { createSafeFetch, type SafeFetch } from "../../net/safe-fetch.ts";
import { changeSecret, findSecrets, makeSecret, type Signer } from "../webhooks/secrets.store.ts";
import type { WebhookCourier } from "../webhooks/webhook-courier.ts";
import { createWebhookDelivery } from "./deliver-webhooks.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { newWebhookSecret } from "../webhooks/sign-webhook.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Null: no answer at all. */
  answer: number | null;
  close(): void;
}

const seal = createSeal("a secret of at least thirty-two characters");
let database: TestDatabase;
let safeFetch: SafeFetch;
const receivers: Receiver[] = [];
before(async () => {
  database = await testDatabase();
  safeFetch = createSafeFetch({ allow: ["127.0.0.0/8"] });
});
beforeEach(async () => {
  await database.db.query("UPDATE tasks.webhooks SET due_at = NULL");
});
after(async () => {
  for (const receiver of receivers) receiver.close();
  await safeFetch.close();
  await database.drop();
});

async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body: body.toString() });
      if (receiver.answer !== null)
        response
          .writeHead(receiver.answer, { location: "http://127.0.0.1:1/elsewhere" })
          .end("heard");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 204,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  receivers.push(receiver);
  return receiver;
}

interface Process extends WebhookCourier {
  readonly tried: string[];
  readonly errors: unknown[];
}

function openDelivery(): Process {
  const tried: string[] = [];
  const errors: unknown[] = [];
  const delivery = createWebhookDelivery({
    db: database.db,
    signing: { db: database.db, seal, onReplaced: () => errors.push("a secret did not open") },
    safeFetch,
    clock: systemClock,
    staticUrl: () => "https://files.test/static",
    onTried: (outcome) => tried.push(outcome),
    onError: (_what, error) => errors.push(error),
  });
  return {
    tried,
    errors,
    tick: () => delivery.tick(),
    stop: () => delivery.stop(),
    get active() {
      return delivery.active;
    },
  };
}

async function ended(
  url: string,
  accountId: Uuid = newUuid(),
): Promise<{ readonly taskId: Uuid; readonly accountId: Uuid }> {
  const taskId = await failedTask(database.db, { accountId, callbackUrl: url });
  return { taskId, accountId };
}

const signerOf = (accountId: Uuid): Signer => ({ accountId, purpose: "tasks" });
const log = async ({ taskId, accountId }: { taskId: Uuid; accountId: Uuid }) =>
  (await listDeliveries(database.db, accountId, taskId))?.[0];
const makeDue = (): Promise<unknown[]> =>
  database.db.query(
    "UPDATE tasks.webhooks SET due_at = clock_timestamp() WHERE due_at IS NOT NULL",
  );
const idle = (delivery: Process): Promise<true> =>
  until("nothing is under way", async () => delivery.active === 0 || null);

test("a webhook is signed so that a public SDK accepts it, and tells the task as the API does", async () => {
  const receiver = await openReceiver();
  const delivery = openDelivery();
  const task = await ended(receiver.url);
  await delivery.tick();
  await idle(delivery);
  const [got] = receiver.received;
  assert.ok(got !== undefined);
  const secret =
    (await findSecrets(database.db, seal, signerOf(task.accountId)))?.secret ?? assert.fail();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const sdk = new OpenAI({ apiKey: "x", webhookSecret: secret });
  await sdk.webhooks.verifySignature(got.body, got.headers);
  await assert.rejects(
    sdk.webhooks.verifySignature(got.body.replace("a cat", "a dog"), got.headers),
  );
  const body = JSON.parse(got.body) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };
  assert.deepEqual(
    [body.type, body.data["taskId"], body.data["state"]],
    ["task.failed", task.taskId, "failed"],
  );
  assert.equal(body.timestamp, body.data["completedAt"]);
  const delivered = await log(task);
  assert.deepEqual(
    [delivered?.state, delivered?.id, delivered?.nextTryAt],
    ["delivered", got.headers["webhook-id"], null],
  );
  assert.deepEqual(
    delivered?.tries.map(({ status, error }) => ({ status, error })),
    [{ status: 204, error: null }],
  );
  await delivery.tick();
  await idle(delivery);
  assert.equal(receiver.received.length, 1, "once is enough");
  assert.deepEqual(delivery.errors, []);
});

test("after a change both secrets sign, so that receivers can follow; given up at once, the old one does not", async () => {
  const receiver = await openReceiver();
  const delivery = openDelivery();
  const task = await ended(receiver.url);
  const old = newWebhookSecret();
  const signer = signerOf(task.accountId);
  await makeSecret(database.db, seal, signer, old);
  const changed = await changeSecret(database.db, seal, signer, {
    secret: newWebhookSecret(),
    previousSeconds: 3600,
  });
  assert.equal(changed.previous, old);
  await delivery.tick();
  await idle(delivery);
  const [got] = receiver.received;
  assert.ok(got !== undefined);
  const verify = (secret: string, { body, headers }: Received): Promise<void> =>
    new OpenAI({ apiKey: "x" }).webhooks.verifySignature(body, headers, secret);
  await verify(old, got);
  await verify(changed.secret, got);
  const last = await changeSecret(database.db, seal, signer, {
    secret: newWebhookSecret(),
    previousSeconds: 0,
  });
  assert.equal(last.previous, null);
  await ended(receiver.url, task.accountId);
  await delivery.tick();
  await idle(delivery);
  const next = receiver.received[1];
  assert.ok(next !== undefined);
  await verify(last.secret, next);
  await assert.rejects(verify(changed.secret, next));
});

test("what is not a 2xx is tried again for about a day with the same id, and then given up; 410 stops it at once", async () => {
  const receiver = await openReceiver();
  const delivery = openDelivery();
  const task = await ended(receiver.url);
  const pausesMs: number[] = [];
  for (const answer of [500, 302, 404, 429, 503, 400, 500, 500, 500]) {
    receiver.answer = answer;
    await makeDue();
    await delivery.tick();
    await idle(delivery);
    const next = (await log(task))?.nextTryAt;
    if (next !== null && next !== undefined) pausesMs.push(Date.parse(next) - Date.now());
  }
  assert.equal((await log(task))?.state, "given_up");
  assert.equal((await log(task))?.tries.length, 9);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 1);
  const wanted = [5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200];
  assert.equal(pausesMs.length, wanted.length);
  for (const [index, seconds] of wanted.entries()) {
    const pause = (pausesMs[index] ?? 0) / 1000;
    assert.ok(pause > seconds * 0.85 - 2 && pause < seconds * 1.15, `pause ${index}: ${pause} s`);
  }
  await makeDue();
  await delivery.tick();
  assert.equal(receiver.received.length, 9);

  receiver.answer = 410;
  const other = await ended(receiver.url);
  await delivery.tick();
  await idle(delivery);
  assert.deepEqual([(await log(other))?.state, delivery.tried.at(-1)], ["given_up", "over"]);
});

test("addresses that the guard refuses are not called, and the log says which rule", async () => {
  const delivery = openDelivery();
  const inner = await ended("http://10.1.2.3/hook");
  await delivery.tick();
  await idle(delivery);
  assert.deepEqual(
    (await log(inner))?.tries.map(({ status, error }) => ({ status, error })),
    [{ status: null, error: "address_not_public" }],
  );
  assert.equal((await log(inner))?.state, "pending");
});

test("a server that does not answer holds up none but its own, and never more than a few of them", async () => {
  const [dead, living] = [await openReceiver(), await openReceiver()];
  dead.answer = null;
  const delivery = openDelivery();
  await Promise.all(Array.from({ length: 60 }, () => ended(dead.url)));
  await delivery.tick();
  await until("the dead one is called", async () => dead.received.length === 4 || null);
  await Promise.all(Array.from({ length: 20 }, () => ended(living.url)));
  await until("the living one has heard all", async () => {
    await delivery.tick();
    return living.received.length === 20 || null;
  });
  assert.equal(dead.received.length, 4);
  await until("only the dead one is under way", async () => delivery.active === 4 || null);
  const stopped = performance.now();
  await delivery.stop();
  assert.ok(performance.now() - stopped < 5_000, "nobody waits for the dead one");
  const [left] = await database.db.query<{ due: bigint; tried: bigint }>(
    `SELECT count(*) FILTER (WHERE due_at <= clock_timestamp()) AS due, sum(tries) AS tried FROM tasks.webhooks WHERE url = $1`,
    [dead.url],
  );
  assert.deepEqual(
    [Number(left?.due), Number(left?.tried)],
    [60, 0],
    "what was broken off counts as not tried",
  );
});

test("several processes deliver each webhook once", async () => {
  const receiver = await openReceiver();
  const processes = [openDelivery(), openDelivery(), openDelivery()];
  await Promise.all(Array.from({ length: 30 }, () => ended(receiver.url)));
  await until("all were told", async () => {
    await Promise.all(processes.map((each) => each.tick()));
    return receiver.received.length >= 30 || null;
  });
  for (const each of processes) await idle(each);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 30);
  assert.equal(receiver.received.length, 30);
});
