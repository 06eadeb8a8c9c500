/**
 * An account's money over a time: what there was, what came and went, what is left. For the
 * customer's bookkeeper, who closes a month.
 */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { LedgerTurnover } from "../../../contract/panel/ledger-turnover.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, nano } from "../../../kernel/money.ts";
import { sumTurnover } from "../../../ledger/turnover.store.ts";
import { BEGINNING, markAfter, markBefore } from "./marks.store.ts";

/** Booked from this moment on, and before that one; null: no such bound. */
export interface TurnoverRequest {
  readonly from: Date | null;
  readonly to: Date | null;
}

export async function readTurnover(
  q: Queryable,
  accountId: Uuid,
  { from, to }: TurnoverRequest,
): Promise<LedgerTurnover> {
  const begin = from === null ? BEGINNING : await markBefore(q, accountId, from);
  const end = to === null ? null : await markAfter(q, accountId, to);
  const sums = await sumTurnover(q, {
    accountId,
    from,
    to,
    above: begin.seq,
    upTo: end?.seq ?? null,
  });
  const opening = begin.balanceNano + sums.beforeNano;
  return {
    opening: formatRoubles(nano(opening)),
    toppedUp: formatRoubles(sums.toppedUpNano),
    adjusted: formatRoubles(sums.adjustedNano),
    charged: formatRoubles(sums.chargedNano),
    closing: formatRoubles(
      nano(opening + sums.toppedUpNano + sums.adjustedNano - sums.chargedNano),
    ),
    currency: CURRENCY,
  };
}
