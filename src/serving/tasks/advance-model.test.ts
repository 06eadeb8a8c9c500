/**
 * Any order of what engines, owners, callbacks and time do to a task gives what plain arithmetic
 * says: one end, one charge or release, no second submission after one whose outcome is unknown,
 * and nothing at all by an engine whose lease has run out (hazards §24).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { openEngineScene, PRICE, type EngineScene } from "../../../test/support/engine-scene.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { settleIn } from "../../ledger/holds.store.ts";
import { requestCancel } from "../../tasks/cancel.store.ts";
import {
  leaseDue,
  moveTask,
  notePolls,
  renewLeases,
  startTask,
  type LeasedTask,
} from "../../tasks/jobs.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { TaskPhase } from "../../tasks/task-record.ts";
import { findAnyTask, hearCallback, wakeTasks } from "../../tasks/tasks.store.ts";
import { completeIn, failTask } from "./settle-task.ts";

let scene: EngineScene;
before(async () => {
  scene = await openEngineScene();
});
after(() => scene[Symbol.asyncDispose]());

/** What must be true of the task. */
interface Model {
  phase: TaskPhase | null;
  end: "completed" | "failed" | null;
  leaseId: Uuid | null;
  due: boolean;
  woken: boolean;
  attemptId: Uuid | null;
  handle: boolean;
  unknown: boolean;
  cancelRequested: boolean;
}

/** An engine, and what it believes. */
interface Engine {
  leased: LeasedTask | null;
  /** The last attempt that it began. */
  attemptId: Uuid | null;
}

interface Real {
  readonly taskId: Uuid;
  readonly engines: readonly Engine[];
}

type Step = (model: Model, real: Real) => Promise<void>;

const ENGINES = 3;
const LATER_MS = 600_000;
const HERE = { accountId: "", model: "picture", upstream: "there" };
const lanes = ["submit:picture", "poll:there", "collect:there"].map((lane) => ({
  lane,
  limit: 100,
}));

function holds(model: Model, { leased }: Engine, phase: TaskPhase): boolean {
  return leased !== null && leased.leaseId === model.leaseId && model.phase === phase;
}

function leave(model: Model, phase: TaskPhase, later: boolean): void {
  Object.assign(model, { phase, leaseId: null, due: !later || model.woken, woken: false });
}

/** Moves it on as an engine does that believes to be at `from`. */
function move(from: TaskPhase, to: TaskPhase, later: boolean): (engine: number) => Step {
  return (engine) => async (model, real) => {
    const actor = real.engines[engine] as Engine;
    if (actor.leased === null) return;
    const { accountId, taskId, leaseId } = actor.leased;
    const dueInMs = later ? LATER_MS : 0;
    const step = { accountId, taskId, leaseId, from, to, lane: laneOf(to, HERE), dueInMs };
    const moved = await scene.db.transaction((tx) => moveTask(tx, step));
    assert.equal(moved, holds(model, actor, from), `${from} → ${to}`);
    if (!moved) return;
    if (to === "submit_unknown") model.unknown = true;
    leave(model, to, later);
  };
}

const lease =
  (engine: number): Step =>
  async (model, real) => {
    const leaseId = newUuid();
    const [leased] = (await leaseDue(scene.db, { leaseId, leaseMs: LATER_MS, lanes })).filter(
      ({ taskId }) => taskId === real.taskId,
    );
    assert.equal(leased !== undefined, model.phase !== null && model.due);
    if (leased === undefined) return;
    assert.deepEqual([leased.phase, leased.cancelRequested], [model.phase, model.cancelRequested]);
    Object.assign(model, { leaseId, due: false, woken: false });
    (real.engines[engine] as Engine).leased = leased;
  };

const begin =
  (engine: number): Step =>
  async (model, real) => {
    const actor = real.engines[engine] as Engine;
    if (actor.leased === null) return;
    const { accountId, taskId, leaseId } = actor.leased;
    const attemptId = newUuid();
    const attempt = {
      attemptId,
      upstream: "there",
      upstreamModel: "m",
      credentialName: "KEY",
      upstreamCostNano: null,
    };
    const step = {
      accountId,
      taskId,
      leaseId,
      from: "ready",
      to: "submitting",
      lane: "submit:picture",
      dueInMs: null,
      attempt,
    } as const;
    const begun = await scene.db.transaction((tx) => moveTask(tx, step));
    assert.equal(begun, holds(model, actor, "ready"));
    if (!begun) return;
    assert.equal(model.unknown, false, "what may have been submitted is never submitted again");
    assert.equal(model.handle, false);
    actor.attemptId = attemptId;
    Object.assign(model, { phase: "submitting", attemptId });
  };

const started =
  (engine: number): Step =>
  async (model, real) => {
    const { attemptId } = real.engines[engine] as Engine;
    if (attemptId === null) return;
    const { taskId } = real;
    const { accountId } = await scene.find(taskId);
    const start = {
      accountId,
      taskId,
      attemptId,
      handle: { upstreamTaskId: "far" },
      lane: "poll:there",
      dueInMs: 0,
    };
    const done = await scene.db.transaction((tx) => startTask(tx, start));
    const current = attemptId === model.attemptId;
    const waits = model.phase === "submitting" || model.phase === "submit_unknown";
    assert.equal(done, current && (waits || model.handle));
    if (!waits || !current) return;
    leave(model, "running", false);
    model.handle = true;
  };

const note =
  (engine: number): Step =>
  async (model, real) => {
    const actor = real.engines[engine] as Engine;
    if (actor.leased === null) return;
    const { accountId, taskId, leaseId } = actor.leased;
    const what = { dueInMs: LATER_MS, tries: 0, progress: 0.5, queuePosition: null, changed: true };
    await notePolls(scene.db, [{ accountId, taskId, leaseId, phase: "running", ...what }]);
    if (holds(model, actor, "running")) leave(model, "running", true);
  };

const complete =
  (engine: number): Step =>
  async (model, real) => {
    const actor = real.engines[engine] as Engine;
    if (actor.leased === null) return;
    const { leaseId } = actor.leased;
    const task = await scene.find(real.taskId);
    const file = {
      name: "x",
      contentType: "image/png",
      bytes: 1,
      width: 1,
      height: 1,
      durationSeconds: null,
      expiresAt: "",
    };
    const ending = await scene.db.transaction((tx) =>
      completeIn(tx, { task, leaseId, result: { files: [file] }, upstreamCost: null }),
    );
    assert.equal(ending.ended, holds(model, actor, "collecting"));
    if (!ending.ended) return;
    assert.equal(ending.mismatch, null);
    Object.assign(model, { phase: null, end: "completed", leaseId: null });
  };

const fail =
  (engine: number): Step =>
  async (model, real) => {
    const actor = real.engines[engine] as Engine;
    if (actor.leased === null) return;
    const { accountId, leaseId, phase } = actor.leased;
    const ending = await failTask(scene.db, {
      accountId,
      taskId: real.taskId,
      leaseId,
      phase,
      code: "provider_error",
    });
    assert.equal(ending.ended, holds(model, actor, phase));
    if (!ending.ended) return;
    assert.equal(ending.mismatch, null);
    Object.assign(model, { phase: null, end: "failed", leaseId: null });
  };

const cancel: Step = async (model, { taskId }) => {
  const { accountId } = await scene.find(taskId);
  const verdict = await scene.db.transaction(async (tx) => {
    const decided = await requestCancel(tx, { accountId, taskId });
    if (decided.kind === "canceled")
      await settleIn(tx, {
        accountId,
        holdId: taskId,
        chargeNano: ZERO_NANO,
        lossNano: ZERO_NANO,
      });
    return decided.kind;
  });
  assert.equal(
    verdict,
    model.phase === null ? "ended" : model.phase === "ready" ? "canceled" : "requested",
  );
  if (verdict === "canceled") Object.assign(model, { phase: null, end: "failed", leaseId: null });
  if (verdict !== "requested" || model.cancelRequested) return;
  model.cancelRequested = true;
  wakeModel(model);
};

function wakeModel(model: Model): void {
  model.woken = true;
  if (model.leaseId === null) model.due = true;
}

const wake: Step = async (model, { taskId }) => {
  await wakeTasks(scene.db, [taskId]);
  if (model.phase !== null) wakeModel(model);
};

const hear: Step = async (model) => {
  const attemptId = model.attemptId ?? newUuid();
  const heard = await hearCallback(scene.db, {
    upstream: "there",
    attemptId,
    upstreamTaskId: "far",
  });
  assert.equal(heard, model.attemptId !== null && model.phase !== null);
  if (heard) wakeModel(model);
};

/** The lease runs out; the engine that has it does not know. */
const expire: Step = async (model, { taskId }) => {
  await scene.db.query(
    "UPDATE tasks.jobs SET due_at = clock_timestamp() WHERE task_id = $1 AND lease_id IS NOT NULL",
    [taskId],
  );
  if (model.phase !== null && model.leaseId !== null) model.due = true;
};

const renew =
  (engine: number): Step =>
  async (model, { engines }) => {
    const actor = engines[engine] as Engine;
    if (actor.leased === null) return;
    const kept = await renewLeases(scene.db, [actor.leased], LATER_MS);
    const counts = model.phase !== null && actor.leased.leaseId === model.leaseId;
    assert.equal(kept.length === 1, counts);
    if (counts) model.due = false;
  };

/** Those of engines that believe to have the lease, rightly or not. */
const OF_ENGINES: Readonly<Record<string, (engine: number) => Step>> = {
  lease,
  begin,
  "not taken": move("submitting", "ready", false),
  unknown: move("submitting", "submit_unknown", false),
  started,
  note,
  collect: move("running", "collecting", false),
  again: move("collecting", "collecting", true),
  complete,
  fail,
  renew,
  next: (engine) => next(engine),
};
const OF_OTHERS: Readonly<Record<string, Step>> = { cancel, wake, hear, expire };
/**
 * The next step of the engine that has the lease when nothing comes in between; without a lease, an
 * engine takes it.
 */
const next =
  (engine: number): Step =>
  (model, real) => {
    const holder =
      model.leaseId === null
        ? -1
        : real.engines.findIndex(({ leased }) => leased?.leaseId === model.leaseId);
    if (holder < 0) return lease(engine)(model, real);
    switch (model.phase) {
      case "ready":
        return begin(holder)(model, real);
      case "submitting":
        return started(holder)(model, real);
      case "running":
        return move("running", "collecting", false)(holder)(model, real);
      default:
        return complete(holder)(model, real);
    }
  };

const someEngine = fc.nat(ENGINES - 1);
const someStep = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(fc.constant("next"), someEngine) },
  {
    weight: 12,
    arbitrary: fc.tuple(
      fc.constantFrom(
        "lease",
        "begin",
        "not taken",
        "started",
        "note",
        "collect",
        "again",
        "complete",
        "renew",
      ),
      someEngine,
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("fail", "unknown"), someEngine) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom("wake", "wake", "hear", "expire", "expire"),
      fc.constant(0),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom("cancel", "wake", "wake"), fc.constant(0)) },
);

test("every history of a task agrees with the model", async () => {
  const ends = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { minLength: 10, maxLength: 60 }), async (history) => {
      const taskId = await scene.order();
      const engines = Array.from({ length: ENGINES }, () => ({ leased: null, attemptId: null }));
      const real: Real = { taskId, engines };
      const model: Model = {
        phase: "ready",
        end: null,
        leaseId: null,
        due: true,
        woken: false,
        attemptId: null,
        handle: false,
        unknown: false,
        cancelRequested: false,
      };
      for (const [name, engine] of history) {
        await (OF_OTHERS[name] ?? OF_ENGINES[name]?.(engine))?.(model, real);
        await agrees(model, taskId);
      }
      const reached = model.end ?? model.phase ?? "";
      ends.set(reached, (ends.get(reached) ?? 0) + 1);
      await scene.db.query("DELETE FROM tasks.jobs WHERE task_id = $1", [taskId]);
    }),
    { numRuns: 80 },
  );
  // A history that never gets anywhere proves nothing.
  for (const reached of ["completed", "failed", "running"])
    assert.ok((ends.get(reached) ?? 0) > 0, `${reached}: ${[...ends].join(" ")}`);
});

async function agrees(model: Model, taskId: Uuid): Promise<void> {
  const task = await findAnyTask(scene.db, taskId);
  assert.ok(task !== null);
  assert.equal(task.phase, model.phase);
  assert.equal(task.state, model.end ?? (model.handle ? "processing" : "queued"));
  assert.equal(
    task.costState,
    model.end === null ? "held" : model.end === "completed" ? "charged" : "released",
  );
  const account = await balance(scene.db, task.accountId);
  assert.equal(account?.heldNano, model.end === null ? PRICE : ZERO_NANO);
  assert.equal(account?.chargedNano, model.end === "completed" ? PRICE : ZERO_NANO);
}
