/** Members and their sessions: put together for the panel. */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { deleteInvitation } from "../../accounts/invitations.store.ts";
import { deleteSession, deleteSessionsOf, sessionsOf } from "../../accounts/sessions.store.ts";
import { sweepMembers } from "../../accounts/sweep.store.ts";
import { acceptInvitation } from "../../business/members/accept-invitation.ts";
import { authenticateMember } from "../../business/members/authenticate-member.ts";
import { beginSecondFactor } from "../../business/members/begin-totp.ts";
import { changeOwnPassword } from "../../business/members/change-password.ts";
import { changeOwnProfile } from "../../business/members/change-profile.ts";
import { changeMemberRole } from "../../business/members/change-role.ts";
import { confirmSecondFactor } from "../../business/members/confirm-totp.ts";
import { disableSecondFactor } from "../../business/members/disable-totp.ts";
import { forgotPassword } from "../../business/members/forgot-password.ts";
import { inviteMember } from "../../business/members/invite-member.ts";
import { listMembers } from "../../business/members/list-members.ts";
import { logInCode } from "../../business/members/log-in-code.ts";
import { logIn } from "../../business/members/log-in.ts";
import { createMemberMail } from "../../business/members/member-mail.ts";
import type { MembersDeps } from "../../business/members/members-deps.ts";
import type { BegunSession } from "../../business/members/new-session.ts";
import { createPasswordWork } from "../../business/members/password-work.ts";
import { readInvitation } from "../../business/members/read-invitation.ts";
import {
  readSession,
  readSessionOf,
  readVisitor,
  type SessionView,
} from "../../business/members/read-session.ts";
import { removeMember } from "../../business/members/remove-member.ts";
import { resendVerification } from "../../business/members/resend-verification.ts";
import { resetPassword } from "../../business/members/reset-password.ts";
import { signUp } from "../../business/members/sign-up.ts";
import { sweepSignUps } from "../../business/members/sweep-sign-ups.ts";
import { createThrottle } from "../../business/members/throttle.ts";
import { verifyEmail } from "../../business/members/verify-email.ts";
import type { MembersUseCases } from "../../http/panel/members-routes.ts";
import { readSessionCookie } from "../../http/panel/session-cookie.ts";
import { Fault } from "../../kernel/faults.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { createSeal } from "../../kernel/seal.ts";
import { every } from "../every.ts";
import type { PanelDeps, PanelPart } from "./panel-deps.ts";

export interface Members extends PanelPart<MembersUseCases> {
  /** Whose session it is; throws Fault("session_required"). */
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
}

/** Between two sweeps for sessions, links, counts and sign-ups whose time is over. */
const SWEEP_MS = 600_000;

export function openMembers({ db, clock, sessionSecret, baseUrl, onError }: PanelDeps): Members {
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
  const told = async (begun: BegunSession): Promise<BegunSession & { session: SessionView }> => ({
    ...begun,
    session: await readSessionOf(deps, begun.token),
  });
  const sweeper = every(
    SWEEP_MS,
    async () => {
      await sweepMembers(db);
      await sweepSignUps(db);
    },
    (error) => onError("sessions, links and sign-ups that are over could not be removed", error),
  );
  return {
    useCases: {
      secure,
      signUp: (request) => signUp(deps, request),
      verifyEmail: (token) => verifyEmail(deps, token),
      resendVerification: (request) => resendVerification(deps, request),
      logIn: async (request) => told(await logIn(deps, request)),
      logInCode: async (member, request) => told(await logInCode(deps, member, request)),
      changePassword: async (member, sent) =>
        told({ token: await changeOwnPassword(deps, member, sent), device: null }),
      forgotPassword: (request) => forgotPassword(deps, request),
      resetPassword: (request) => resetPassword(deps, request),
      acceptInvitation: (request) => acceptInvitation(deps, request),
      readInvitation: (request) => readInvitation(deps, request),
      readSession: (member) => readSession(deps, member),
      readVisitor: (token) => readVisitor(deps, token),
      logOut: async ({ memberId, sessionId }) =>
        void (await deleteSession(db, memberId, sessionId)),
      listSessions: ({ memberId }) => sessionsOf(db, memberId),
      async endSession({ memberId }, sessionId) {
        if (!(await deleteSession(db, memberId, sessionId))) throw new Fault("not_found");
      },
      endOtherSessions: ({ memberId, sessionId }) => deleteSessionsOf(db, memberId, sessionId),
      async changeProfile(member, changes) {
        await changeOwnProfile(deps, member, changes);
        return readSession(deps, member);
      },
      beginTotp: (member) => beginSecondFactor(deps, member),
      confirmTotp: (member, code) => confirmSecondFactor(deps, member, code),
      disableTotp: (member, sent) => disableSecondFactor(deps, member, sent),
      listMembers: (member) => listMembers(deps, member),
      inviteMember: (member, request) => inviteMember(deps, member, request),
      async withdrawInvitation({ accountId }, invitationId) {
        if (!(await deleteInvitation(db, accountId, invitationId))) throw new Fault("not_found");
      },
      changeRole: (member, change) => changeMemberRole(deps, member, change),
      removeMember: (member, memberId) => removeMember(deps, member, memberId),
    },
    authenticateMember: (headers) => authenticateMember(deps, readSessionCookie(headers, secure())),
    close: () => sweeper.stop(),
  };
}
