/** Refuses a task of a key or an account that has as many unfinished ones as it may have. */
import { findAccountLimits } from "../../accounts/store.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { countUnfinished } from "../../tasks/counts.store.ts";

/** When a running task ends is not known. */
const RETRY_AFTER_SECONDS = 5;

/**
 * To be asked in the transaction that orders the task, behind its hold: that has locked the
 * account's money, so orders of one account come one after the other, whatever process takes them.
 * Throws Fault("rate_limit_exceeded"), and tells `onRefused` whose limit it was.
 */
export async function checkUnfinished(
  tx: Tx,
  { accountId, keyId, maxTasks: mostOfKey }: KeyRecord,
  onRefused: (of: "key" | "account") => void,
): Promise<void> {
  const mostOfAccount = (await findAccountLimits(tx, accountId))?.maxTasks ?? null;
  if (mostOfKey === null && mostOfAccount === null) return;
  const most = Math.max(mostOfKey ?? 0, mostOfAccount ?? 0);
  const { ofKey, ofAccount } = await countUnfinished(tx, { accountId, keyId, most });
  const refuse = (of: "key" | "account", limit: number): never => {
    onRefused(of);
    const seconds = RETRY_AFTER_SECONDS;
    throw new Fault("rate_limit_exceeded", {
      ...sayRefusal("rate_limit_reached", { of, kind: "tasks", limit, seconds }),
      retryAfterSeconds: seconds,
    });
  };
  if (mostOfKey !== null && ofKey >= mostOfKey) refuse("key", mostOfKey);
  if (mostOfAccount !== null && ofAccount >= mostOfAccount) refuse("account", mostOfAccount);
}
