/**
 * A link came back: the e-mail is confirmed. The browser that signed up is logged in by it; any other
 * one, a mail scanner among them, is not.
 */
import { findMember, findPasswordHash } from "../../accounts/members.store.ts";
import { deleteTokensOf, useToken } from "../../accounts/tokens.store.ts";
import type { Nano } from "../../kernel/money.ts";
import { confirmEmail } from "./confirm-email.ts";
import { deadLink } from "./dead-link.ts";
import { newDeviceToken } from "./device-token.ts";
import { firstStage } from "./log-in.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import { beginSession, type BegunSession } from "./new-session.ts";
import { isSignUpToken } from "./sign-up-browser.ts";

export interface ConfirmedEmail {
  readonly email: string;
  /** Credit to try with that came with it; null: none. */
  readonly trialNano: Nano | null;
  /** Null: this browser is asked for the password. */
  readonly session: BegunSession | null;
}

/**
 * Throws Fault("gone") for a token that is unknown, used, too old, or another purpose's.
 * `signUpToken`: what the browser kept of its sign-up; null: nothing.
 */
export async function verifyEmail(
  deps: Pick<MembersDeps, "db" | "clock" | "hashToken" | "mail">,
  request: {
    readonly token: string;
    readonly visitor: Visitor;
    readonly signUpToken: string | null;
  },
): Promise<ConfirmedEmail> {
  const { hashToken } = deps;
  return deps.db.transaction(async (tx) => {
    const memberId = await useToken(tx, hashToken("verify", request.token), "verify");
    const member = memberId === null ? null : await findMember(tx, memberId);
    if (member === null) throw deadLink();
    const { email } = member;
    const { trialNano } = await confirmEmail(tx, member);
    await deleteTokensOf(tx, member.memberId, "verify");
    const kept = await findPasswordHash(tx, email);
    const { signUpToken, visitor } = request;
    const same =
      kept !== null &&
      signUpToken !== null &&
      isSignUpToken(hashToken, { email, passwordHash: kept.passwordHash }, signUpToken);
    if (!same) return { email, trialNano, session: null };
    const stage = firstStage(member);
    const token = await beginSession(tx, deps, { member, stage, visitor });
    const device = stage === "totp" ? null : newDeviceToken(hashToken, member.memberId);
    return { email, trialNano, session: { token, device } };
  });
}
