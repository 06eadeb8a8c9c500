/** Whether the books add up, as far as it is known, and a verification on an operator's word. */
import { recordAction } from "./audit.store.ts";
import type { LedgerStatus, Verification } from "../../contract/panel/operator-ledger.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { totalMoney } from "../../ledger/accounts.store.ts";
import { countParked } from "../../usage/receipts.store.ts";
import { actorOf, type Operator } from "./operator.ts";
import { VERIFY_EVERY_MINUTES } from "./run-verification.ts";
import {
  askVerification,
  findLast,
  findPending,
  type StoredVerification,
} from "./verifications.store.ts";

export async function readLedgerStatus(q: Queryable): Promise<LedgerStatus> {
  const [last, pending, money, parkedReceipts] = await Promise.all([
    findLast(q),
    findPending(q),
    totalMoney(q),
    countParked(q),
  ]);
  return {
    last: last === null ? null : verificationView(last),
    pending: pending === null ? null : verificationView(pending),
    everyMinutes: VERIFY_EVERY_MINUTES,
    customers: { balance: formatRoubles(money.balanceNano), held: formatRoubles(money.heldNano) },
    parkedReceipts,
  };
}

/** One that waits or runs already is answered as it is, and nothing is logged. */
export function askForVerification(db: Db, operator: Operator): Promise<Verification> {
  return db.transaction(async (tx) => {
    const { asked, verification } = await askVerification(tx, operator.email);
    if (asked) {
      const { verificationId } = verification;
      await recordAction(tx, {
        ...actorOf(operator),
        action: "ledger.verify",
        accountId: null,
        subject: verificationId,
        reason: null,
        before: null,
        after: null,
      });
    }
    return verificationView(verification);
  });
}

function verificationView(stored: StoredVerification): Verification {
  const { startedAt, finishedAt, mismatches, failure } = stored;
  const ended = failure === null ? "done" : "broken_off";
  return {
    verificationId: stored.verificationId,
    state: finishedAt !== null ? ended : startedAt === null ? "waiting" : "running",
    askedBy: stored.askedBy,
    askedAt: stored.askedAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    durationMs:
      startedAt === null || finishedAt === null ? null : finishedAt.getTime() - startedAt.getTime(),
    checked: stored.checked,
    mismatchCount: stored.mismatchCount,
    mismatches: (mismatches ?? []).map((mismatch) => ({ ...mismatch })),
  };
}
