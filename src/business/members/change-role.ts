/** Gives a member of one's account another role: its sessions have it at their next request. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { changeRole, holdRoles, memberNames } from "../../accounts/members.store.ts";
import type { MemberRole } from "../../contract/enums/member-role.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import { checkRevision, revisionOf } from "../revision.ts";
import type { MembersDeps } from "./members-deps.ts";

/**
 * Throws Fault("not_found") for an id that is no member of this account; "conflict" for the last
 * owner, and for a change of another revision.
 */
export async function changeMemberRole(
  { db }: Pick<MembersDeps, "db">,
  caller: MemberCaller,
  change: { readonly memberId: Uuid; readonly role: MemberRole; readonly revision?: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const roles = await holdRoles(tx, caller.accountId);
    // The caller's own role may have changed since the request was let in.
    if (roles.get(caller.memberId) !== "owner")
      throw new Fault("permission_denied", sayRefusal("owners_give_roles"));
    const was = roles.get(change.memberId);
    if (was === undefined) throw new Fault("not_found");
    checkRevision(change.revision, roleRevision(was));
    if (change.role !== "owner") checkNotLastOwner(roles, change.memberId);
    if (was === change.role) return;
    await changeRole(tx, change.memberId, change.role);
    const [named] = await memberNames(tx, caller.accountId, [change.memberId]);
    const about = { subjectId: change.memberId, subject: named?.email ?? null };
    const roleWas = { before: { role: was }, after: { role: change.role } };
    await recordAct(tx, caller, { action: "member.role", ...about, ...roleWas });
  });
}

export function roleRevision(role: MemberRole): string {
  return revisionOf([role]);
}

/** An account without an owner could be managed by no member. */
export function checkNotLastOwner(roles: ReadonlyMap<Uuid, MemberRole>, memberId: Uuid): void {
  const owners = [...roles].filter(([, role]) => role === "owner").map(([id]) => id);
  if (owners.length === 1 && owners[0] === memberId) {
    throw new Fault("conflict", sayRefusal("last_owner"));
  }
}
