/**
 * Images that a caller waits for: a task, ordered as any other, and then waited for. The task does
 * not end with the wait.
 */
import { toFault, Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { ANSWER_WAIT_MS } from "../../kernel/limits.ts";
import {
  createTask,
  type CreatedTask,
  type CreateTaskCall,
  type CreateTaskDeps,
} from "./create-task.ts";
import { readTask, type ReadTaskDeps } from "./read-task.ts";
import type { TaskView } from "./task-view.ts";

export type MakeImagesDeps = CreateTaskDeps & ReadTaskDeps;

/**
 * Throws what `createTask` throws, and the fault of a caller that could not wait, before anything
 * is held.
 */
export async function orderImages(
  deps: MakeImagesDeps,
  call: Omit<CreateTaskCall, "callbackUrl">,
): Promise<CreatedTask> {
  deps.watch.check(call.key.accountId);
  return createTask(deps, { ...call, callbackUrl: null });
}

export interface ImagesWait {
  readonly accountId: Uuid;
  readonly taskId: Uuid;
  /** A second try with the same key gets the same task, so that it may be made. */
  readonly idempotent: boolean;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  readonly waitMs?: number;
}

/**
 * The task when it is completed. Faults: why it failed; `upstream_timeout` where it has not ended,
 * which names the task: it goes on, and a second order would be paid a second time.
 */
export async function awaitImages(deps: ReadTaskDeps, wait: ImagesWait): Promise<TaskView> {
  const { accountId, taskId, signal, waitMs = ANSWER_WAIT_MS } = wait;
  let task: TaskView | null;
  try {
    task = await readTask(deps, { accountId, taskId, waitMs, signal });
  } catch (error) {
    throw goesOn(wait, toFault(error));
  }
  if (task?.state === "completed") return task;
  const error = task?.error ?? null;
  if (error !== null) throw failed(error);
  throw goesOn(wait, null);
}

function goesOn({ taskId, idempotent }: ImagesWait, cause: Fault | null): Fault {
  return new Fault("upstream_timeout", {
    message: `The images are not made yet. Task ${taskId} goes on, and is charged when it is completed: ask GET /v1/tasks/${taskId} for them.`,
    retryable: idempotent,
    ...(cause === null ? {} : { cause }),
  });
}

/** As OpenAI names what its own safety system refuses. */
const BLOCKED = { code: "moderation_blocked", type: "image_generation_user_error", fields: {} };

function failed({ code, message }: NonNullable<TaskView["error"]>): Fault {
  switch (code) {
    case "content_blocked":
      return new Fault("invalid_request", { message, reported: BLOCKED });
    case "invalid_input":
    case "input_unreachable":
    case "input_rejected":
    case "provider_rejected":
      return new Fault("invalid_request", {
        message,
        reported: { code, type: null, fields: {} },
      });
    case "storage_quota_exceeded":
      return new Fault("storage_quota_exceeded", { message });
    case "canceled":
      return new Fault("conflict", { message, reported: { code, type: null, fields: {} } });
    case "provider_timeout":
      return new Fault("upstream_timeout", { message });
    case "provider_error":
    case "result_expired":
      return new Fault("upstream_error", { message });
    case "internal":
      return new Fault("internal_error", { message });
  }
}
