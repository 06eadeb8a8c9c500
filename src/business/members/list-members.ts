/** Who works in an account, and who was asked to. */
import { invitationsOf, type Invitation } from "../../accounts/invitations.store.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { colleagues, type Colleague } from "../../accounts/members.store.ts";
import type { MembersDeps } from "./members-deps.ts";

export interface People {
  readonly members: readonly Colleague[];
  readonly invitations: readonly Invitation[];
}

export async function listMembers(
  { db }: Pick<MembersDeps, "db">,
  { accountId }: MemberCaller,
): Promise<People> {
  const [members, invitations] = await Promise.all([
    colleagues(db, accountId),
    invitationsOf(db, accountId),
  ]);
  return { members, invitations };
}
