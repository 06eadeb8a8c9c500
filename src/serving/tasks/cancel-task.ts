/**
 * Cancels a task for its owner: certain, and free, before anybody has begun it; a wish afterwards.
 * What it says of the money is true in both cases.
 */
import type { Db } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import { settleIn } from "../../ledger/holds.store.ts";
import { requestCancel } from "../../tasks/cancel.store.ts";
import type { CancelVerdict, TaskRecord } from "../../tasks/task-record.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import type { TaskEndReport } from "./advance-deps.ts";
import { receiptOfTask } from "./settle-task.ts";
import { taskView, type TaskView } from "./task-view.ts";

export interface Cancellation {
  readonly outcome: Exclude<CancelVerdict["kind"], "missing">;
  readonly message: string;
  readonly task: TaskView;
}

/** Null: the account has no such task. */
export async function cancelTask(
  deps: { readonly db: Db; staticUrl(): string; onEnded(report: TaskEndReport): void },
  accountId: Uuid,
  taskId: string,
): Promise<Cancellation | null> {
  const owned = await findTask(deps.db, accountId, taskId);
  if (owned === null) return null;
  const { verdict, releasedNano } = await deps.db.transaction(async (tx) => {
    const decided = await requestCancel(tx, { taskId: owned.taskId, accountId });
    if (decided.kind !== "canceled") return { verdict: decided, releasedNano: ZERO_NANO };
    const settled = await settleIn(
      tx,
      { accountId, holdId: owned.taskId, chargeNano: ZERO_NANO, lossNano: ZERO_NANO },
      await receiptOfTask(tx, accountId, owned.taskId),
    );
    assert(settled.kind === "settled", "a task that has not ended has its hold");
    return { verdict: decided, releasedNano: settled.releasedNano };
  });
  if (verdict.kind === "canceled")
    deps.onEnded({ model: owned.model, outcome: "canceled", chargedNano: ZERO_NANO, releasedNano });
  const task = await findTask(deps.db, accountId, taskId);
  if (verdict.kind === "missing" || task === null) return null;
  return {
    outcome: verdict.kind,
    message: messageFor(verdict.kind, task),
    task: taskView(task, deps.staticUrl()),
  };
}

function messageFor(outcome: Cancellation["outcome"], task: TaskRecord): string {
  const price = `${formatRoubles(task.priceNano)} RUB`;
  switch (outcome) {
    case "canceled":
      return `The task is canceled; nobody had begun it. Nothing is charged, and ${price} are available again.`;
    case "requested":
      return `The task was begun already. Its maker is asked to stop: if that works, nothing is charged; if it is completed all the same, it is charged. Until then ${price} stay held.`;
    case "ended":
      return task.state === "completed"
        ? `The task was completed before, and ${formatRoubles(task.chargedNano ?? task.priceNano)} RUB were charged.`
        : "The task had failed before; nothing was charged.";
  }
}
