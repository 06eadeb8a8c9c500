/**
 * Sees to it that the months of the ledger's entries are there long before they begin, in whatever
 * process runs.
 */
import { keepMonthsAhead } from "../ledger/months.store.ts";
import { repeat, type Repeater } from "../process/repeat.ts";
import type { Parts } from "./parts.ts";

const KEEP_MS = 3_600_000;

/** At once, and every hour; what fails is reported, and tried again. To be stopped. */
export function keepMonths({ db, onError }: Pick<Parts, "db" | "onError">): Repeater {
  const failure = "the months of the ledger could not be made";
  const keep = (): Promise<void> => db.transaction(keepMonthsAhead);
  const first = keep().catch((error: unknown) => onError(failure, error));
  const repeater = repeat(onError, { [failure]: [KEEP_MS, keep] });
  return {
    async stop() {
      await first;
      await repeater.stop();
    },
  };
}
