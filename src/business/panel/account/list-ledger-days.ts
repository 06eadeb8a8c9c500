/** An account's ledger folded by day: what it had, what came in, what was spent, what was left. */
import type { LedgerDay, LedgerDayPage } from "../../../contract/panel/ledger-days.ts";
import { sayFieldRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, nano } from "../../../kernel/money.ts";
import { pastMonths } from "../../../ledger/seals.store.ts";
import type { Books } from "../../past/books.ts";
import { dayBefore, isDay } from "./days.ts";
import { bookedDays, firstBookedDay, type BookedDay } from "./ledger-days.store.ts";
import { moscowNow } from "./spend.store.ts";

export interface LedgerDaysWish {
  /** YYYY-MM-DD, of Moscow, both included; null: no such bound. */
  readonly from: string | null;
  readonly to: string | null;
  /** The day to go on from; null: the newest. */
  readonly cursor: string | null;
  /** Days to look at. */
  readonly limit: number;
}

/** Throws Fault("invalid_request") for a day that there is not. */
export async function listLedgerDays(
  books: Books,
  accountId: Uuid,
  wish: LedgerDaysWish,
): Promise<LedgerDayPage> {
  for (const param of ["from", "to", "cursor"] as const)
    if (wish[param] !== null && !isDay(wish[param]))
      throw new Fault("invalid_request", sayFieldRefusal(param, "no_day"));
  const { today } = await moscowNow(books);
  const first = await firstBookedDay(books, accountId);
  const archivedThrough = await lastArchivedDay(books, accountId);
  const least = [wish.from, first, archivedThrough === null ? null : dayBefore(archivedThrough, -1)]
    .filter((day) => day !== null)
    .reduce((latest, day) => (day > latest ? day : latest), "");
  const last = [today, wish.to, wish.cursor]
    .filter((day) => day !== null)
    .reduce((earliest, day) => (day < earliest ? day : earliest));
  if (first === null || last < least) return { data: [], nextCursor: null, archivedThrough };
  const begin = dayBefore(last, wish.limit - 1);
  const from = begin > least ? begin : least;
  // One more, for what is left when the last one ends: today ends with what there is now.
  const days = await bookedDays(books, accountId, { from, to: dayBefore(last, -1) });
  return {
    data: foldedDays(days),
    nextCursor: from > least ? dayBefore(from) : null,
    archivedThrough,
  };
}

/**
 * Each but the newest, which only tells what the one before it ends with. Days in which nothing
 * moved are left out.
 */
export function foldedDays(days: readonly BookedDay[]): LedgerDay[] {
  return days.slice(1).flatMap(({ day, openingNano, chargedNano, requests }, index) => {
    const closingNano = days[index]?.openingNano ?? openingNano;
    const creditedNano = nano(closingNano - openingNano + chargedNano);
    if (creditedNano === 0n && chargedNano === 0n && requests === 0n) return [];
    return {
      day,
      opening: formatRoubles(openingNano),
      credited: formatRoubles(creditedNano),
      charged: formatRoubles(chargedNano),
      closing: formatRoubles(closingNano),
      requests: Number(requests),
    };
  });
}

/** In Moscow; a request that began in an archived month may have been booked on the next day. */
async function lastArchivedDay(books: Books, accountId: Uuid): Promise<string | null> {
  const moments = (await pastMonths(books, accountId)).map(({ lastAt }) => lastAt.getTime());
  if (moments.length === 0) return null;
  return new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Moscow" }).format(
    Math.max(...moments),
  );
}
