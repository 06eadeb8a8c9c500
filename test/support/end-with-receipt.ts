/** Ends a hold that a test made, with its receipt, as the poster does it. */
import type { Db } from "../../src/db/database.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { ZERO_NANO } from "../../src/kernel/money.ts";
import { postEnds } from "../../src/serving/money/journal.store.ts";
import type { ReceiptRow } from "../../src/usage/receipt-row.ts";

export async function endWithReceipt(
  db: Db,
  receipt: ReceiptRow,
  amounts: { readonly heldNano: Nano; readonly chargeNano: Nano; readonly lossNano?: Nano },
): Promise<void> {
  const { requestId, accountId, detail } = receipt;
  await db.transaction((tx) =>
    postEnds(tx, requestId, [
      {
        kind: "ended",
        requestId,
        accountId,
        holdId: requestId,
        lossNano: ZERO_NANO,
        ...amounts,
        priceVersion: Number(detail["priceVersion"] ?? 1),
        noted: false,
        receipt,
      },
    ]),
  );
}
