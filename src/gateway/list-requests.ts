/** An account's receipts, newest first, by cursor. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import { findKeyMasks } from "../keys/masks.store.ts";
import { findKeyByHash } from "../keys/store.ts";
import { findHeld } from "../ledger/entries.store.ts";
import { listRequests as listReceipts } from "../usage/receipts.store.ts";
import { idBounds } from "./id-bounds.ts";
import type { ReceiptView } from "./receipt-view.ts";
import { receiptView } from "./receipt-view.ts";

export interface ReceiptQuery {
  /** The last id of the page before. */
  readonly before: Uuid | null;
  readonly limit: number;
  readonly keyHash: string | null;
  readonly model: string | null;
  readonly state: string | null;
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

export async function listRequests(q: Queryable, accountId: Uuid, query: ReceiptQuery): Promise<ReceiptPage> {
  const { keyHash, limit, model, state } = query;
  const key = keyHash === null ? null : await findKeyByHash(q, keyHash);
  // A key that does not exist and a stranger's key have the same requests: none.
  if (keyHash !== null && key?.accountId !== accountId) return NOTHING;
  const search = { accountId, keyId: key?.keyId ?? null, model, state, ...idBounds(query), limit };
  const { receipts: rows, nextCursor } = await listReceipts(q, search);
  const masks = await findKeyMasks(
    q,
    rows.flatMap((row) => (row.keyId === null ? [] : [row.keyId])),
  );
  const held = await findHeld(
    q,
    rows.map(({ requestId }) => requestId),
  );
  return {
    receipts: rows.map((row) =>
      receiptView(row, { keyMask: masks.get(row.keyId ?? "") ?? null, heldNano: held.get(row.requestId) ?? null }),
    ),
    next: nextCursor,
  };
}
