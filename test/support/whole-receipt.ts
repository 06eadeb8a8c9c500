/** A receipt as tests read it: with what its entry says by columns, or by leaving it out. */
import type { Db } from "../../src/db/database.ts";
import { storedUsage } from "../../src/business/requests/stored-usage.ts";
import type { StoredReceipt } from "../../src/usage/receipt-row.ts";

export async function wholeReceipt(
  db: Pick<Db, "query">,
  receipt: StoredReceipt,
): Promise<StoredReceipt> {
  const { accountId, requestId, costNano, detail } = receipt;
  const [loss] = await db.query<{ nano: bigint }>(
    "SELECT amount_nano AS nano FROM ledger.entries WHERE account_id = $1 AND entry_id = ledger.loss_id($2)",
    [accountId, requestId],
  );
  return {
    ...receipt,
    detail: {
      stream: false,
      suspicion: null,
      finishReason: null,
      ...detail,
      usage: storedUsage(detail["usage"]),
      upstreamCostNano: costNano === null ? null : String(costNano),
      lossNano: String(loss?.nano ?? 0n),
    },
  };
}
