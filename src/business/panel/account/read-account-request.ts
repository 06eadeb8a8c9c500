/**
 * The receipt of one chat request or task: what it cost and why, where its money went, and how
 * often an upstream was tried.
 */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { PanelReceipt } from "../../../contract/panel/panel-request.ts";
import { Fault } from "../../../kernel/faults.ts";
import { parseRequestId, type Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, nano } from "../../../kernel/money.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import type { TaskRecord } from "../../../tasks/task-record.ts";
import { findAnyTask, findTask } from "../../../tasks/tasks.store.ts";
import type { StoredReceipt } from "../../../usage/receipt-row.ts";
import type { Books } from "../../past/books.ts";
import { findAnyEntry } from "../../past/read-entries.ts";
import { findReceipt } from "../../past/read-receipts.ts";
import { receiptView } from "../../requests/receipt-view.ts";
import { isSeenBy } from "./key-scope.ts";
import { moneyTrail } from "./money-trail.ts";
import type { PriceHistory } from "../../requests/price-history.ts";
import { chatPriceReason, taskPriceReason } from "./price-reason.ts";
import { chatRequestView, taskRequestView } from "./request-view.ts";

/** `accountId`: whose it must be; null for operators, who see all. */
export interface ReceiptCall {
  readonly accountId: Uuid | null;
  /** As the list names it: `req_…`, or a task's id. */
  readonly id: string;
  /** Only of this member's keys; absent or null: of all. */
  readonly ownerId?: Uuid | null;
}

/**
 * Upstreams are told by number only: which they are is the operator's affair, whose own view is
 * `readAnyRequest`. Throws the same Fault("not_found") for what does not exist, has not ended (a
 * chat request), or is another account's.
 */
export async function readAccountRequest(
  books: Books,
  prices: PriceHistory,
  { accountId, id, ownerId = null }: ReceiptCall,
): Promise<PanelReceipt> {
  const isSeen = ({ keyId }: { readonly keyId: Uuid | null }): Promise<boolean> =>
    isSeenBy(books, { accountId, ownerId }, keyId);
  const wanted = parseRequestId(id);
  const receipt = wanted === null ? null : await findReceipt(books, accountId, wanted);
  if (receipt !== null && (await isSeen(receipt))) return chatReceipt(books, prices, receipt);
  const task = wanted === null ? null : await taskOf(books, accountId, wanted);
  if (task !== null && (await isSeen(task))) return taskReceipt(books, prices, task);
  throw new Fault("not_found", { message: "This account has no such request that has ended." });
}

/** `accountId`: null asks for an operator. */
function taskOf(books: Books, accountId: Uuid | null, taskId: Uuid): Promise<TaskRecord | null> {
  return accountId === null ? findAnyTask(books, taskId) : findTask(books, accountId, taskId);
}

async function chatReceipt(
  books: Books,
  prices: PriceHistory,
  row: StoredReceipt,
): Promise<PanelReceipt> {
  const { keyId, requestId, startedAt, recordedAt, chargedNano, heldNano, detail } = row;
  const names = await findKeyNames(books, keyId === null ? [] : [keyId]);
  // The entry that ended it is the receipt.
  const end = {
    entryId: requestId,
    at: recordedAt,
    amountNano: chargedNano,
    heldNano,
    releasedNano: heldNano === null ? null : nano(heldNano - chargedNano),
  };
  const view = receiptView(row, { keyMask: null });
  const { priceVersion = null, variants = [], toolCalls = {} } = view;
  const list = priceVersion === null || chargedNano === 0n ? null : await prices.find(priceVersion);
  return {
    ...chatRequestView(row, names),
    currency: CURRENCY,
    batch: view.batch ?? null,
    usageSource: view.usageSource ?? null,
    held: view.held,
    trail: moneyTrail({ at: startedAt, heldNano: heldNano ?? chargedNano, detail }, end),
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
  books: Books,
  prices: PriceHistory,
  task: TaskRecord,
): Promise<PanelReceipt> {
  const { accountId, taskId, keyId, createdAt, priceNano, priceVersion, error, attempts, state } =
    task;
  const names = await findKeyNames(books, keyId === null ? [] : [keyId]);
  const list = task.chargedNano === null ? null : await prices.find(priceVersion);
  return {
    ...taskRequestView(task, names),
    currency: CURRENCY,
    batch: null,
    usageSource: null,
    held: formatRoubles(priceNano),
    trail: moneyTrail(
      { at: createdAt, heldNano: priceNano, detail: {} },
      await findAnyEntry(books, accountId, taskId),
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
