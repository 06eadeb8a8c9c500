/** One receipt: of the caller's account, or of any for the operator. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import { findKeyMasks } from "../keys/masks.store.ts";
import type { StoredReceipt } from "../usage/receipt-row.ts";
import { findRequest } from "../usage/receipts.store.ts";
import { findHeld } from "../ledger/entries.store.ts";
import type { OperatorReceiptView, ReceiptKnowledge, ReceiptView } from "./receipt-view.ts";
import { operatorReceiptView, receiptView } from "./receipt-view.ts";

/** Null for a request that does not exist, has not ended, or is somebody else's. */
export async function readRequest(q: Queryable, accountId: Uuid, requestId: Uuid): Promise<ReceiptView | null> {
  const row = await findRequest(q, requestId);
  return row === null || row.accountId !== accountId ? null : receiptView(row, await knowledgeOf(q, row));
}

/** Null for a request that does not exist or has not ended. */
export async function readAnyRequest(q: Queryable, requestId: Uuid): Promise<OperatorReceiptView | null> {
  const row = await findRequest(q, requestId);
  return row === null ? null : operatorReceiptView(row, await knowledgeOf(q, row));
}

async function knowledgeOf(q: Queryable, { keyId, requestId }: StoredReceipt): Promise<ReceiptKnowledge> {
  const masks = await findKeyMasks(q, keyId === null ? [] : [keyId]);
  const held = await findHeld(q, [requestId]);
  return { keyMask: masks.get(keyId ?? "") ?? null, heldNano: held.get(requestId) ?? null };
}
