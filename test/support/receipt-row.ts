/** A receipt for tests that need one and not what it says. */
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { NO_USAGE } from "../../src/kernel/token-usage.ts";
import { receiptFigures } from "../../src/usage/receipt-figures.ts";
import type { ReceiptRow } from "../../src/usage/receipt-row.ts";

const NOTHING = 0n as Nano;

/** Of a completed chat that cost nothing, unless `change` says otherwise. */
export function receiptRow(
  requestId: Uuid,
  accountId: Uuid,
  change: Partial<ReceiptRow> = {},
): ReceiptRow {
  return {
    requestId,
    accountId,
    keyId: null,
    endpoint: "chat.completions",
    modelRequested: "m",
    model: "m",
    state: "completed",
    startedAt: new Date(),
    chargedNano: NOTHING,
    figures: receiptFigures(NO_USAGE, null, null, NOTHING),
    detail: {},
    ...change,
  };
}
