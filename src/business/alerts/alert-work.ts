/**
 * Looks at every account whose money moved since it was looked at, and at those that were never
 * looked at.
 */
import type { Uuid } from "../../kernel/ids.ts";
import type { AlertDeps } from "./alert-deps.ts";
import { movedAccounts } from "./ledger-moves.store.ts";
import { beginLooking, lookAtAccounts } from "./look-at-account.ts";

export interface AlertWork {
  /** Once through all accounts. */
  tick(): Promise<void>;
  stop(): void;
}

const AT_ONCE = 200;
/** Accounts of one transaction. */
const TOGETHER = 200;

export function createAlertWork(
  deps: AlertDeps & { onError(what: string, error: unknown): void },
): AlertWork {
  let stopped = false;

  /** Whether it went well; the others are looked at all the same, and this one again next time. */
  async function tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      deps.onError("accounts could not be looked at for their alerts", error);
      return false;
    }
  }

  /** Where one account is in the way of the others, each is looked at by itself. */
  async function look(accountIds: readonly Uuid[]): Promise<void> {
    if ((await tried(() => lookAtAccounts(deps, accountIds))) || accountIds.length === 1) return;
    for (const accountId of accountIds) {
      if (stopped) return;
      await tried(() => lookAtAccounts(deps, [accountId]));
    }
  }

  return {
    async tick() {
      let after: Uuid | null = null;
      for (;;) {
        const moved: { readonly accountId: Uuid; readonly fresh: boolean }[] = await movedAccounts(
          deps.db,
          after,
          AT_ONCE,
        );
        const known = moved.filter(({ fresh }) => !fresh).map(({ accountId }) => accountId);
        for (const { accountId } of moved.filter(({ fresh }) => fresh)) {
          if (stopped) return;
          await tried(() => deps.db.transaction((tx) => beginLooking(tx, accountId)));
        }
        for (let at = 0; at < known.length && !stopped; at += TOGETHER)
          await look(known.slice(at, at + TOGETHER));
        if (stopped || moved.length < AT_ONCE) return;
        after = moved.at(-1)?.accountId ?? null;
      }
    },
    stop() {
      stopped = true;
    },
  };
}
