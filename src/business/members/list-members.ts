/** Who works in an account, with how many keys, and who was asked to. */
import { invitationsOf, type Invitation } from "../../accounts/invitations.store.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { colleagues, type Colleague } from "../../accounts/members.store.ts";
import type { PanelGroupName } from "../../contract/panel/spend.ts";
import { memberGroups } from "../../keys/member-groups.store.ts";
import { countByOwner } from "../../keys/owners.store.ts";
import type { MembersDeps } from "./members-deps.ts";

export interface Person extends Colleague {
  /** Without deleted ones. */
  readonly keys: number;
  /** Into which the keys go that it makes as a developer; null: into none. */
  readonly group: PanelGroupName | null;
}

export interface People {
  readonly members: readonly Person[];
  readonly invitations: readonly Invitation[];
}

export async function listMembers(
  { db }: Pick<MembersDeps, "db">,
  { accountId }: MemberCaller,
): Promise<People> {
  const [members, invitations, keys, groups] = await Promise.all([
    colleagues(db, accountId),
    invitationsOf(db, accountId),
    countByOwner(db, accountId),
    memberGroups(db, accountId),
  ]);
  return {
    members: members.map((member) => ({
      ...member,
      keys: keys.get(member.memberId) ?? 0,
      group: groups.get(member.memberId) ?? null,
    })),
    invitations,
  };
}
