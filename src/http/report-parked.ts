/** Tells the log and the metrics of receipts that could not be written. */
import type { ParkedReceipt } from "../usage/parked.store.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLogger } from "./request-log.ts";

/** Returns what hears of every receipt that was parked. */
export function reportParked({
  log,
  metrics,
}: {
  readonly log: Pick<RequestLogger, "error">;
  readonly metrics: Pick<Metrics, "suspicious">;
}): (parked: ParkedReceipt) => void {
  return ({ parkedId, reason }) => {
    metrics.suspicious("receipt_parked");
    log.error(
      { parkedId: String(parkedId), reason },
      "a receipt could not be written; the money was settled and the receipt is parked in usage.parked",
    );
  };
}
