/**
 * Orders a task: checks it, and then, in one transaction, holds its price, writes it down with its
 * first step, and keeps the answer for a repetition.
 */
import { findAccountLimits } from "../../accounts/store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import type { RecordClaim } from "../../idempotency/record.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import type { TaskKey } from "../../tasks/task-record.ts";
import type { Nano } from "../../kernel/money.ts";
import { NO_RATE_LIMITS, type RateStanding } from "../../kernel/rate-limits.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { holdIn } from "../../ledger/holds.store.ts";
import { withRoom } from "../../ledger/recall.ts";
import { findTask, insertTask, tellWorkers } from "../../tasks/tasks.store.ts";
import { refuseHold } from "../chat/refuse-hold.ts";
import { keepMade } from "../files/keep-made.ts";
import type { Idempotency } from "../admission/idempotency.ts";
import type { RateGate } from "../admission/rate-gate.ts";
import { checkUnfinished } from "./check-unfinished.ts";
import {
  checkOrdering,
  readOrder,
  type Order,
  type OrderCall,
  type OrderDeps,
} from "./read-order.ts";

export interface CreateTaskDeps extends OrderDeps {
  readonly db: Db;
  readonly ownerId: Uuid;
  readonly limits: RateGate;
  readonly idempotency: Pick<Idempotency, "begin" | "forget">;
  /** Nothing new is taken: the process is about to stop. */
  isDraining(): boolean;
  /** An order was kept out by the limit of unfinished tasks. */
  onTasksRefused(of: "key" | "account"): void;
  onError(what: string, error: unknown): void;
}

export interface CreateTaskCall extends OrderCall {
  readonly key: KeyRecord;
  readonly requestId: Uuid;
  /** As `readIdempotencyKey` gives it. */
  readonly idempotencyKey: string | null;
  /**
   * What makes two orders with one idempotency key the same, where that is not their body: an order
   * that was sent in another form than a task's.
   */
  readonly sameness?: Buffer;
}

export interface CreatedTask {
  readonly taskId: Uuid;
  /** What is held for it, and charged when it is completed. */
  readonly priceNano: Nano;
  /** How the caller stands to its rate limits; null where there are none, and for a repetition. */
  readonly standing: RateStanding | null;
  /** The request that was answered so before, by the same idempotency key. */
  readonly replayOf: Uuid | null;
}

/** What is kept as the answer: only this room reads it again. */
interface KeptCreation {
  readonly taskId: Uuid;
  readonly priceNano: string;
}

/**
 * Faults: those of readOrder, `rate_limit_exceeded`, `insufficient_balance`, `key_limit_exceeded`,
 * those of idempotency, `overloaded`.
 */
export async function createTask(deps: CreateTaskDeps, call: CreateTaskCall): Promise<CreatedTask> {
  if (deps.isDraining())
    throw new Fault("overloaded", {
      message: "The gateway is restarting. Try again.",
      retryAfterSeconds: 1,
    });
  if (call.idempotencyKey === null) return admit(deps, call, await readOrder(deps, call), null);
  const { model } = checkOrdering(deps, call);
  const claim = {
    accountId: call.key.accountId,
    key: call.idempotencyKey,
    requestId: call.requestId,
  };
  const digest = digestRequest(`tasks/${model.id}`, call.sameness ?? call.body);
  // Before the order is read: what was taken once is answered so again, though a file that it names
  // may be gone by now.
  const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
  if (replay !== null) {
    const { taskId, priceNano } = JSON.parse(replay.answer.body.toString()) as KeptCreation;
    return {
      taskId,
      priceNano: BigInt(priceNano) as Nano,
      standing: null,
      replayOf: replay.requestId,
    };
  }
  try {
    return await admit(deps, call, await readOrder(deps, call), claim);
  } catch (error) {
    // A caller that mends the order, tops up or waits may try the same key again.
    await deps.idempotency.forget(claim);
    throw error;
  }
}

async function admit(
  deps: CreateTaskDeps,
  call: CreateTaskCall,
  order: Order,
  claim: RecordClaim | null,
): Promise<CreatedTask> {
  const accountLimits = (await findAccountLimits(deps.db, call.key.accountId)) ?? NO_RATE_LIMITS;
  // What runs at once is bounded for chat; of tasks the unfinished ones count.
  const counted = {
    ...call.key,
    maxConcurrent: null,
    accountLimits: { ...accountLimits, maxConcurrent: null },
  };
  const pass = await deps.limits.admit(counted, call.requestId, 0);
  const taskId = newUuid();
  const created = { taskId, priceNano: order.priceNano, standing: pass.standing, replayOf: null };
  try {
    await withRoom(deps.db, call.key.accountId, () =>
      deps.db.transaction((tx) => write(deps, tx, taskId, call, order, claim)),
    );
    // Who works looks now and then without being told, too.
    await tellWorkers(deps.db).catch((error: unknown) =>
      deps.onError("a new task could not be told to the workers", error),
    );
    return created;
  } catch (error) {
    // The connection may have broken when all was written: then the task is there, and a caller
    // that asks again would order it twice.
    if (
      toFault(error).status < 500 ||
      !(await exists(deps, { accountId: call.key.accountId, taskId }))
    )
      throw error;
    return created;
  } finally {
    await pass.end(NO_USAGE);
  }
}

async function write(
  deps: Pick<CreateTaskDeps, "onTasksRefused">,
  tx: Tx,
  taskId: Uuid,
  call: CreateTaskCall,
  order: Order,
  claim: RecordClaim | null,
): Promise<void> {
  const { accountId, keyId, groupId } = call.key;
  const { priceNano, priceVersion } = order;
  const verdict = await holdIn(tx, {
    holdId: taskId,
    accountId,
    budgetId: keyId,
    groupId,
    fullNano: null,
    sliceNano: priceNano,
    minimumNano: priceNano,
    reference: `task:${taskId}`,
    priceVersion,
    detail: JSON.stringify({ task: taskId, model: order.model.id }),
  });
  if (verdict.kind !== "held") throw refuseHold(verdict, priceNano);
  await checkUnfinished(tx, call.key, deps.onTasksRefused);
  await insertTask(tx, {
    taskId,
    accountId,
    keyId,
    requestId: call.requestId,
    model: order.model.id,
    parameterTable: order.table.id,
    parameters: order.parameters,
    hasMedia: order.hasMedia,
    callbackUrl: order.callbackUrl,
    priceVersion,
    priceNano,
    priceByFilesNano: order.priceByFilesNano,
    deadlineSeconds: order.model.deadlineSeconds,
  });
  if (claim === null) return;
  const kept: KeptCreation = { taskId, priceNano: String(priceNano) };
  await keepMade(tx, claim, kept, "order");
}

/** Whether it is, as far as can be said now. */
async function exists(
  deps: Pick<CreateTaskDeps, "db">,
  { accountId, taskId }: TaskKey,
): Promise<boolean> {
  try {
    return (await findTask(deps.db, accountId, taskId)) !== null;
  } catch {
    return false;
  }
}
