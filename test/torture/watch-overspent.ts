/** Looks for overspent accounts and keys all the time, from a connection of its own. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../src/db/database.ts";
import { readOverspent } from "./books-view.ts";
import type { Violation } from "./violation.ts";

const PAUSE_MS = 250;

export interface OverspentWatch {
  stop(): Promise<{ readonly samples: number; readonly violations: readonly Violation[] }>;
}

export function watchOverspent(db: Db): OverspentWatch {
  const seen = new Map<string, Violation>();
  let samples = 0;
  let busy = true;
  async function watch(): Promise<void> {
    while (busy) {
      // While the server is away there is nothing to see.
      const rows = await readOverspent(db).catch(() => null);
      if (rows !== null) samples += 1;
      for (const { what, id, total, sum } of rows ?? []) {
        const why = `${what} ${id}: ${total} is left by its totals, ${sum} by its entries`;
        seen.set(`${what} ${id}`, { what: "overspent", why, marker: null, chat: null });
      }
      await sleep(PAUSE_MS);
    }
  }
  const watching = watch();
  return {
    async stop() {
      busy = false;
      await watching;
      return { samples, violations: [...seen.values()] };
    },
  };
}
