/** What an account's entries of a time add up to, whether in the database or in the archive. */
import { ENTRY_COLUMNS } from "../../archive/entry-columns.ts";
import { rangesWhere } from "../../archive/rows-where.ts";
import { nano } from "../../kernel/money.ts";
import { type PastMonth, pastMonths } from "../../ledger/seals.store.ts";
import {
  sumBefore,
  sumTurnover,
  sumWholeTurnover,
  type Turnover,
  type TurnoverSearch,
} from "../../ledger/turnover.store.ts";
import type { Books } from "./books.ts";
import { microsOf } from "./past-rows.ts";

interface Sums {
  beforeNano: bigint;
  toppedUpNano: bigint;
  adjustedNano: bigint;
  chargedNano: bigint;
}

/** In one snapshot, of what is in the database. */
export async function sumAllTurnover(books: Books, search: TurnoverSearch): Promise<Turnover> {
  const { accountId, from } = search;
  // Where all of them lie before it, the balance at the beginning says it all.
  const isWhole = (gone: readonly PastMonth[]): boolean =>
    gone.every(({ lastAt }) => from !== null && lastAt < from);
  if (isWhole(await pastMonths(books, accountId))) {
    const whole = await sumWholeTurnover(books, search);
    // A month may have gone meanwhile.
    if (isWhole(await pastMonths(books, accountId))) return whole;
  }
  const here = await sumTurnover(books, search);
  const months = await pastMonths(books, accountId);
  const past = await sumPast(books, months, search);
  const beforeNano = from === null ? 0n : await sumBefore(books, accountId, from);
  return {
    openingNano: nano(past.beforeNano + beforeNano),
    toppedUpNano: nano(here.toppedUpNano + past.toppedUpNano),
    adjustedNano: nano(here.adjustedNano + past.adjustedNano),
    chargedNano: nano(here.chargedNano + past.chargedNano),
  };
}

async function sumPast(
  books: Books,
  months: readonly PastMonth[],
  search: TurnoverSearch,
): Promise<Sums> {
  const { from, to } = search;
  const sums: Sums = { beforeNano: 0n, toppedUpNano: 0n, adjustedNano: 0n, chargedNano: 0n };
  for (const month of months) {
    const { firstAt, lastAt, toppedUpNano, adjustedNano, chargedNano } = month;
    if (to !== null && firstAt >= to) continue;
    if (from !== null && lastAt < from)
      sums.beforeNano += toppedUpNano + adjustedNano - chargedNano;
    else if ((from === null || firstAt >= from) && (to === null || lastAt < to)) {
      sums.toppedUpNano += toppedUpNano;
      sums.adjustedNano += adjustedNano;
      sums.chargedNano += chargedNano;
    } else await addRows(books, month, search, sums);
  }
  return sums;
}

/** Of a month that begins or ends outside of that time. */
async function addRows(
  books: Books,
  { file: name }: PastMonth,
  { accountId, from, to }: TurnoverSearch,
  sums: Sums,
): Promise<void> {
  const file = await books.pastFile(name);
  const [first, end] = [from === null ? null : microsOf(from), to === null ? null : microsOf(to)];
  const all = {
    where: { accountId },
    by: "entryNo" as const,
    within: { from: null, below: null },
  };
  for await (const range of rangesWhere(file, ENTRY_COLUMNS, all)) {
    const [moments, kinds, amounts] = await Promise.all([
      file.column(range, "at"),
      file.column(range, "kind"),
      file.column(range, "amountNano"),
    ]);
    for (const [nth, at] of moments.entries()) {
      if (end !== null && at >= end) continue;
      const [kind, amount] = [kinds[nth], amounts[nth] ?? 0n];
      if (first !== null && at < first) {
        if (kind === "charge") sums.beforeNano -= amount;
        else if (kind === "topup" || kind === "adjust") sums.beforeNano += amount;
      } else if (kind === "topup") sums.toppedUpNano += amount;
      else if (kind === "adjust") sums.adjustedNano += amount;
      else if (kind === "charge") sums.chargedNano += amount;
    }
  }
}
