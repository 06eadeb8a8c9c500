/** Looks at every account whose money moved since it was looked at, and at those that nobody looks at yet. */
import type { Uuid } from "../../kernel/ids.ts";
import type { AlertDeps } from "./alert-deps.ts";
import { movedAccounts } from "./ledger-moves.store.ts";
import { beginLooking, lookAtAccount } from "./look-at-account.ts";

export interface AlertWork {
  /** Once through all accounts. */
  tick(): Promise<void>;
  stop(): void;
}

const AT_ONCE = 200;

export function createAlertWork(deps: AlertDeps & { onError(what: string, error: unknown): void }): AlertWork {
  let stopped = false;

  async function look(accountId: Uuid, fresh: boolean): Promise<void> {
    try {
      if (fresh) await deps.db.transaction((tx) => beginLooking(tx, accountId));
      else await lookAtAccount(deps, accountId);
    } catch (error) {
      // The others are looked at all the same, and this one again next time.
      deps.onError("an account could not be looked at for its alerts", error);
    }
  }

  return {
    async tick() {
      let after: Uuid | null = null;
      for (;;) {
        const moved: { readonly accountId: Uuid; readonly fresh: boolean }[] = await movedAccounts(deps.db, after, AT_ONCE);
        for (const { accountId, fresh } of moved) {
          if (stopped) return;
          await look(accountId, fresh);
        }
        if (moved.length < AT_ONCE) return;
        after = moved.at(-1)?.accountId ?? null;
      }
    },
    stop() {
      stopped = true;
    },
  };
}
