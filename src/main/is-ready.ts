/** Whether this process should get requests: the database answers and no drain has begun (contract §11). */
import { answers } from "../db/answers.ts";
import type { Db } from "../db/database.ts";
import type { ReadinessReport } from "../http/routes/service.ts";

const DATABASE_LIMIT_MS = 2_000;

export async function isReady(db: Db, draining: boolean): Promise<ReadinessReport> {
  const checks = { database: (await answers(db, DATABASE_LIMIT_MS)) ? "ok" : "does not answer", draining: draining ? "in progress" : "ok" };
  return { ok: Object.values(checks).every((check) => check === "ok"), checks };
}
