/** Sums what was earned on days that are over, before anybody asks for them. */
import type { Db } from "../../db/database.ts";
import { daysToSum, keepDay, lastDays } from "./margin.store.ts";

/** As far back as a report goes. */
export const MARGIN_DAYS = 92;

/**
 * `patient`: a day of many requests takes its time. Each day is kept by itself, so what was done
 * stays done.
 */
export async function keepMargins(patient: Db): Promise<void> {
  const { from, to } = await lastDays(patient, MARGIN_DAYS);
  for (const { day, over } of await daysToSum(patient, from, to)) {
    if (!over) continue;
    await patient.transaction((tx) => keepDay(tx, day));
  }
}
