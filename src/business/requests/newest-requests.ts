/**
 * Requests that are answered at once and tasks of an account in one order, newest first: two lists by time-ordered ids,
 * merged.
 */
import type { RequestKind } from "../../contract/enums/request-kind.ts";
import { TASK_STATES, type TaskState } from "../../contract/enums/task-state.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";
import { listTasks } from "../../tasks/tasks.store.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import type { Books } from "../past/books.ts";
import { listReceipts } from "../past/read-receipts.ts";

export interface RequestSearch {
  readonly accountId: Uuid;
  /** Of these keys only; null: of all. */
  readonly keyIds: readonly Uuid[] | null;
  readonly model: string | null;
  readonly state: string | null;
  /** Null: of every kind. */
  readonly kind: RequestKind | null;
  /** All ids are below it; null: no bound. */
  readonly cursor: Uuid | null;
  /** None is below it; null: no bound. */
  readonly floor: Uuid | null;
  readonly limit: number;
}

export type FoundRequest =
  | { readonly id: Uuid; readonly receipt: StoredReceipt }
  | { readonly id: Uuid; readonly task: TaskRecord };

export interface FoundPage {
  readonly rows: readonly FoundRequest[];
  /** The last id of this page; null on the last one. */
  readonly next: Uuid | null;
}

/** Requests that have ended, and tasks from their order on. */
export async function findNewestRequests(books: Books, search: RequestSearch): Promise<FoundPage> {
  const { accountId, keyIds, model, state, kind, cursor, floor, limit } = search;
  const found: FoundRequest[] = [];
  if (kind !== "task") {
    const { receipts } = await listReceipts(books, {
      accountId,
      keyIds,
      model,
      state,
      kind,
      cursor,
      floor,
      limit: limit + 1,
    });
    found.push(...receipts.map((receipt) => ({ id: receipt.requestId, receipt })));
  }
  if (maybeOf("task", kind) && maybeTask(state)) {
    const tasks = await listTasks(books, {
      accountId,
      keyIds,
      model,
      state,
      before: cursor,
      floor,
      limit: limit + 1,
    });
    found.push(...tasks.map((task) => ({ id: task.taskId, task })));
  }
  const rows = found.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

function maybeOf(kind: RequestKind, wanted: RequestKind | null): boolean {
  return wanted === null || wanted === kind;
}

function maybeTask(state: string | null): state is TaskState | null {
  return state === null || TASK_STATES.some((known) => known === state);
}
