/**
 * Sees to it that months of what grows for ever are there long before they begin, in whatever process
 * runs, and that those which were kept long enough go.
 */
import {
  dropOldLogMonths,
  keepLogMonthsAhead,
  type KeptMonths,
} from "../business/operate/months-of-logs.store.ts";
import { keepMonthsAhead } from "../ledger/months.store.ts";
import { repeat, type Repeater } from "../process/repeat.ts";
import type { Parts } from "./parts.ts";

const KEEP_MS = 3_600_000;

export interface KeepMonthsDeps extends Pick<Parts, "db" | "onError"> {
  readonly kept: KeptMonths;
  onDropped(months: readonly string[]): void;
}

/** At once, and every hour; what fails is reported, and tried again. To be stopped. */
export function keepMonths({ db, onError, kept, onDropped }: KeepMonthsDeps): Repeater {
  const works: Readonly<Record<string, () => Promise<void>>> = {
    "the months of the ledger could not be made": () => db.transaction(keepMonthsAhead),
    "the months of logs could not be made": () => db.transaction(keepLogMonthsAhead),
    "old months of logs could not be dropped": async () => {
      const gone = await dropOldLogMonths(db, kept);
      if (gone.length > 0) onDropped(gone);
    },
  };
  const first = Object.entries(works).reduce(
    (before, [failure, work]) =>
      before.then(() => work().catch((error: unknown) => onError(failure, error))),
    Promise.resolve(),
  );
  const repeater = repeat(
    onError,
    Object.fromEntries(
      Object.entries(works).map(([failure, work]) => [failure, [KEEP_MS, work] as const]),
    ),
  );
  return {
    async stop() {
      await first;
      await repeater.stop();
    },
  };
}
