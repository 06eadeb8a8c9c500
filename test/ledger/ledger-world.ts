/** Accounts, budgets and hold requests for tests of money, in whole nano-roubles. */
import type { BudgetPeriod } from "../../src/contract/enums/budget-period.ts";
import type { Db } from "../../src/db/database.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { openAccount } from "../../src/ledger/accounts.store.ts";
import { openBudget } from "../../src/ledger/budgets.store.ts";
import type { GrantVerdict, HoldRequest } from "../../src/ledger/hold-verdicts.ts";
import { credit } from "../../src/ledger/transfers.store.ts";

/** A new account with this much on it. */
export async function fundedAccount(db: Db, amount: bigint): Promise<Uuid> {
  const accountId = newUuid();
  await db.transaction(async (tx) => {
    await openAccount(tx, accountId);
    if (amount > 0n)
      await credit(tx, {
        accountId,
        amountNano: amount as Nano,
        reference: `test ${accountId}`,
        kind: "topup",
      });
  });
  return accountId;
}

export async function newBudget(
  db: Db,
  accountId: Uuid,
  limit: bigint | null,
  period: BudgetPeriod = "total",
): Promise<Uuid> {
  const budgetId = newUuid();
  await openBudget(db, { budgetId, accountId, limitNano: limit as Nano | null, period });
  return budgetId;
}

/** A request that takes `amount` or nothing. */
export function exactHold(
  accountId: Uuid,
  amount: bigint,
  rest: Partial<HoldRequest> = {},
): HoldRequest {
  return {
    holdId: newUuid(),
    accountId,
    budgetId: null,
    groupId: null,
    fullNano: null,
    sliceNano: amount as Nano,
    minimumNano: amount as Nano,
    reference: "request:test",
    priceVersion: 1,
    detail: "{}",
    ...rest,
  };
}

/** What a grant that is asked for again reports: how much room there was is not remembered. */
export function asRepeated(verdict: GrantVerdict): GrantVerdict {
  return verdict.kind === "leased" ? { ...verdict, roomNano: 0n as Nano } : verdict;
}
