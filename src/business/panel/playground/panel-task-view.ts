/** A task as the panel shows it to a member of its account, whichever key ordered it. */
import type { PanelListedTask, PanelTask } from "../../../contract/panel/panel-task.ts";
import { formatRequestId } from "../../../kernel/ids.ts";
import { formatRoubles, nano, ZERO_NANO, type Nano } from "../../../kernel/money.ts";
import type { KeyLabel } from "../../../keys/labels.store.ts";
import type { TaskEventKind } from "../../../contract/enums/task-event.ts";
import type { TaskEvent, TaskRecord } from "../../../tasks/task-record.ts";
import { PUBLIC_TASK_EVENTS } from "../../../serving/tasks/follow-task.ts";
import { taskView } from "../../../serving/tasks/task-view.ts";
import { filePreview } from "./file-preview.ts";
import { taskAttempts } from "./task-attempts.ts";

export interface TaskSurroundings {
  /** Null: it is not known any more. */
  readonly key: KeyLabel | null;
  /** Without a slash at its end. */
  readonly staticUrl: string;
}

export function panelListedTask(
  task: TaskRecord,
  { key, staticUrl }: TaskSurroundings,
): PanelListedTask {
  const { result, cost, ...view } = taskView(task, staticUrl);
  const {
    taskId,
    model,
    state,
    createdAt,
    startedAt,
    completedAt,
    progress,
    queuePosition,
    cancelRequestedAt,
    error,
  } = view;
  return {
    taskId,
    model,
    state,
    createdAt,
    startedAt,
    completedAt,
    progress,
    queuePosition,
    cancelRequestedAt,
    cost: { amount: cost.amount, state: cost.state },
    key,
    files: (result?.files ?? []).map((file) => ({
      ...file,
      name: file.url.slice(file.url.lastIndexOf("/") + 1),
      preview: filePreview(file.contentType),
    })),
    error,
  };
}

/** `events`: all that happened to it, in order. */
export function panelTask(
  task: TaskRecord,
  events: readonly TaskEvent[],
  surroundings: TaskSurroundings,
): PanelTask {
  return {
    ...panelListedTask(task, surroundings),
    requestId: formatRequestId(task.requestId),
    parameters: task.parameterTable,
    input: { ...task.parameters },
    callbackUrl: task.callbackUrl,
    deadlineAt: task.deadlineAt.toISOString(),
    priceVersion: task.priceVersion,
    money: moneyOf(task),
    attempts: taskAttempts(events),
    history: events.flatMap(({ kind, at }) => {
      const event = publicEvent(kind);
      return event === null ? [] : [{ at: at.toISOString(), event }];
    }),
  };
}

/** A cheaper result than was ordered is charged less, and the rest given back. */
function moneyOf({ priceNano, costState, chargedNano }: TaskRecord): PanelTask["money"] {
  const heldNano = costState === "held" ? priceNano : ZERO_NANO;
  const charged: Nano = costState === "charged" ? (chargedNano ?? priceNano) : ZERO_NANO;
  return {
    ordered: formatRoubles(priceNano),
    held: formatRoubles(heldNano),
    charged: formatRoubles(charged),
    released: formatRoubles(nano(priceNano - heldNano - charged)),
  };
}

function publicEvent(kind: TaskEventKind): PanelTask["history"][number]["event"] | null {
  return kind in PUBLIC_TASK_EVENTS
    ? PUBLIC_TASK_EVENTS[kind as keyof typeof PUBLIC_TASK_EVENTS]
    : null;
}
