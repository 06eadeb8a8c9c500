/**
 * A process that credits and corrects accounts as an operator, on the word of a test that runs
 * several of them.
 */
import { openDatabase } from "../../src/db/database.ts";
import { adjustAccount, creditAccount } from "../../src/business/operate/move-money.ts";
import type { CreditClass } from "../../src/contract/enums/credit-class.ts";
import { toFault } from "../../src/kernel/faults.ts";
import { newUuid } from "../../src/kernel/ids.ts";

export interface MoneyOrder {
  readonly kind: "credit" | "adjust";
  readonly accountId: string;
  readonly amount: string;
  /** Absent: paid. */
  readonly class?: CreditClass;
  readonly ref: string;
}

/** `booked`, `repeated`, or a fault's code, aligned with the orders. */
export type MoneyReport = { readonly ready: true } | { readonly outcomes: readonly string[] };

const db = openDatabase({
  url: process.argv[2] ?? "",
  poolSize: 8,
  applicationName: "credit process",
  onError: () => undefined,
});
const operator = { memberId: newUuid(), email: `op-${process.pid}@example.test` };

process.on("message", (orders: readonly MoneyOrder[]) => {
  const done = orders.map(async ({ kind, accountId, amount, ref, class: creditClass = "paid" }) => {
    const move = kind === "credit" ? creditAccount : adjustAccount;
    try {
      return (
        await move(db, operator, accountId, { amount, class: creditClass, ref, reason: "test" })
      ).outcome;
    } catch (error) {
      return toFault(error).code;
    }
  });
  void Promise.all(done).then((outcomes) => process.send?.({ outcomes } satisfies MoneyReport));
});
// A test that ended, however it ended, leaves no process behind.
process.on("disconnect", () => process.exit());
process.send?.({ ready: true } satisfies MoneyReport);
