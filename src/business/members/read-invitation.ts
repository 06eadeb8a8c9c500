/** What an invitation is to, for the guest who holds its link and has not accepted yet. */
import { findInvitation } from "../../accounts/invitations.store.ts";
import { findAccount } from "../../accounts/store.ts";
import type { MemberRole } from "../../contract/enums/member-role.ts";
import { deadLink } from "./dead-link.ts";
import { INVITATION_TOKEN } from "./invite-member.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";

export interface InvitationView {
  readonly accountName: string;
  readonly role: MemberRole;
}

/**
 * Throws Fault("gone") where accepting would: for a token that is unknown, used, withdrawn or too
 * old.
 */
export async function readInvitation(
  deps: Pick<MembersDeps, "db" | "hashToken" | "throttle">,
  request: { readonly token: string; readonly visitor: Visitor },
): Promise<InvitationView> {
  await deps.throttle.takeFrom(request.visitor.address);
  const invitation = await findInvitation(deps.db, deps.hashToken(INVITATION_TOKEN, request.token));
  const account = invitation === null ? null : await findAccount(deps.db, invitation.accountId);
  if (invitation === null || account === null) throw deadLink();
  return { accountName: account.name, role: invitation.role };
}
