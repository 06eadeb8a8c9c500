/**
 * Guarantee: no account waits for its turn at an upstream behind another's backlog, and no more
 * tasks run there than the operator says; by all processes together.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { upstreamOf } from "../../../test/support/engine-scene.ts";
import { engineSuite } from "../../../test/support/engine-suite.ts";
import { RUNNING, succeeded } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import { newUuid } from "../../kernel/ids.ts";
import { leaseDue, moveTask } from "../../tasks/jobs.store.ts";
import { takeTurn, type TurnVerdict } from "../../tasks/submit-turns.store.ts";

const suite = engineSuite();

test("one account's backlog keeps another's single task waiting for one time of the rate, not for the backlog", async () => {
  const { scene } = suite;
  const rate = { count: 4, seconds: 1 };
  scene.catalogue.upstreams.set(
    "there",
    upstreamOf("there", scene.provider.host, { submitRate: rate }),
  );
  suite.start();
  suite.start();
  const accountId = newUuid();
  for (let count = 0; count < 60; count++) await scene.order({ accountId });
  await until("the backlog is on its way", async () => scene.provider.submissions.length >= 8);
  const before = scene.provider.submissions.length;
  const single = await scene.order();
  await scene.end(single);
  const attempt = (await scene.find(single)).attemptId;
  const place = scene.provider.submissions.findIndex(({ attemptId }) => attemptId === attempt);
  assert.ok(
    place >= 0 && place <= before + 2 * rate.count,
    `it was number ${place - before} after its order`,
  );
  assert.ok(scene.provider.submissions.length < 40, "most of the backlog still waits");
  // And the backlog is not kept back for nothing.
  await until(
    "the backlog goes on",
    async () => scene.provider.submissions.length >= before + 12,
    8_000,
  );
});

test("accounts take turns, however long each one's backlog is", async () => {
  const { scene } = suite;
  scene.catalogue.upstreams.set(
    "there",
    upstreamOf("there", scene.provider.host, { submitRate: { count: 4, seconds: 1 } }),
  );
  const accounts = [newUuid(), newUuid(), newUuid()];
  for (const [index, accountId] of accounts.entries()) {
    for (let count = 0; count < (index === 0 ? 40 : 10); count++) await scene.order({ accountId });
  }
  suite.start();
  suite.start();
  await until("thirty are given", async () => scene.provider.submissions.length >= 30, 30_000);
  const rows = await scene.db.query<{ accountId: string; count: bigint }>(
    `SELECT account_id AS "accountId", count(*) AS count FROM tasks.tasks WHERE account_id = ANY ($1) AND attempts > 0 GROUP BY 1`,
    [accounts],
  );
  for (const { count } of rows)
    assert.ok(count >= 8n, `one account had ${count} of about thirty turns`);
  assert.equal(rows.length, 3);
});

/** What a process asks for, without doing anything else. */
function ask(taskId: string, accountId: string, count: number): Promise<TurnVerdict> {
  const rate = { count, windowMs: 3_600_000 };
  return suite.scene.db.transaction((tx) =>
    takeTurn(tx, { upstream: "kept", taskId, accountId, rate, maxRunning: null }),
  );
}

async function pass(): Promise<void> {
  await suite.scene.db.query("UPDATE tasks.submit_turns SET taken = '{}' WHERE upstream = 'kept'");
}

test("a turn is kept for the account whose it is, three seconds at most: one whose process was killed holds up no other", async () => {
  const { scene } = suite;
  const [busy, other] = [newUuid(), newUuid()];
  const [first, second, third] = [
    await scene.order({ accountId: busy }),
    await scene.order({ accountId: busy }),
    await scene.order({ accountId: busy }),
  ];
  const single = await scene.order({ accountId: other });
  assert.equal((await ask(first, busy, 1)).waitMs, 0);
  assert.ok((await ask(second, busy, 1)).waitMs > 0);
  assert.deepEqual((({ mine, accounts }) => [mine, accounts])(await ask(single, other, 1)), [1, 2]);
  await pass();
  assert.ok((await ask(second, busy, 1)).waitMs > 0, "the turn is the other account's");
  assert.ok((await ask(third, busy, 1)).waitMs > 0);
  // Its process was killed: it never asks.
  const [row] = await scene.db.query<{ woken: boolean }>(
    "SELECT woken FROM tasks.jobs WHERE task_id = $1",
    [single],
  );
  assert.equal(row?.woken, true, "it was woken");
  await scene.db.query(
    "UPDATE tasks.submit_shares SET offered_at = offered_at - interval '4 seconds' WHERE upstream = 'kept'",
  );
  assert.equal((await ask(second, busy, 1)).waitMs, 0, "nobody waits for the dead");
  await pass();
  assert.equal(
    (await ask(single, other, 1)).waitMs,
    0,
    "when another process took it over it has its turn",
  );
  // With room for both, neither account stands back.
  await pass();
  assert.equal((await ask(third, busy, 2)).waitMs, 0);
});

test("maxRunning: two engines never have more under way than that, and all are made", async () => {
  const { scene } = suite;
  scene.catalogue.upstreams.set(
    "there",
    upstreamOf("there", scene.provider.host, { maxRunning: 3 }),
  );
  const most = { running: 0 };
  scene.provider.script.poll = async (_handle, asked) => {
    const [row] = await scene.db.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM tasks.jobs WHERE phase IN ('submitting', 'submit_unknown', 'running')",
    );
    most.running = Math.max(most.running, row?.count ?? 0);
    return asked === 1 ? RUNNING : succeeded(`${scene.provider.origin}/result.png`);
  };
  suite.start();
  suite.start();
  const tasks = await Promise.all(Array.from({ length: 12 }, () => scene.order()));
  await Promise.all(tasks.map((taskId) => scene.end(taskId)));
  assert.ok(most.running > 0 && most.running <= 3, `${most.running} at once`);
  await scene.assertSettled(tasks);
});

test("maxRunning: a task whose process was killed while it submitted counts until it is known what became of it", async () => {
  const { scene } = suite;
  scene.catalogue.upstreams.set(
    "there",
    upstreamOf("there", scene.provider.host, { maxRunning: 1 }),
  );
  const lost = await scene.order();
  const leaseId = newUuid();
  const [leased] = await leaseDue(scene.db, {
    leaseId,
    leaseMs: 3_000,
    lanes: [{ lane: "submit:picture", limit: 1 }],
  });
  assert.ok(leased?.taskId === lost);
  const attempt = {
    attemptId: newUuid(),
    upstream: "there",
    upstreamModel: "m",
    credentialName: "PROVIDER_KEY",
    upstreamCostNano: null,
  };
  const step = {
    accountId: leased.accountId,
    taskId: lost,
    leaseId,
    from: "ready",
    to: "submitting",
    lane: "submit:picture",
    dueInMs: null,
    attempt,
  } as const;
  await scene.db.transaction((tx) => moveTask(tx, step));
  const { steps } = suite.start();
  const next = await scene.order();
  await until(
    "it was told to wait",
    async () => steps.filter(({ outcome }) => outcome === "busy").length >= 2,
  );
  assert.equal(scene.provider.submissions.length, 0);
  await scene.phase(lost, "submit_unknown");
  await scene.age(lost, 700_000);
  await scene.end(lost);
  assert.equal((await scene.end(next)).state, "completed");
});
