/** Verifies the ledger every hour, and when an operator asks for it. */
import { openDatabase } from "../../db/database.ts";
import { runVerification } from "../../gateway/operate/run-verification.ts";
import { breakOff } from "../../gateway/operate/verifications.store.ts";
import { every } from "../every.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";

/** How late one that was asked for begins. */
const LOOK_MS = 5_000;

/** To be stopped; what is under way is broken off, and begun anew by whoever works next. */
export function workVerify(deps: PanelWorkDeps): { stop(): Promise<void> } {
  const { db, databaseUrl, ownerId, log, metrics, onError } = deps;
  const applicationName = `tollgate verify ${ownerId}`;
  let mismatches = 0;
  let stopping = false;
  metrics.watch({
    name: "ledger_mismatches",
    help: "Rows of the ledger that did not agree when it was last verified here; anything but 0 is an alarm.",
    together: "max",
    read: () => mismatches,
  });
  const looking = every(
    LOOK_MS,
    async () => {
      await runVerification({
        db,
        ownerId,
        openPatient: () =>
          openDatabase({
            url: databaseUrl,
            poolSize: 1,
            applicationName,
            onError: (error) => {
              if (!stopping) onError("the connection of the ledger's verification broke", error);
            },
          }),
        onVerified(result) {
          mismatches = result.mismatches.length;
          if (mismatches === 0) return;
          metrics.suspicious("ledger_mismatch");
          log.error({ mismatches, first: result.mismatches.slice(0, 10) }, "the ledger does not add up: tollgate ledger verify");
        },
      });
    },
    (error) => {
      if (!stopping) onError("the ledger could not be verified", error);
    },
  );
  return {
    async stop() {
      stopping = true;
      await breakOff(db, applicationName).catch((error: unknown) => onError("a verification could not be broken off", error));
      await looking.stop();
    },
  };
}
