/**
 * Keeps the daily sums of spend up with the ledger: any number of processes may do so at once, and
 * die at any moment.
 */
import type { Db, Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { foldParts, movedAccounts, nextAccounts } from "./fold-spend.store.ts";

export interface SpendFolder {
  /**
   * Counts what moved since the last time, and some of what moved no money. Returns how many
   * entries were counted.
   */
  round(): Promise<number>;
}

export interface SpendFolderOptions {
  /** Entries of one transaction. */
  readonly part?: number;
}

const PART = 5_000;
/** Accounts looked at in a round. */
const ACCOUNTS = 500;
/** Accounts of one transaction. */
const TOGETHER = 100;

export function createSpendFolder(
  db: Queryable & Pick<Db, "transaction">,
  { part = PART }: SpendFolderOptions = {},
): SpendFolder {
  let last: Uuid | null = null;

  /**
   * All that these accounts have; each time the entries of one transaction are shared by fewer of
   * them.
   */
  async function fold(accountIds: readonly Uuid[]): Promise<number> {
    let total = 0;
    for (let behind = accountIds; behind.length > 0;) {
      const limit = Math.ceil(part / behind.length);
      const accounts = behind;
      const counted = await db.transaction((tx) => foldParts(tx, accounts, limit));
      for (const entries of counted.values()) total += entries;
      behind = accounts.filter((accountId) => counted.get(accountId) === limit);
    }
    return total;
  }

  async function inTurn(): Promise<Uuid[]> {
    const next = await nextAccounts(db, last, ACCOUNTS);
    last = next.length < ACCOUNTS ? null : (next.at(-1)?.accountId ?? null);
    return next.filter(({ behind }) => behind).map(({ accountId }) => accountId);
  }

  return {
    async round() {
      let total = 0;
      const accounts = [
        ...new Set([...(await movedAccounts(db, ACCOUNTS)), ...(await inTurn())]),
      ].toSorted();
      for (let at = 0; at < accounts.length; at += TOGETHER)
        total += await fold(accounts.slice(at, at + TOGETHER));
      return total;
    },
  };
}
