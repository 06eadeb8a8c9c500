/**
 * An account's receipts of requests and tasks, newest first, by cursor: their charges add up
 * to what was charged.
 */
import type { RequestKind } from "../../contract/enums/request-kind.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { findKeyMasks } from "../../keys/masks.store.ts";
import { findKeyByHash } from "../../keys/store.ts";
import { postAll } from "../../ledger/journals.store.ts";
import { idBounds } from "./id-bounds.ts";
import { explainReceipt, listOf, priceListsOf } from "./explain-receipt.ts";
import type { Books } from "../past/books.ts";
import type { PriceHistory } from "./price-history.ts";
import { findNewestRequests } from "./newest-requests.ts";
import type { ReceiptView } from "./receipt-view.ts";
import { receiptView } from "./receipt-view.ts";
import { taskReceiptView } from "./task-receipt-view.ts";

export interface ReceiptQuery {
  /** The last id of the page before. */
  readonly before: Uuid | null;
  readonly limit: number;
  readonly keyHash: string | null;
  readonly model: string | null;
  readonly state: string | null;
  /** Null: of every kind. */
  readonly kind: RequestKind | null;
  /** When the requests arrived: from this moment on, and before that one. */
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface ReceiptPage {
  readonly receipts: readonly ReceiptView[];
  /** The cursor of the next page; null on the last one. */
  readonly next: Uuid | null;
}

const NOTHING: ReceiptPage = { receipts: [], next: null };

export async function listRequests(
  { books, prices }: { readonly books: Books; readonly prices: PriceHistory },
  accountId: Uuid,
  query: ReceiptQuery,
): Promise<ReceiptPage> {
  const { keyHash, limit, model, state, kind } = query;
  await postAll(books);
  const key = keyHash === null ? null : await findKeyByHash(books, keyHash);
  // A key that does not exist and a stranger's key have the same requests: none.
  if (keyHash !== null && key?.accountId !== accountId) return NOTHING;
  const search = {
    accountId,
    keyIds: key === null ? null : [key.keyId],
    model,
    state,
    kind,
    ...idBounds(query),
    limit,
  };
  const { rows, next } = await findNewestRequests(books, search);
  const masks = await findKeyMasks(
    books,
    rows.flatMap((each) => ("task" in each ? each.task.keyId : each.receipt.keyId) ?? []),
  );
  const lists = await priceListsOf(
    prices,
    rows.flatMap((each) => ("task" in each ? [] : [each.receipt])),
  );
  const receipts = rows.map((each): ReceiptView => {
    if ("task" in each) return taskReceiptView(each.task, masks.get(each.task.keyId ?? "") ?? null);
    const { receipt } = each;
    const explained = explainReceipt(listOf(lists, receipt), receipt);
    return receiptView(receipt, {
      keyMask: masks.get(receipt.keyId ?? "") ?? null,
      explained,
    });
  });
  return { receipts, next };
}
