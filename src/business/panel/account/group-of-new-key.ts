/**
 * Into which group a new key goes: the one that was asked for, or that was chosen for the developer.
 */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { Queryable } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { memberGroups } from "../../../keys/member-groups.store.ts";

/**
 * A group that was deleted since is refused where the key is made: a developer's bound does not go
 * with it.
 */
export async function groupOfNewKey(
  q: Queryable,
  { accountId, memberId, role }: MemberCaller,
  asked: Uuid | null | undefined,
): Promise<{ readonly groupId: Uuid | null }> {
  if (role !== "developer") return { groupId: asked ?? null };
  return { groupId: (await memberGroups(q, accountId)).get(memberId)?.id ?? null };
}
