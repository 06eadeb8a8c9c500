/**
 * Whether this process should get requests: the database answers and has room, files can be stored
 * and read, and no drain has begun (contract §11).
 */
import { answers } from "../../db/answers.ts";
import type { Db } from "../../db/database.ts";
import type { ReadinessReport } from "./service.ts";

const ANSWER_LIMIT_MS = 2_000;

export async function isReady(state: {
  readonly db: Db;
  readonly ledger: { readonly silent: boolean };
  readonly files: { check(): Promise<void> };
  readonly draining: boolean;
}): Promise<ReadinessReport> {
  const [database, storage] = await Promise.all([
    answers(state.db, ANSWER_LIMIT_MS),
    succeeds(state.files.check()),
  ]);
  const checks = {
    database: await databaseState(state, database),
    storage: storage ? "ok" : "does not answer",
    draining: state.draining ? "in progress" : "ok",
  };
  return { ok: Object.values(checks).every((check) => check === "ok"), checks };
}

async function databaseState(
  { db, ledger }: { readonly db: Db; readonly ledger: { readonly silent: boolean } },
  answered: boolean,
): Promise<string> {
  if (!answered || ledger.silent) return "does not answer";
  return (await db.hasRoom()) ? "ok" : "its disk is full";
}

/** Why it does not is not told here: the answer is public. */
async function succeeds(work: Promise<void>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ANSWER_LIMIT_MS);
  const done = work.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([done, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
