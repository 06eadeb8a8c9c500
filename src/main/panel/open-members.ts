/** Members and their sessions: put together for the panel. */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { deleteSession } from "../../accounts/sessions.store.ts";
import { authenticateMember } from "../../gateway/members/authenticate-member.ts";
import { logIn } from "../../gateway/members/log-in.ts";
import { createMemberMail } from "../../gateway/members/member-mail.ts";
import type { MembersDeps } from "../../gateway/members/members-deps.ts";
import { createPasswordWork } from "../../gateway/members/password-work.ts";
import { readSession, readSessionOf } from "../../gateway/members/read-session.ts";
import { resendVerification } from "../../gateway/members/resend-verification.ts";
import { signUp } from "../../gateway/members/sign-up.ts";
import { createThrottle } from "../../gateway/members/throttle.ts";
import { verifyEmail } from "../../gateway/members/verify-email.ts";
import type { MembersUseCases } from "../../http/panel/members-routes.ts";
import { readSessionCookie } from "../../http/panel/session-cookie.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { createSeal } from "../../kernel/seal.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export interface Members extends PanelPart<MembersUseCases> {
  /** Whose session it is; throws Fault("session_required"). */
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
}

export function openMembers({ db, clock, sessionSecret, baseUrl }: PanelDeps): Members {
  const seal = createSeal(sessionSecret);
  const hashToken = createTokenHash(sessionSecret);
  const deps: MembersDeps = {
    db,
    clock,
    seal,
    hashToken,
    passwords: createPasswordWork(),
    throttle: createThrottle({ db, hashToken }),
    mail: createMemberMail({ seal, baseUrl }),
  };
  const secure = (): boolean => baseUrl().startsWith("https:");
  return {
    useCases: {
      secure,
      signUp: (request) => signUp(deps, request),
      verifyEmail: (token) => verifyEmail(deps, token),
      resendVerification: (request) => resendVerification(deps, request),
      async logIn(request) {
        const token = await logIn(deps, request);
        return { token, session: await readSessionOf(deps, token) };
      },
      logOut: async (member) => void (await deleteSession(db, member.memberId, member.sessionId)),
      readSession: (member) => readSession(deps, member),
    },
    authenticateMember: (headers) => authenticateMember(deps, readSessionCookie(headers, secure())),
    close: async () => undefined,
  };
}
