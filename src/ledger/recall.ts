/**
 * Recalls leases: asks every process that has one on an account to give back what it does not use,
 * and waits until it has.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../db/database.ts";
import { Fault } from "../kernel/faults.ts";
import type { Uuid } from "../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../kernel/limits.ts";
import { postAll } from "./journals.store.ts";
import { askForRecall, hasLeaseOut } from "./recalls.store.ts";

/** How long a request waits that would else be refused: only a process that does not hear takes longer. */
const REFUSAL_WAIT_MS = 2_000;
/** A process that has not answered by then is dead, and what it had is being released. */
const COMMAND_WAIT_MS = OWNER_LEASE_MS + 5_000;
const LOOK_AGAIN_MS = 8;
const LONGEST_LOOK_MS = 250;

/** For what is about to be refused for money: waits no longer than such an answer may. */
export async function recallForRoom(db: Db, accountId: Uuid): Promise<void> {
  await recall(db, accountId, REFUSAL_WAIT_MS);
}

const SHORT: ReadonlySet<string> = new Set([
  "insufficient_balance",
  "key_limit_exceeded",
  "group_limit_exceeded",
]);

/** Tries once more where money was short: processes may hold it ahead and not need it. */
export async function withRoom<T>(db: Db, accountId: Uuid, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Fault) || !SHORT.has(error.code)) throw error;
    await recallForRoom(db, accountId);
    return attempt();
  }
}

/**
 * For a command that closed a budget, changed a limit or stopped an account, once that is
 * committed: when this resolves, no process admits anything by what it leased before. Throws
 * Fault("overloaded") where one neither answered nor died in time; what was written stays.
 */
export async function recallForCommand(db: Db, accountId: Uuid): Promise<void> {
  if (await recall(db, accountId, COMMAND_WAIT_MS)) return;
  throw new Fault("overloaded", {
    message: "It is written, but one process has not confirmed it. Send it again to be sure.",
    retryAfterSeconds: 1,
  });
}

async function recall(db: Db, accountId: Uuid, waitMs: number): Promise<boolean> {
  const untilMs = performance.now() + waitMs;
  let pauseMs = LOOK_AGAIN_MS;
  for (let asked = false; ;) {
    await postAll(db);
    if (!(await hasLeaseOut(db, accountId))) return true;
    if (performance.now() >= untilMs) return false;
    // Again where it takes long: a process may have lost its connection when it was asked.
    if (!asked || pauseMs >= LONGEST_LOOK_MS) await askForRecall(db, accountId);
    asked = true;
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS); // not money: milliseconds
  }
}
