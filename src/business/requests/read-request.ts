/**
 * One receipt, of a chat request or of a task: of the caller's account, or of any for the operator.
 */
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { findKeyMasks } from "../../keys/masks.store.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { findRequest } from "../../usage/receipts.store.ts";
import { findHeld } from "../../ledger/entries.store.ts";
import { postAll } from "../../ledger/journals.store.ts";
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
  q: Queryable,
  prices: PriceHistory,
  { accountId, requestId }: { readonly accountId: Uuid; readonly requestId: Uuid },
): Promise<ReceiptView | null> {
  const row = await findPosted(q, requestId);
  if (row !== null)
    return row.accountId === accountId ? receiptView(row, await knowledgeOf(q, prices, row)) : null;
  const task = await findTask(q, accountId, requestId);
  if (task === null) return null;
  const masks = await findKeyMasks(q, task.keyId === null ? [] : [task.keyId]);
  return taskReceiptView(task, masks.get(task.keyId ?? "") ?? null);
}

/** Null for a request that does not exist or has not ended. */
export async function readAnyRequest(
  q: Queryable,
  prices: PriceHistory,
  requestId: Uuid,
): Promise<OperatorReceiptView | null> {
  const row = await findPosted(q, requestId);
  return row === null ? null : operatorReceiptView(row, await knowledgeOf(q, prices, row));
}

/** One that has only just ended is not in the books yet. */
async function findPosted(q: Queryable, requestId: Uuid): Promise<StoredReceipt | null> {
  const row = await findRequest(q, requestId);
  if (row !== null) return row;
  await postAll(q);
  return findRequest(q, requestId);
}

async function knowledgeOf(
  q: Queryable,
  prices: PriceHistory,
  row: StoredReceipt,
): Promise<ReceiptKnowledge> {
  const { keyId, requestId } = row;
  const masks = await findKeyMasks(q, keyId === null ? [] : [keyId]);
  const held = await findHeld(q, [requestId]);
  const lists = await priceListsOf(prices, [row]);
  return {
    keyMask: masks.get(keyId ?? "") ?? null,
    heldNano: held.get(requestId) ?? null,
    explained: explainReceipt(listOf(lists, row), row),
  };
}
