/** Adds up what was spent on days that are over, before anyone asks for a month of them. */
import type { Db } from "../../../db/database.ts";
import { DAY_SUMS, keepNextDay } from "./keep-days.store.ts";

/** `patient`: a day of many requests takes its time. Each day is kept by itself. */
export async function keepDays(patient: Pick<Db, "transaction">): Promise<void> {
  for (const sums of DAY_SUMS) while (await patient.transaction((tx) => keepNextDay(tx, sums)));
}
