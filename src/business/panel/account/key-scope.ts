/**
 * Which keys of its account a member sees and touches: all of them, or, of a developer, its own.
 * What was spent, requested and ordered with the others is not there for it.
 */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { ownersOfKeys, keysOfOwner } from "../../../keys/owners.store.ts";
import { findAccountKey } from "./list-account-keys.ts";

export interface KeyScope {
  readonly accountId: Uuid;
  /** Null: of whatever owner. */
  readonly ownerId: Uuid | null;
}

export function keyScopeOf({
  accountId,
  memberId,
  role,
}: Pick<MemberCaller, "accountId" | "memberId" | "role">): KeyScope {
  return { accountId, ownerId: role === "developer" ? memberId : null };
}

/**
 * Of one key by its hash, or of all that are seen; null: of all keys of the account, and of what was
 * spent without one. Throws the same Fault("not_found") for a key that is not seen and for one that
 * never was.
 */
export async function keyIdsOf(
  q: Queryable,
  { accountId, ownerId }: KeyScope,
  hash: string | null,
): Promise<readonly Uuid[] | null> {
  if (hash !== null) return [(await findAccountKey(q, accountId, hash, ownerId)).keyId];
  return ownerId === null ? null : keysOfOwner(q, accountId, ownerId);
}

/** Whether what was done with this key is seen; null: with none. */
export async function isSeenBy(
  q: Queryable,
  { accountId, ownerId }: { readonly accountId: Uuid | null; readonly ownerId: Uuid | null },
  keyId: Uuid | null,
): Promise<boolean> {
  if (ownerId === null) return true;
  if (keyId === null || accountId === null) return false;
  return (await ownersOfKeys(q, accountId, [keyId])).get(keyId) === ownerId;
}

/**
 * Throws the same Fault("not_found") as for a key that never was. To be asked before anything is said
 * of the key; a command asks again while it holds the key (`recorded-keys.ts`).
 */
export async function checkKeySeen(q: Queryable, scope: KeyScope, hash: string): Promise<void> {
  if (scope.ownerId !== null) await findAccountKey(q, scope.accountId, hash, scope.ownerId);
}
