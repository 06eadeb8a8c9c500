/**
 * Makes an API key: the secret goes to the caller once, its hash to the store, its spend limit to
 * the ledger, in one transaction.
 */
import { findAccount } from "../../accounts/store.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isUuid, newUuid, type Uuid } from "../../kernel/ids.ts";
import { hashKeySecret, maskKeySecret, newKeySecret } from "../../kernel/secrets.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { insertKeyOnce } from "../../keys/store.ts";
import { placeBudget } from "../../ledger/budget-groups.store.ts";
import { openBudget } from "../../ledger/budgets.store.ts";
import { lockLiveGroup } from "./lock-live-group.ts";
import { lockOwner } from "./lock-owner.ts";
import { readKeySettings, type KeySettings } from "./read-key-settings.ts";

export interface NewKeyRequest extends KeySettings {
  readonly accountId: string;
  /** Of the form that asks for it: the same one again makes no second key. */
  readonly once?: Uuid | null;
  /** In which it begins; absent: in none. */
  readonly groupId?: Uuid | null;
  /** The member whose it is; absent: the account's. */
  readonly ownerId?: Uuid | null;
}

export type NewKeyOutcome =
  /** The secret is nowhere else; it cannot be shown again. */
  | { readonly kind: "created"; readonly secret: string; readonly key: KeyRecord }
  /** By the same `once`. */
  | { readonly kind: "made-before" }
  | { readonly kind: "unknown-account" };

/**
 * Throws Fault("invalid_request") naming the field that is not valid, Fault("not_found") for a
 * group or a member that is not the account's. `record` writes down in the
 * transaction that it was made.
 */
export async function createKey(
  db: Db,
  clock: Clock,
  request: NewKeyRequest,
  record?: (tx: Tx, key: KeyRecord, settings: KeySettings) => Promise<void>,
): Promise<NewKeyOutcome> {
  const settings = readKeySettings(clock, request);
  const { accountId } = request;
  if (!isUuid(accountId)) return { kind: "unknown-account" };
  const secret = newKeySecret();
  const keyId = newUuid();
  const { groupId = null, ownerId = null } = request;
  return db.transaction<NewKeyOutcome>(async (tx) => {
    if (groupId !== null) await lockLiveGroup(tx, accountId, groupId);
    if (ownerId !== null) await lockOwner(tx, accountId, ownerId);
    if ((await findAccount(tx, accountId)) === null) return { kind: "unknown-account" };
    const { limit, ...stored } = settings;
    const once = request.once ?? null;
    const key = await insertKeyOnce(tx, {
      keyId,
      accountId,
      hash: hashKeySecret(secret),
      mask: maskKeySecret(secret),
      once,
      groupId,
      ownerId,
      ...stored,
    });
    if (key === null) return { kind: "made-before" };
    await openBudget(tx, {
      budgetId: keyId,
      accountId,
      limitNano: limit?.amountNano ?? null,
      period: limit?.period ?? "total",
    });
    if (groupId !== null) await placeBudget(tx, { accountId, budgetId: keyId, groupId });
    await record?.(tx, key, settings);
    return { kind: "created", secret, key };
  });
}
