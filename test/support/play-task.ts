/**
 * Plays the engine for tests of what stands around it: moves one task on by the very rows and money
 * that the engine moves.
 */
import assert from "node:assert/strict";
import type { Db } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { settleIn } from "../../src/ledger/holds.store.ts";
import { endTask, type TaskEnd } from "../../src/tasks/end.store.ts";
import { leaseDue, moveTask, notePolls, startTask } from "../../src/tasks/jobs.store.ts";
import type { TaskPhase } from "../../src/tasks/task-record.ts";
import { findAnyTask } from "../../src/tasks/tasks.store.ts";

const LEASE_MS = 60_000;

export interface PlayedTask {
  readonly attemptId: Uuid;
}

/** An upstream has it. */
export async function playStart(db: Db, taskId: Uuid): Promise<PlayedTask> {
  const { accountId, lane, leaseId } = await leased(db, taskId);
  const attemptId = crypto.randomUUID();
  const attempt = {
    attemptId,
    upstream: "media",
    upstreamModel: "m",
    credentialName: "KEY",
    upstreamCostNano: null,
  };
  await db.transaction(async (tx) => {
    const phase = await phaseOf(db, taskId);
    assert.ok(
      await moveTask(tx, {
        accountId,
        taskId,
        leaseId,
        from: phase,
        to: "submitting",
        lane,
        dueInMs: null,
        attempt,
      }),
    );
  });
  await db.transaction(async (tx) => {
    const handle = { upstreamTaskId: "there-1" };
    assert.ok(
      await startTask(tx, {
        accountId,
        taskId,
        attemptId,
        handle,
        lane: "poll:media",
        dueInMs: LEASE_MS,
      }),
    );
  });
  return { attemptId };
}

export async function playProgress(db: Db, taskId: Uuid, progress: number): Promise<void> {
  const { accountId, leaseId } = await leased(db, taskId);
  const note = {
    accountId,
    taskId,
    leaseId,
    phase: "running",
    dueInMs: LEASE_MS,
    tries: 0,
    progress,
    queuePosition: null,
    changed: true,
  } as const;
  await notePolls(db, [note]);
}

const FILE = {
  name: `${"0123456789abcdef".repeat(2)}.png`,
  contentType: "image/png",
  bytes: 100,
  width: 16,
  height: 9,
  durationSeconds: null,
  expiresAt: "2030-01-01T00:00:00.000Z",
};

/** Without a word: it is completed, and charged with its price. */
export async function playEnd(
  db: Db,
  taskId: Uuid,
  failure?: { readonly code: "provider_error" | "internal"; readonly message: string },
): Promise<void> {
  const task = await findAnyTask(db, taskId);
  assert.ok(task !== null);
  const phase = await phaseOf(db, taskId);
  const end: TaskEnd =
    failure === undefined
      ? {
          state: "completed",
          result: { files: [FILE] },
          chargedNano: task.priceNano,
          upstreamCost: null,
        }
      : { state: "failed", ...failure, watch: null };
  await db.transaction(async (tx) => {
    assert.ok(await endTask(tx, { accountId: task.accountId, taskId, leaseId: null, phase, end }));
    const chargeNano = end.state === "completed" ? end.chargedNano : (0n as typeof task.priceNano);
    const settled = await settleIn(tx, {
      accountId: task.accountId,
      holdId: taskId,
      chargeNano,
      lossNano: 0n as typeof task.priceNano,
    });
    assert.equal(settled.kind, "settled");
  });
}

async function phaseOf(db: Db, taskId: Uuid): Promise<TaskPhase> {
  const phase = (await findAnyTask(db, taskId))?.phase ?? null;
  assert.ok(phase !== null, "it has ended");
  return phase;
}

/** Whatever lease there is: no other engine is there. */
async function leased(
  db: Db,
  taskId: Uuid,
): Promise<{ readonly accountId: Uuid; readonly lane: string; readonly leaseId: Uuid }> {
  const [job] = await db.query<{ lane: string }>(
    "UPDATE tasks.jobs SET due_at = clock_timestamp(), lease_id = NULL WHERE task_id = $1 RETURNING lane",
    [taskId],
  );
  assert.ok(job !== undefined);
  const leaseId = newUuid();
  const tasks = await leaseDue(db, {
    leaseId,
    leaseMs: LEASE_MS,
    lanes: [{ lane: job.lane, limit: 100 }],
  });
  const task = tasks.find((one) => one.taskId === taskId);
  assert.ok(task !== undefined);
  return { accountId: task.accountId, lane: job.lane, leaseId };
}
