/**
 * Members and their sessions: the panel's routes for it. All under `/panel/api`.
 *
 * For everybody (from our own pages only); with a cookie where a session begins:
 * - `POST sign-up` SignUpBody → 202 `{}`, always the same; the mail says the rest
 * - `POST verify-email` TokenBody → `{}`; then log in. `POST verify-email/resend` EmailBody → 202 `{}`
 * - `POST log-in` LogInBody → Session. Refusals: `wrong_credentials` 401, `email_unverified` 403, `rate_limit_exceeded` 429
 * - `POST password/forgot` EmailBody → 202 `{}`. `POST password/reset` TokenPasswordBody → `{}`; then log in
 * - `POST members/accept` TokenPasswordBody → `{}`; then log in
 * For any session, by its stage:
 * - `GET session` → Session; `POST log-out` → `{}`
 * - `POST log-in/totp` CodeBody → Session (stage "totp"). `wrong_credentials` 401 with param "code"; after a few the log-in begins anew (401 `session_required`)
 * - `POST password` ChangePasswordBody → Session (stages "password" and "full"); all other sessions end
 * For a session that is logged in to the end:
 * - `GET sessions` → SessionList; `DELETE sessions/{id}` → `{}`; `DELETE sessions` → `{}` (all others)
 * - `POST totp/begin` → TotpSecret; `POST totp/confirm` CodeBody → RecoveryCodes; `POST totp/disable` DisableTotpBody → `{}`
 * - `POST profile` ProfileBody → Session
 * - `GET members` → MemberList; and for owners: `POST members/invite` InviteBody → 202 `{}` (again: a new link);
 *   `DELETE members/invitations/{id}` → `{}`; `POST members/{id}/role` RoleBody → `{}`; `DELETE members/{id}` → `{}` (oneself too, not the last owner: `conflict` 409)
 */
import { LogInBody, SignUpBody, EmailBody, TokenBody, type Session } from "../../contract/panel/sessions.ts";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { LogInRequest } from "../../gateway/members/log-in.ts";
import type { Visitor } from "../../gateway/members/members-deps.ts";
import type { SessionView } from "../../gateway/members/read-session.ts";
import type { SignUpRequest } from "../../gateway/members/sign-up.ts";
import type { Answer, Route, RouteCall } from "../route.ts";
import { memberRoute } from "../route.ts";
import { openPanelRoute } from "./open-panel-route.ts";
import { noSessionCookie, readSessionCookie, sessionCookie } from "./session-cookie.ts";

/** A session that has another token now. */
interface NewSession {
  readonly token: string;
  readonly session: SessionView;
}

export interface MembersUseCases {
  /** Whether the panel is reached by https. */
  secure(): boolean;
  signUp(request: SignUpRequest): Promise<void>;
  verifyEmail(token: string): Promise<void>;
  resendVerification(request: { readonly email: string; readonly visitor: Visitor }): Promise<void>;
  logIn(request: LogInRequest): Promise<NewSession>;
  logOut(member: MemberCaller): Promise<void>;
  readSession(member: MemberCaller): Promise<SessionView>;
}

const DONE: Answer = { content: { json: {} } };
/** Whatever comes of it is told by mail. */
const HEARD: Answer = { status: 202, content: { json: {} } };
const LONGEST_USER_AGENT = 400;

export function membersRoutes(useCases: MembersUseCases): Route[] {
  const begun = ({ token, session }: NewSession): Answer => ({
    headers: { "set-cookie": sessionCookie(token, useCases.secure()) },
    content: { json: sessionBody(session) },
  });

  return [
    openPanelRoute({
      path: "/panel/api/sign-up",
      body: SignUpBody,
      async handle(call) {
        await useCases.signUp({ ...call.body, visitor: visitorOf(call) });
        return HEARD;
      },
    }),
    openPanelRoute({
      path: "/panel/api/verify-email",
      body: TokenBody,
      async handle({ body }) {
        await useCases.verifyEmail(body.token);
        return DONE;
      },
    }),
    openPanelRoute({
      path: "/panel/api/verify-email/resend",
      body: EmailBody,
      async handle(call) {
        await useCases.resendVerification({ email: call.body.email, visitor: visitorOf(call) });
        return HEARD;
      },
    }),
    openPanelRoute({
      path: "/panel/api/log-in",
      body: LogInBody,
      async handle(call) {
        const token = readSessionCookie(call.headers, useCases.secure());
        return begun(await useCases.logIn({ ...call.body, visitor: visitorOf(call), token }));
      },
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/log-out",
      needs: "unfinished",
      async handle({ member }) {
        await useCases.logOut(member);
        return { ...DONE, headers: { "set-cookie": noSessionCookie(useCases.secure()) } };
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/session",
      needs: "unfinished",
      handle: async ({ member }) => ({ content: { json: sessionBody(await useCases.readSession(member)) } }),
    }),
  ];
}

function visitorOf({ remoteAddress, headers }: RouteCall<unknown>): Visitor {
  return { address: remoteAddress, userAgent: (headers["user-agent"] ?? "").slice(0, LONGEST_USER_AGENT) };
}

function sessionBody({ member, stage, blocked }: SessionView): Session {
  const { memberId, email, name, role, operator, language, timezone, totp, accountId, accountName } = member;
  return {
    member: { memberId, email, name, role, operator, language, timezone, totp, stage },
    account: { accountId, name: accountName, blocked },
  };
}
