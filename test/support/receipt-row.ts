/** A receipt for tests that need one and not what it says. */
import { NO_USAGE } from "../../src/kernel/token-usage.ts";
import { receiptFigures } from "../../src/usage/receipt-figures.ts";
import type { ReceiptRow } from "../../src/usage/receipt-row.ts";

/** Of a completed chat that used nothing, unless `change` says otherwise. */
export function receiptRow(change: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    endpoint: "chat.completions",
    modelRequested: "m",
    model: "m",
    state: "completed",
    startedAt: new Date(),
    durationMs: 7,
    firstMs: null,
    figures: receiptFigures(NO_USAGE, null, null),
    detail: {},
    ...change,
  };
}
