/** Keeps the daily sums of spend up with the ledger: any number of processes may do so at once, and die at any moment. */
import type { Db } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { foldPart, movedAccounts, nextAccounts } from "./fold-spend.store.ts";

export interface SpendFolder {
  /** Counts what moved since the last time, and some of what moved no money. Returns how many entries were counted. */
  round(): Promise<number>;
}

export interface SpendFolderOptions {
  /** Entries of one transaction. */
  readonly part?: number;
}

const PART = 2_000;
/** Accounts looked at in a round. */
const ACCOUNTS = 500;

export function createSpendFolder(db: Pick<Db, "query" | "transaction">, { part = PART }: SpendFolderOptions = {}): SpendFolder {
  let last: Uuid | null = null;

  async function fold(accountId: Uuid): Promise<number> {
    for (let total = 0; ;) {
      const counted = await db.transaction((tx) => foldPart(tx, accountId, part));
      total += counted ?? 0;
      if (counted === null || counted < part) return total;
    }
  }

  async function inTurn(): Promise<Uuid[]> {
    const next = await nextAccounts(db, last, ACCOUNTS);
    last = next.length < ACCOUNTS ? null : (next.at(-1)?.accountId ?? null);
    return next.filter(({ behind }) => behind).map(({ accountId }) => accountId);
  }

  return {
    async round() {
      let total = 0;
      for (const accountId of new Set([...(await movedAccounts(db, ACCOUNTS)), ...(await inTurn())])) total += await fold(accountId);
      return total;
    },
  };
}
