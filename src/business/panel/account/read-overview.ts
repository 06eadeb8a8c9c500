/** An account at a glance: its money, how long that lasts, and what it went to. */
import { CURRENCY } from "../../../contract/enums/currency.ts";
import type { Overview } from "../../../contract/panel/overview.ts";
import type { Db } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { formatRoubles, type Nano } from "../../../kernel/money.ts";
import { findKeyNames } from "../../../keys/names.store.ts";
import { balanceIn } from "../../../serving/money/read-balance.ts";
import { dayBefore, daysBetween } from "./days.ts";
import { dayRows } from "./read-spend.ts";
import { addUp, byCharge, sumsView } from "./spend-view.ts";
import { moscowNow, readOneSnapshot, spendGroups, type SummedBy } from "./spend.store.ts";

const TOP = 5;
/** The mean goes over so many full days. */
const MEAN_DAYS = 7;

export async function readOverview(
  db: Pick<Db, "transaction">,
  accountId: Uuid,
): Promise<Overview> {
  return db.transaction(async (q) => {
    // One snapshot: what is charged and what is left belong together.
    await readOneSnapshot(q);
    const { now, today } = await moscowNow(q);
    const from = dayBefore(today, 29);
    const balance = await balanceIn(q, accountId);
    const sums = (by: SummedBy) => spendGroups(q, { accountId, from, to: today }, by);
    const days = await sums("day");
    const since = (day: string) => days.filter((group) => (group.day ?? "") >= day);
    const fullDays = days.filter(
      ({ day }) => day !== null && day < today && day >= dayBefore(today, MEAN_DAYS),
    );
    const spentNano = addUp(fullDays).chargedNano;
    const top = async (by: SummedBy) =>
      (await sums(by))
        .filter(({ chargedNano }) => chargedNano > 0n)
        .sort(byCharge)
        .slice(0, TOP);
    const keys = await top("key");
    const models = await top("model");
    const names = await findKeyNames(
      q,
      keys.flatMap(({ keyId }) => keyId ?? []),
    );
    return {
      asOf: now.toISOString(),
      currency: CURRENCY,
      balance: formatRoubles(balance.balanceNano),
      held: formatRoubles(balance.heldNano),
      available: formatRoubles(balance.availableNano),
      blocked: balance.state === "blocked",
      today: sumsView(addUp(since(today))),
      last7Days: sumsView(addUp(since(dayBefore(today, 6)))),
      last30Days: sumsView(addUp(days)),
      dailyMean: formatRoubles((spentNano / BigInt(MEAN_DAYS)) as Nano),
      runsOutInDays: spentNano === 0n ? null : daysLeft(balance.balanceNano, spentNano),
      byDay: dayRows(daysBetween(from, today), days),
      topKeys: keys.map(({ keyId, chargedNano }) => ({
        key: names.get(keyId ?? "") ?? null,
        charged: formatRoubles(chargedNano),
      })),
      topModels: models.map(({ model, chargedNano }) => ({
        model: model ?? "",
        charged: formatRoubles(chargedNano),
      })),
    };
  });
}

/** A customer who spends next to nothing has enough for ever. */
const MOST_DAYS_LEFT = 36_500n;

function daysLeft(balanceNano: Nano, spentNano: Nano): number {
  const days = (balanceNano * BigInt(MEAN_DAYS)) / spentNano;
  return Number(days > MOST_DAYS_LEFT ? MOST_DAYS_LEFT : days);
}
