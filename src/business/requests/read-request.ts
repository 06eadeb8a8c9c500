/**
 * One receipt, of a chat request or of a task: of the caller's account, or of any for the operator.
 */
import type { Uuid } from "../../kernel/ids.ts";
import { findKeyMasks } from "../../keys/masks.store.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { postAll } from "../../ledger/journals.store.ts";
import type { Books } from "../past/books.ts";
import { findAnyLoss } from "../past/read-entries.ts";
import { findReceipt } from "../past/read-receipts.ts";
import { explainReceipt, listOf, priceListsOf } from "./explain-receipt.ts";
import type { PriceHistory } from "./price-history.ts";
import type { OperatorReceiptView, ReceiptKnowledge, ReceiptView } from "./receipt-view.ts";
import { operatorReceiptView, receiptView } from "./receipt-view.ts";
import { taskReceiptView } from "./task-receipt-view.ts";

/**
 * Null for a request that does not exist, has not ended, or is another account's. A task has its
 * receipt from its order on.
 */
export async function readRequest(
  books: Books,
  prices: PriceHistory,
  { accountId, requestId }: { readonly accountId: Uuid; readonly requestId: Uuid },
): Promise<ReceiptView | null> {
  const row = await findPosted(books, accountId, requestId);
  if (row !== null) return receiptView(row, await knowledgeOf(books, prices, row));
  const task = await findTask(books, accountId, requestId);
  if (task === null) return null;
  const masks = await findKeyMasks(books, task.keyId === null ? [] : [task.keyId]);
  return taskReceiptView(task, masks.get(task.keyId ?? "") ?? null);
}

/** Null for a request that does not exist or has not ended. */
export async function readAnyRequest(
  books: Books,
  prices: PriceHistory,
  requestId: Uuid,
): Promise<OperatorReceiptView | null> {
  const row = await findPosted(books, null, requestId);
  if (row === null) return null;
  const lossNano = await findAnyLoss(books, row.accountId, requestId);
  return operatorReceiptView(row, await knowledgeOf(books, prices, row), lossNano);
}

/** One that has only just ended is not in the books yet. */
async function findPosted(
  books: Books,
  accountId: Uuid | null,
  requestId: Uuid,
): Promise<StoredReceipt | null> {
  const row = await findReceipt(books, accountId, requestId);
  if (row !== null) return row;
  await postAll(books);
  return findReceipt(books, accountId, requestId);
}

async function knowledgeOf(
  books: Books,
  prices: PriceHistory,
  row: StoredReceipt,
): Promise<ReceiptKnowledge> {
  const { keyId } = row;
  const masks = await findKeyMasks(books, keyId === null ? [] : [keyId]);
  const lists = await priceListsOf(prices, [row]);
  return {
    keyMask: masks.get(keyId ?? "") ?? null,
    explained: explainReceipt(listOf(lists, row), row),
  };
}
