/**
 * An account's money over a time: what there was, what came and went, what is left. For the
 * customer's bookkeeper, who closes a month.
 */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { LedgerTurnover } from "../../../contract/panel/ledger-turnover.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, nano } from "../../../kernel/money.ts";
import type { Books } from "../../past/books.ts";
import { sumAllTurnover } from "../../past/sum-turnover.ts";

/** Booked from this moment on, and before that one; null: no such bound. */
export interface TurnoverRequest {
  readonly from: Date | null;
  readonly to: Date | null;
}

export async function readTurnover(
  books: Books,
  accountId: Uuid,
  { from, to }: TurnoverRequest,
): Promise<LedgerTurnover> {
  const { openingNano, toppedUpNano, adjustedNano, chargedNano } = await sumAllTurnover(books, {
    accountId,
    from,
    to,
  });
  return {
    opening: formatRoubles(openingNano),
    toppedUp: formatRoubles(toppedUpNano),
    adjusted: formatRoubles(adjustedNano),
    charged: formatRoubles(chargedNano),
    closing: formatRoubles(nano(openingNano + toppedUpNano + adjustedNano - chargedNano)),
    currency: CURRENCY,
  };
}
