/**
 * A person who was invited becomes a member: the link proves the e-mail, the password is chosen.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { findInvitation, useInvitation } from "../../accounts/invitations.store.ts";
import { putConsents } from "../../accounts/consents.store.ts";
import { deleteSignUp } from "../../accounts/members.store.ts";
import { insertMember } from "../../accounts/store.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import { readSettings } from "../settings/read-settings.ts";
import { deadLink } from "./dead-link.ts";
import { INVITATION_TOKEN } from "./invite-member.ts";
import type { MembersDeps } from "./members-deps.ts";
import { checkNewPassword } from "./new-password.ts";
import { checkDomain, readConsents, type SentConsents } from "./sign-up-rules.ts";

/**
 * Returns the e-mail. Throws Fault("gone") for a token that is unknown, used, withdrawn or too old;
 * "conflict" where the e-mail has an account already, or a consent has another wording by now;
 * "permission_denied" where e-mails of its domain are not taken.
 */
export async function acceptInvitation(
  deps: MembersDeps,
  request: {
    readonly token: string;
    readonly password: string;
    readonly consents: SentConsents;
  },
): Promise<string> {
  const { db, passwords } = deps;
  const tokenHash = deps.hashToken(INVITATION_TOKEN, request.token);
  const invitation = await findInvitation(db, tokenHash);
  if (invitation === null) throw deadLink();
  checkNewPassword(request.password, invitation.email);
  const { signUp: rules } = await readSettings(db);
  checkDomain(rules, invitation.email);
  const consents = readConsents(rules, request.consents);
  const passwordHash = await passwords.hash(request.password);
  return db.transaction(async (tx) => {
    const used = await useInvitation(tx, tokenHash);
    if (used === null) throw deadLink();
    const { accountId, email, role, language } = used;
    await deleteSignUp(tx, email);
    const person = { memberId: newUuid(), accountId, email, role, language, passwordHash };
    if (
      await insertMember(tx, {
        ...person,
        mustChangePassword: false,
        operator: false,
        verified: true,
      })
    ) {
      await putConsents(tx, person.memberId, consents);
      const act = { subjectId: person.memberId, subject: email, before: null, after: { role } };
      await recordAct(tx, person, { action: "member.join", ...act });
      return email;
    }
    throw new Fault("conflict", sayRefusal("email_taken"));
  });
}
