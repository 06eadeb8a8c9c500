/** Tells the log and the metrics whether the ledger adds up. */
import type { Clock } from "../kernel/clock.ts";
import type { Verification } from "../ledger/verify.store.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLogger } from "./request-log.ts";

/** Returns what hears of every verification that was made here. */
export function reportVerification({
  clock,
  log,
  metrics,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<RequestLogger, "error">;
  readonly metrics: Pick<Metrics, "watch" | "suspicious">;
}): (result: Verification) => void {
  let mismatches = 0;
  metrics.watch({
    name: "ledger_mismatches",
    help: "Rows of the ledger that did not agree when it was last verified here; anything but 0 is an alarm.",
    together: "max",
    read: () => mismatches,
  });
  let verifiedAtSeconds = 0;
  metrics.watch({
    name: "ledger_verified_timestamp_seconds",
    help: "When the ledger was last verified here, in seconds since 1970; 0: not since this process began.",
    together: "max",
    read: () => verifiedAtSeconds,
  });
  return (result) => {
    mismatches = result.mismatches.length;
    verifiedAtSeconds = Math.floor(clock.now().getTime() / 1000);
    if (mismatches === 0) return;
    metrics.suspicious("ledger_mismatch");
    log.error(
      { mismatches, first: result.mismatches.slice(0, 10) },
      "the ledger does not add up: tollgate ledger verify",
    );
  };
}
