/** Chat requests and tasks of an account in one list, newest first: two lists by time-ordered ids, merged. */
import type { PanelRequest } from "../../../contract/panel/panel-request.ts";
import type { Queryable } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import { isUuid, type Uuid } from "../../../kernel/ids.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import type { TaskRecord, TaskState } from "../../../tasks/task-record.ts";
import { countTaskRows, listTasks } from "../../../tasks/tasks.store.ts";
import type { StoredReceipt } from "../../../usage/receipt-row.ts";
import { countRequests, listRequests } from "../../../usage/receipts.store.ts";
import { idBounds, type IdBounds } from "../../id-bounds.ts";
import { findAccountKey } from "./list-account-keys.ts";
import { chatRequestView, taskRequestView } from "./request-view.ts";

export interface AccountRequestQuery {
  /** The last id of the page before. */
  readonly before: string | null;
  readonly limit: number;
  readonly keyHash: string | null;
  readonly model: string | null;
  readonly state: string | null;
  readonly kind: "chat" | "task" | null;
  /** When they arrived: from this moment on, and before that one. */
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface AccountRequestPage {
  readonly rows: readonly PanelRequest[];
  readonly next: Uuid | null;
}

type Found = { readonly id: Uuid; readonly receipt: StoredReceipt } | { readonly id: Uuid; readonly task: TaskRecord };

const TASK_STATES: ReadonlySet<string> = new Set<TaskState>(["queued", "processing", "completed", "failed"]);

/** Throws Fault("not_found") for a key that is not the account's, Fault("invalid_request") on a cursor that this list did not give. */
export async function listAccountRequests(q: Queryable, accountId: Uuid, query: AccountRequestQuery): Promise<AccountRequestPage> {
  const { before, limit, keyHash } = query;
  if (before !== null && !isUuid(before)) {
    throw new Fault("invalid_request", { message: "cursor: take it from `nextCursor` of the page before.", param: "cursor" });
  }
  const keyId = await keyIdOf(q, accountId, keyHash);
  const found = await findNewest(q, accountId, query, keyId, idBounds({ ...query, before }));
  const page = found.slice(0, limit);
  const names = await findKeyNames(
    q,
    page.flatMap((each) => ("task" in each ? each.task.keyId : each.receipt.keyId) ?? []),
  );
  return {
    rows: page.map((each) => ("task" in each ? taskRequestView(each.task, names) : chatRequestView(each.receipt, names))),
    next: found.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}

/** How many the query finds, counted up to its limit. Throws as listAccountRequests. */
export async function countAccountRequests(q: Queryable, accountId: Uuid, query: AccountRequestQuery): Promise<number> {
  const { kind, model, state, limit } = query;
  const keyId = await keyIdOf(q, accountId, query.keyHash);
  const { cursor, floor } = idBounds({ ...query, before: null });
  const chats = kind === "task" ? 0 : await countRequests(q, { accountId, keyId, model, state, cursor, floor, limit });
  if (kind === "chat" || !maybeTask(state)) return chats;
  return chats + (await countTaskRows(q, { accountId, keyId, model, state, before: cursor, floor, limit }));
}

async function keyIdOf(q: Queryable, accountId: Uuid, hash: string | null): Promise<Uuid | null> {
  return hash === null ? null : (await findAccountKey(q, accountId, hash)).keyId;
}

function maybeTask(state: string | null): state is TaskState | null {
  return state === null || TASK_STATES.has(state);
}

/** One more than asked for where there are more. */
async function findNewest(
  q: Queryable,
  accountId: Uuid,
  { kind, model, state, limit }: AccountRequestQuery,
  keyId: Uuid | null,
  { cursor, floor }: IdBounds,
): Promise<Found[]> {
  const found: Found[] = [];
  if (kind !== "task") {
    const { receipts } = await listRequests(q, { accountId, keyId, model, state, cursor, floor, limit: limit + 1 });
    found.push(...receipts.map((receipt) => ({ id: receipt.requestId, receipt })));
  }
  if (kind !== "chat" && maybeTask(state)) {
    const tasks = await listTasks(q, { accountId, keyId, model, state, before: cursor, floor, limit: limit + 1 });
    found.push(...tasks.map((task) => ({ id: task.taskId, task })));
  }
  return found.sort((a, b) => (a.id < b.id ? 1 : -1));
}
