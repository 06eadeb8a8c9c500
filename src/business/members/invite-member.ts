/** Asks a person by mail to join an account. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { putInvitation } from "../../accounts/invitations.store.ts";
import { findMember, findMemberByEmail } from "../../accounts/members.store.ts";
import type { MemberRole } from "../../contract/enums/member-role.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { newOpaqueToken } from "../../kernel/opaque-token.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import { readEmail } from "../accounts/read-email.ts";
import { readSettings } from "../settings/read-settings.ts";
import { checkDomain } from "./sign-up-rules.ts";
import type { MembersDeps } from "./members-deps.ts";

/** What `hashToken` is told of an invitation's token. */
export const INVITATION_TOKEN = "invite";

/**
 * An e-mail that is invited already gets a new link, and the one before leads nowhere. Whether it
 * has an account elsewhere is told only to its reader. Throws Fault("conflict") for a member of
 * this account, "permission_denied" for an e-mail of a domain that is not taken here.
 */
export async function inviteMember(
  deps: MembersDeps,
  caller: MemberCaller,
  request: { readonly email: string; readonly role: MemberRole },
): Promise<void> {
  const email = readEmail(request.email);
  const { accountId, language } = caller;
  checkDomain((await readSettings(deps.db)).signUp, email);
  await deps.throttle.take({ kind: "invite", whom: accountId });
  await deps.db.transaction(async (tx) => {
    const [inviter, known] = [
      await findMember(tx, caller.memberId),
      await findMemberByEmail(tx, email),
    ];
    if (inviter === null) throw new Fault("session_required");
    if (known?.accountId === accountId)
      throw new Fault("conflict", { ...sayRefusal("member_already"), param: "email" });
    const token = newOpaqueToken();
    const tokenHash = deps.hashToken(INVITATION_TOKEN, token);
    await putInvitation(tx, {
      invitationId: newUuid(),
      accountId,
      email,
      role: request.role,
      language,
      tokenHash,
    });
    const about = { accountName: inviter.accountName, inviter: inviter.name ?? inviter.email };
    if (known === null || !known.verified)
      await deps.mail(tx, { email, language }, { kind: "invite", token, ...about });
    else await deps.mail(tx, known, { kind: "invite-known", ...about });
    const act = { subjectId: null, subject: email, before: null, after: { role: request.role } };
    await recordAct(tx, caller, { action: "member.invite", ...act });
  });
}
