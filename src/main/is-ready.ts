/** Whether this process should get requests: the database answers and no drain has begun (contract §11). */
import { answers } from "../db/answers.ts";
import type { Db } from "../db/database.ts";
import type { ReadinessReport } from "../http/routes/service.ts";

const DATABASE_LIMIT_MS = 2_000;

export async function isReady(state: {
  readonly db: Db;
  readonly ledger: { readonly silent: boolean };
  readonly draining: boolean;
}): Promise<ReadinessReport> {
  const answering = (await answers(state.db, DATABASE_LIMIT_MS)) && !state.ledger.silent;
  const checks = { database: answering ? "ok" : "does not answer", draining: state.draining ? "in progress" : "ok" };
  return { ok: Object.values(checks).every((check) => check === "ok"), checks };
}
