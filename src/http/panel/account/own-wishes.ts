/** Whose keys a member makes, and what of a key a developer leaves to those who manage. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { KeyWishes } from "../../../business/panel/account/change-account-key.ts";
import { sayFieldRefusal } from "../../../contract/sentences/say-refusal.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";

/** Of a key that nothing else is said of. */
export function firstOwner({ role, memberId }: MemberCaller): Uuid | null {
  return role === "developer" ? memberId : null;
}

/**
 * A developer gives no key away and puts none into a group or out of it: a group is how those who
 * manage bound what is spent. `was`: whether the key is there already. Throws Fault("permission_denied") naming the field.
 */
export function ownWishes<Wishes extends KeyWishes>(
  member: MemberCaller,
  wishes: Wishes,
  was: boolean,
): Wishes {
  if (member.role !== "developer") return wishes;
  if (wishes.ownerId !== undefined && wishes.ownerId !== member.memberId)
    throw new Fault("permission_denied", sayFieldRefusal("owner", "managers_give_keys"));
  // Who makes one may leave it to the group that was chosen for it.
  if (wishes.groupId !== undefined && (was || wishes.groupId !== null))
    throw new Fault("permission_denied", sayFieldRefusal("group", "managers_group_keys"));
  return wishes;
}
