/**
 * Guarantee: a key and an account never have more unfinished tasks than their limit, with two
 * processes that take orders at once and one that is killed; the refusal is a 429 with
 * `retry-after`, holds nothing, and ends when a task does. Chat's `--concurrency` does not count
 * tasks.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newKey } from "../support/new-customer.ts";
import { openTasksScene, type TasksScene } from "./tasks-scene.ts";
import type { Gateway } from "../support/gateway-process.ts";
import { changeAccountLimits } from "../../src/business/accounts/change-account-limits.ts";

let scene: TasksScene;
let gateways: Gateway[];
before(async () => {
  scene = await openTasksScene();
  gateways = [await scene.start({ roles: "api" }), await scene.start({ roles: "api" })];
});
after(() => scene[Symbol.asyncDispose]());

interface Ordered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly msg: string; readonly data: { readonly taskId: string } | null };
}

async function order(gateway: Gateway | undefined, secret: string): Promise<Ordered> {
  const response = await fetch(`${gateway?.url}/v1/tasks/nano-banana-2`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "A boat." }),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: (await response.json()) as Ordered["body"],
  };
}

async function cancel(secret: string, taskId: string | undefined): Promise<void> {
  const response = await fetch(`${scene.url}/v1/tasks/${taskId}/cancel`, {
    method: "POST",
    headers: { "x-api-key": secret },
  });
  assert.equal(response.status, 200, await response.text());
}

const taken = (orders: readonly Ordered[]): Ordered[] =>
  orders.filter(({ status }) => status === 200);

test("of thirty orders at two processes as many are taken as the key may have, and another when one has ended", async () => {
  const customer = await scene.customer();
  const { secret } = await newKey(scene.db, customer.accountId, { maxTasks: 5, maxConcurrent: 1 });
  const orders = await Promise.all(
    Array.from({ length: 30 }, (_, index) => order(gateways[index % 2], secret)),
  );
  assert.equal(taken(orders).length, 5);
  const refused = orders.filter(({ status }) => status !== 200);
  for (const { status, retryAfter, body } of refused) {
    assert.equal(status, 429);
    assert.match(retryAfter ?? "", /^[1-9]\d*$/);
    assert.equal(body.data, null);
    assert.equal(
      body.msg,
      "This API key may have 5 unfinished tasks, and has. Try again when one of them has ended.",
    );
  }
  let counted = 0;
  for (const gateway of gateways) {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    counted += Number(
      /^tollgate_rate_limited_total\{of="key",kind="tasks"\} (\d+)/m.exec(text)?.[1] ?? 0,
    );
  }
  assert.equal(counted, 25, "every refusal is counted");
  const price = (await customer.read(taken(orders)[0]?.body.data?.taskId ?? "")).cost.amount;
  assert.equal(
    Number((await customer.money()).held),
    5 * Number(price),
    "what was refused holds nothing",
  );
  assert.equal((await order(gateways[0], secret)).status, 429);
  await cancel(secret, taken(orders)[0]?.body.data?.taskId);
  assert.equal((await order(gateways[1], secret)).status, 200);
  assert.equal((await order(gateways[0], secret)).status, 429);
  // Its other keys may go on.
  assert.equal((await order(gateways[0], customer.secret)).status, 200);
});

test("an account's limit is that of all its keys, and a killed process leaves it right", async () => {
  const customer = await scene.customer();
  const other = await newKey(scene.db, customer.accountId);
  await changeAccountLimits(scene.db, customer.accountId, { maxTasks: 4 });
  const doomed = await scene.start({ roles: "api" });
  const secrets = [customer.secret, other.secret];
  // Killed while it takes orders: each of them is there in full, or not at all.
  const orders = Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => order(doomed, secrets[index % 2] ?? "")),
  );
  setTimeout(() => void doomed.kill(), 15);
  await orders;
  await scene.start({ roles: "api" });
  const more = await Promise.all(
    Array.from({ length: 12 }, (_, index) => order(gateways[index % 2], secrets[index % 2] ?? "")),
  );
  const [row] = await scene.db.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM tasks.tasks WHERE account_id = $1 AND state IN ('queued', 'processing')",
    [customer.accountId],
  );
  assert.equal(row?.count, 4);
  assert.ok(taken(more).length <= 4);
  const reported = more.find(({ status }) => status === 429);
  assert.match(
    reported?.body.msg ?? "",
    /^This account, over all its API keys, may have 4 unfinished tasks/,
  );
  await scene.assertBooks();
});
