/**
 * Gives a key's place to a new one with the same settings; the old one lives on for a while, so
 * that programs can follow.
 */
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { PanelKeyMade } from "../../../contract/panel/panel-key.ts";
import type { Db } from "../../../db/database.ts";
import { assert } from "../../../kernel/assert.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Fault } from "../../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../../kernel/ids.ts";
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import { hashKeySecret, maskKeySecret, newKeySecret } from "../../../kernel/secrets.ts";
import { replaceKey } from "../../../keys/change.store.ts";
import { insertKey, markKeyDeleted } from "../../../keys/store.ts";
import { closeBudget, isLeased, succeedBudget } from "../../../ledger/budgets.store.ts";
import { recallForCommand, recallForRoom } from "../../../ledger/recall.ts";
import { followRolledKey } from "../../alerts/follow-rolled-key.ts";
import { lockAccountKey } from "./change-account-key.ts";
import { keyView } from "./key-view.ts";

/**
 * The new key has the limit of the old one, and what was used of it before is used: charged in the
 * running period, or held. Both together pass it at most by what the old key is admitted for after
 * the roll; without an overlap the old key is deleted, and they never do. Alerts about the old key
 * are about the new one from then on. A key is rolled once, so a second click makes no third key.
 * Faults: `not_found`; `conflict` for a key that was rolled, deleted, or has expired.
 */
export async function rollAccountKey(
  db: Db,
  clock: Clock,
  accountId: Uuid,
  { hash, overlapHours }: { readonly hash: string; readonly overlapHours: number },
): Promise<PanelKeyMade> {
  const secret = newKeySecret();
  const keyId = newUuid();
  const rollOnce = (mayBeLeased: boolean) =>
    db.transaction(async (tx) => {
      const old = await lockAccountKey(tx, accountId, hash);
      if ((old.rolledTo ?? null) !== null) throw new Fault("conflict", sayRefusal("key_rolled"));
      if (old.expiresAt !== null && old.expiresAt <= clock.now()) {
        throw new Fault("conflict", sayRefusal("key_expired"));
      }
      const { name, expiresAt, models, ips, groupId, ownerId = null } = old;
      const key = await insertKey(tx, {
        keyId,
        accountId,
        hash: hashKeySecret(secret),
        mask: maskKeySecret(secret),
        name,
        expiresAt,
        models,
        ips,
        groupId,
        ownerId,
        ...rateLimitsOf(old),
      });
      await replaceKey(tx, old, { keyId, overlapHours });
      await followRolledKey(tx, accountId, old, key);
      if (overlapHours === 0) await markKeyDeleted(tx, old.hash);
      // Last, because requests of the old key wait for it.
      if (!mayBeLeased && (await isLeased(tx, old.keyId))) throw new Leased();
      assert(
        (await succeedBudget(tx, keyId, old.keyId)) === "opened",
        "every key has its budget in the ledger",
      );
      if (overlapHours === 0) await closeBudget(tx, old.keyId);
      return { secret, key: await keyView(tx, clock, key) };
    });
  // What a lease holds without need would count as used for the new key.
  const made = await tryRecalled(db, accountId, rollOnce);
  // The secret is given once: it is not lost for a process that does not answer.
  if (overlapHours === 0) await recallForCommand(db, accountId).catch(() => undefined);
  return made;
}

class Leased extends Error {}

/** A process that was asked to give its lease back takes no other one for a second. */
const RECALLS = 4;

async function tryRecalled<T>(
  db: Db,
  accountId: Uuid,
  attempt: (mayBeLeased: boolean) => Promise<T>,
): Promise<T> {
  for (let recalls = 0; ; recalls++) {
    try {
      return await attempt(recalls === RECALLS);
    } catch (error) {
      if (!(error instanceof Leased)) throw error;
      await recallForRoom(db, accountId);
    }
  }
}
