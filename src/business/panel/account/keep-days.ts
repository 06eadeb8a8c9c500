/** Adds up what was spent on days that are over, before anyone asks for a month of them. */
import type { Db } from "../../../db/database.ts";
import { keepNextDay } from "./keep-days.store.ts";

/** `patient`: a day of many requests takes its time. Each day is kept by itself. */
export async function keepDays(patient: Pick<Db, "transaction">): Promise<void> {
  while (await patient.transaction(keepNextDay));
}
