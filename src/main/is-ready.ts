/** Whether this process should get requests: the database answers and no drain has begun (contract §11). */
import { accessSync, constants } from "node:fs";
import type { Db } from "../db/database.ts";
import type { ReadinessReport } from "../http/routes/service.ts";

const DATABASE_LIMIT_MS = 2_000;

export async function isReady(db: Db, state: { draining(): boolean; readonly storageFolder?: string }): Promise<ReadinessReport> {
  const database = await answersInTime(db);
  const storage = state.storageFolder === undefined || isWritable(state.storageFolder) ? "ok" : "not writable";
  const draining = state.draining() ? "in progress" : "ok";
  const checks = { database, storage, draining };
  return { ok: Object.values(checks).every((check) => check === "ok"), checks };
}

async function answersInTime(db: Db): Promise<string> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve("does not answer"), DATABASE_LIMIT_MS);
  try {
    return await Promise.race([late, db.query("SELECT 1").then(() => "ok")]);
  } catch {
    return "does not answer";
  } finally {
    clearTimeout(timer);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
