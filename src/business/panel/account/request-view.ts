/** A request or a task as the panel's list shows it: one shape for both. */
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import { kindOfEndpoint } from "../../../contract/enums/chat-endpoint.ts";
import { formatRequestId } from "../../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO } from "../../../kernel/money.ts";
import type { KeyName } from "../../../keys/names.store.ts";
import type { TaskRecord } from "../../../tasks/task-record.ts";
import type { StoredReceipt } from "../../../usage/receipt-row.ts";
import { receiptView } from "../../requests/receipt-view.ts";

export type Names = ReadonlyMap<string, KeyName>;

export function chatRequestView(row: StoredReceipt, names: Names): PanelRequest {
  const receipt = receiptView(row, { keyMask: null });
  const { completedAt = null, startedAt, usage = null } = receipt;
  return {
    id: formatRequestId(row.requestId),
    kind: kindOfEndpoint(row.endpoint),
    protocol: row.endpoint,
    startedAt,
    completedAt,
    model: row.model,
    modelRequested: row.modelRequested,
    key: names.get(row.keyId ?? "") ?? null,
    stream: receipt.stream,
    state: row.state,
    finishReason: receipt.finishReason ?? null,
    usage,
    durationMs: completedAt === null ? null : Date.parse(completedAt) - row.startedAt.getTime(),
    timeToFirstTokenMs: receipt.timeToFirstTokenMs ?? null,
    charged: receipt.charged,
  };
}

export function taskRequestView(task: TaskRecord, names: Names): PanelRequest {
  return {
    id: task.taskId,
    kind: "task",
    protocol: "tasks",
    startedAt: task.createdAt.toISOString(),
    completedAt: task.completedAt?.toISOString() ?? null,
    model: task.model,
    modelRequested: task.model,
    key: names.get(task.keyId ?? "") ?? null,
    stream: false,
    state: task.state,
    finishReason: null,
    usage: null,
    durationMs:
      task.completedAt === null ? null : task.completedAt.getTime() - task.createdAt.getTime(),
    timeToFirstTokenMs: null,
    charged: formatRoubles(task.chargedNano ?? ZERO_NANO),
  };
}
