/**
 * Takes a member out of its account, with all its sessions: owners anybody, everybody oneself. Its
 * keys go on as the account's: what runs by them does not stop with a person.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { deleteMember, holdRoles, memberNames } from "../../accounts/members.store.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { setMemberGroup } from "../../keys/member-groups.store.ts";
import { releaseKeys } from "../../keys/owners.store.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import { forgetCode, unlinkMember } from "../telegram/chats.store.ts";
import { dropOfMember } from "../telegram/messages.store.ts";
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
    const another = memberId !== caller.memberId;
    // A developer is shown no other member.
    if (!roles.has(memberId) || (another && caller.role === "developer"))
      throw new Fault("not_found");
    if (another && (caller.role !== "owner" || roles.get(caller.memberId) !== "owner")) {
      throw new Fault("permission_denied", sayRefusal("owners_remove"));
    }
    checkNotLastOwner(roles, memberId);
    const [named] = await memberNames(tx, caller.accountId, [memberId]);
    const keys = await releaseKeys(tx, caller.accountId, memberId);
    await setMemberGroup(tx, { accountId: caller.accountId, memberId, groupId: null });
    // With the member go its chat and what waits for it: it learns nothing more of the account.
    await forgetCode(tx, memberId);
    await unlinkMember(tx, memberId);
    await dropOfMember(tx, memberId, "the member was removed");
    await deleteMember(tx, memberId);
    const about = { subjectId: memberId, subject: named?.email ?? null };
    const before = { role: roles.get(memberId), keys };
    await recordAct(tx, caller, { action: "member.remove", ...about, before, after: null });
  });
}
