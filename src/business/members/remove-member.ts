/** Takes a member out of its account, with all its sessions: owners anybody, everybody oneself. */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { deleteMember, holdRoles } from "../../accounts/members.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { checkNotLastOwner } from "./change-role.ts";
import type { MembersDeps } from "./members-deps.ts";

/**
 * Throws Fault("not_found") for an id that is no member of this account; "conflict" for the last
 * owner; "permission_denied".
 */
export async function removeMember(
  { db }: Pick<MembersDeps, "db">,
  caller: MemberCaller,
  memberId: Uuid,
): Promise<void> {
  await db.transaction(async (tx) => {
    const roles = await holdRoles(tx, caller.accountId);
    if (!roles.has(memberId)) throw new Fault("not_found");
    if (
      memberId !== caller.memberId &&
      (caller.role !== "owner" || roles.get(caller.memberId) !== "owner")
    ) {
      throw new Fault("permission_denied", sayRefusal("owners_remove"));
    }
    checkNotLastOwner(roles, memberId);
    await deleteMember(tx, memberId);
  });
}
