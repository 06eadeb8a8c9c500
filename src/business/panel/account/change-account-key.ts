/**
 * Changes what a key may do: names, limits, models, addresses, expiry, its group, and whose it is.
 * What is left out stays as it is.
 */
import { sayRefusal } from "../../../contract/sentences/say-refusal.ts";
import type { PanelKey } from "../../../contract/panel/panel-key.ts";
import type { Db, Tx } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { rateLimitsOf } from "../../../kernel/rate-limits.ts";
import { changeKey, lockKey } from "../../../keys/change.store.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { placeKey } from "../../../keys/groups.store.ts";
import { setKeyOwner } from "../../../keys/owners.store.ts";
import { placeBudget } from "../../../ledger/budget-groups.store.ts";
import { budgetState, updateBudget } from "../../../ledger/budgets.store.ts";
import { recallForCommand } from "../../../ledger/recall.ts";
import { lockLiveGroup } from "../../keys/lock-live-group.ts";
import { lockOwner } from "../../keys/lock-owner.ts";
import { readKeySettings, type KeySettings } from "../../keys/read-key-settings.ts";
import { keyView } from "./key-view.ts";
import { findAccountKey } from "./list-account-keys.ts";
import { checkRevision } from "../../revision.ts";
import { keyRevision } from "./revision.ts";

export interface KeyWishes extends Partial<KeySettings> {
  /** Into which it goes; null: into none. */
  readonly groupId?: Uuid | null;
  /** Whose it shall be; null: the account's. */
  readonly ownerId?: Uuid | null;
  /** Of the settings that it is a change of; absent: of whatever they are. */
  readonly revision?: string;
}

/**
 * One after the other, whatever process changes it. Throws Fault("not_found") for a key, a
 * group or a member that is not the account's, Fault("conflict") for one that was deleted or whose settings are of another revision, Fault("invalid_request") on a wish
 * that cannot be.
 */
export async function changeAccountKey(
  db: Db,
  clock: Clock,
  accountId: Uuid,
  hash: string,
  { groupId, ownerId, revision, ...wishes }: KeyWishes,
): Promise<PanelKey> {
  await db.transaction(async (tx) => {
    // Before the key, as who deletes a group has it.
    if (groupId !== undefined && groupId !== null) await lockLiveGroup(tx, accountId, groupId);
    if (ownerId !== undefined && ownerId !== null) await lockOwner(tx, accountId, ownerId);
    const key = await lockAccountKey(tx, accountId, hash);
    const { keyId } = key;
    checkRevision(revision, keyRevision(key, (await budgetState(tx, [keyId])).get(keyId)));
    const { limit, ...settings } = settingsOf(clock, key, wishes);
    await changeKey(tx, key, settings);
    if (wishes.limit !== undefined) {
      await updateBudget(tx, {
        budgetId: key.keyId,
        limitNano: limit?.amountNano ?? null,
        period: limit?.period ?? "total",
      });
    }
    if (ownerId !== undefined) await setKeyOwner(tx, key, ownerId);
    if (groupId === undefined) return;
    await placeKey(tx, key, groupId);
    await placeBudget(tx, { accountId, budgetId: key.keyId, groupId });
  });
  // What was leased under another limit, or in another group, is measured by the new one when it is
  // asked for again.
  if (wishes.limit !== undefined || groupId !== undefined) await recallForCommand(db, accountId);
  return keyView(db, clock, await findAccountKey(db, accountId, hash));
}

/** As it stands once all that changed it before are done. */
export async function lockAccountKey(tx: Tx, accountId: Uuid, hash: string): Promise<KeyRecord> {
  const { keyId } = await findAccountKey(tx, accountId, hash);
  await lockKey(tx, accountId, keyId);
  const key = await findAccountKey(tx, accountId, hash);
  if (key.deletedAt !== null) throw new Fault("conflict", sayRefusal("key_deleted"));
  return key;
}

/** An expiry that has passed may stay while something else is changed, but cannot be set. */
function settingsOf(clock: Clock, key: KeyRecord, wishes: Partial<KeySettings>): KeySettings {
  const { name, expiresAt, models, ips } = key;
  const kept = { name, limit: null, expiresAt: null, models, ips, ...rateLimitsOf(key) };
  const read = readKeySettings(clock, { ...kept, ...wishes });
  return wishes.expiresAt === undefined ? { ...read, expiresAt } : read;
}
