/**
 * Composition of what callers may do with tasks: the use cases over one database, one watch and the
 * catalogue in force.
 */
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { TaskProtocol } from "../contract/enums/upstream-protocol.ts";
import type { Db } from "../db/database.ts";
import type { Idempotency } from "../serving/admission/idempotency.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import { createCallbackDesk, type CallbackDesk } from "../serving/tasks/accept-callback.ts";
import type { TaskEndReport } from "../serving/tasks/advance-deps.ts";
import { cancelTask } from "../serving/tasks/cancel-task.ts";
import { createTask } from "../serving/tasks/create-task.ts";
import { followTask } from "../serving/tasks/follow-task.ts";
import { listDeliveries } from "../serving/tasks/list-deliveries.ts";
import { listTasks } from "../serving/tasks/list-tasks.ts";
import {
  quoteTask,
  quoteTaskForAccount,
  type AccountQuoteCall,
  type QuotedTask,
} from "../serving/tasks/quote-task.ts";
import { readTask } from "../serving/tasks/read-task.ts";
import type { TaskWatch } from "../serving/tasks/watch-task.ts";
import type { CallbackUseCases } from "../http/routes/tasks-callbacks.ts";
import type { TaskQuoteUseCases } from "../http/routes/tasks-quote.ts";
import type { TasksUseCases } from "../http/routes/tasks.ts";
import type { Clock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { checkUrl } from "../net/check-url.ts";
import type { TaskAdapter } from "../upstreams/tasks/task-adapter.ts";

export interface TaskUseCaseDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ownerId: Uuid;
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  readonly limits: RateGate;
  readonly idempotency: Pick<Idempotency, "begin" | "forget">;
  readonly watch: TaskWatch;
  readonly adapters: Readonly<Record<TaskProtocol, Pick<TaskAdapter, "readCallback">>>;
  readonly fetchAllow: readonly string[];
  /** Takes nothing new. */
  readonly draining: boolean;
  staticUrl(): string;
  onEnded(report: TaskEndReport): void;
  onHeard(known: boolean): void;
  onTasksRefused(of: "key" | "account"): void;
  onError(what: string, error: unknown): void;
}

export interface TaskCases {
  readonly useCases: TasksUseCases &
    TaskQuoteUseCases &
    CallbackUseCases & { quoteTaskForAccount(call: AccountQuoteCall): Promise<QuotedTask> };
  readonly callbacks: CallbackDesk;
}

export function taskUseCases(deps: TaskUseCaseDeps): TaskCases {
  const order = { ...deps, checkUrl: (text: string) => checkUrl(text, { allow: deps.fetchAllow }) };
  const callbacks = createCallbackDesk(deps);
  return {
    callbacks,
    useCases: {
      async createTask(call) {
        if (deps.draining)
          throw new Fault("overloaded", {
            message: "The gateway is restarting. Try again.",
            retryAfterSeconds: 1,
          });
        return createTask(order, call);
      },
      quoteTask: (call) => quoteTask(order, call),
      quoteTaskForAccount: (call) => quoteTaskForAccount(order, call),
      readTask: ({ accountId }, call) => readTask(deps, { ...call, accountId }),
      listTasks: ({ accountId }, query) => listTasks(deps, accountId, query),
      cancelTask: ({ accountId }, taskId) => cancelTask(deps, accountId, taskId),
      followTask: ({ accountId }, taskId, lastEventId) =>
        followTask(deps, { accountId, taskId, lastEventId }),
      listDeliveries: ({ accountId }, taskId) => listDeliveries(deps.db, accountId, taskId),
      hearProvider: (report) => callbacks.hear(report),
    },
  };
}
