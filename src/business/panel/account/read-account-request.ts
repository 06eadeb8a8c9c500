/**
 * The receipt of one chat request or task: what it cost and why, where its money went, and how
 * often an upstream was tried.
 */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { PanelReceipt } from "../../../contract/panel/panel-request.ts";
import type { Queryable } from "../../../db/database.ts";
import { Fault } from "../../../kernel/faults.ts";
import { parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, parseRoubles } from "../../../kernel/money.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { findEntry } from "../../../ledger/entries.store.ts";
import type { TaskRecord } from "../../../tasks/task-record.ts";
import { findAnyTask, findTask } from "../../../tasks/tasks.store.ts";
import type { StoredReceipt } from "../../../usage/receipt-row.ts";
import { findRequest } from "../../../usage/receipts.store.ts";
import { receiptView } from "../../requests/receipt-view.ts";
import { moneyTrail } from "./money-trail.ts";
import type { PriceHistory } from "../../requests/price-history.ts";
import { chatPriceReason, taskPriceReason } from "./price-reason.ts";
import { chatRequestView, taskRequestView } from "./request-view.ts";

/** `accountId`: whose it must be; null for operators, who see all. */
export interface ReceiptCall {
  readonly accountId: Uuid | null;
  /** As the list names it: `req_…`, or a task's id. */
  readonly id: string;
}

/**
 * Upstreams are told by number only: which they are is the operator's affair, whose own view is
 * `readAnyRequest`. Throws the same Fault("not_found") for what does not exist, has not ended (a
 * chat request), or is another account's.
 */
export async function readAccountRequest(
  q: Queryable,
  prices: PriceHistory,
  { accountId, id }: ReceiptCall,
): Promise<PanelReceipt> {
  const wanted = parseRequestId(id);
  const mine = (row: { readonly accountId: Uuid }): boolean =>
    accountId === null || row.accountId === accountId;
  const receipt = wanted === null ? null : await findRequest(q, wanted);
  if (receipt !== null && mine(receipt)) return chatReceipt(q, prices, receipt);
  const task = wanted === null ? null : await taskOf(q, accountId, wanted);
  if (task !== null) return taskReceipt(q, prices, task);
  throw new Fault("not_found", { message: "This account has no such request that has ended." });
}

/** `accountId`: null asks for an operator. */
function taskOf(q: Queryable, accountId: Uuid | null, taskId: Uuid): Promise<TaskRecord | null> {
  return accountId === null ? findAnyTask(q, taskId) : findTask(q, accountId, taskId);
}

async function chatReceipt(
  q: Queryable,
  prices: PriceHistory,
  row: StoredReceipt,
): Promise<PanelReceipt> {
  const { accountId, keyId, requestId, startedAt, chargedNano, detail } = row;
  const names = await findKeyNames(q, keyId === null ? [] : [keyId]);
  const end = await findEntry(q, accountId, requestId);
  const view = receiptView(row, { keyMask: null, heldNano: end?.heldNano ?? null });
  const { priceVersion = null, variants = [], toolCalls = {} } = view;
  const list = priceVersion === null || chargedNano === 0n ? null : await prices.find(priceVersion);
  return {
    ...chatRequestView(row, names),
    currency: CURRENCY,
    usageSource: view.usageSource ?? null,
    held: view.held,
    trail: moneyTrail(
      { at: startedAt, heldNano: parseRoubles(view.held) ?? chargedNano, detail },
      end,
    ),
    price: list === null ? null : chatPriceReason(list, row),
    priceVersion,
    variants,
    toolCalls,
    attempts: (view.attempts ?? []).map(
      ({ number, outcome, status = null, durationMs = null }) => ({
        number,
        outcome,
        status,
        durationMs,
      }),
    ),
    error: null,
  };
}

async function taskReceipt(
  q: Queryable,
  prices: PriceHistory,
  task: TaskRecord,
): Promise<PanelReceipt> {
  const { accountId, taskId, keyId, createdAt, priceNano, priceVersion, error, attempts, state } =
    task;
  const names = await findKeyNames(q, keyId === null ? [] : [keyId]);
  const list = task.chargedNano === null ? null : await prices.find(priceVersion);
  return {
    ...taskRequestView(task, names),
    currency: CURRENCY,
    usageSource: null,
    held: formatRoubles(priceNano),
    trail: moneyTrail(
      { at: createdAt, heldNano: priceNano, detail: {} },
      await findEntry(q, accountId, taskId),
    ),
    price: list === null ? null : taskPriceReason(list, task),
    priceVersion,
    variants: [],
    toolCalls: {},
    // Of tasks it is only known how often one was submitted, and what came of the last.
    attempts: Array.from({ length: attempts }, (_, index) => ({
      number: index + 1,
      outcome:
        index + 1 < attempts || state === "failed"
          ? "failed"
          : state === "completed"
            ? "delivered"
            : "running",
      status: null,
      durationMs: null,
    })),
    error: error === null ? null : { code: error.code, message: error.message },
  };
}
