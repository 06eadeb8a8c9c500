/** Verifies the ledger every hour, and when an operator asks for it. */
import { runVerification } from "../../business/operate/run-verification.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";
import { patientWork } from "./patient-work.ts";

/** How late one that was asked for begins. */
const LOOK_MS = 5_000;

/**
 * To be stopped; what is under way is broken off, and begun anew by the process that works next.
 */
export function workVerify(deps: PanelWorkDeps): { stop(): Promise<void> } {
  const { db, ownerId, clock, log, metrics } = deps;
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
  const onVerified: Parameters<typeof runVerification>[0]["onVerified"] = (result) => {
    mismatches = result.mismatches.length;
    verifiedAtSeconds = Math.floor(clock.now().getTime() / 1000);
    if (mismatches === 0) return;
    metrics.suspicious("ledger_mismatch");
    log.error(
      { mismatches, first: result.mismatches.slice(0, 10) },
      "the ledger does not add up: tollgate ledger verify",
    );
  };
  return patientWork(deps, {
    name: "verify",
    pauseMs: LOOK_MS,
    run: async (openPatient) =>
      void (await runVerification({ db, ownerId, openPatient, onVerified })),
  });
}
