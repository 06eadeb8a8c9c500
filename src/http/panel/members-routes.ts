/**
 * Members and their sessions: the panel's routes for it. All under `/panel/api`.
 *
 * For everybody (from our own pages only); with a cookie where a session begins:
 * - `POST sign-up` SignUpBody → 202 `{}`, always the same; the mail says the rest
 * - `POST verify-email` TokenBody → LinkOwner; then log in. `POST verify-email/resend` EmailBody →
 *   202 `{}`
 * - `POST log-in` LogInBody → Session. Refusals: `wrong_credentials` 401, `email_unverified` 403,
 *   `rate_limit_exceeded` 429
 * - `POST password/forgot` EmailBody → 202 `{}`. `POST password/reset` TokenPasswordBody → `{}`;
 *   then log in
 * - `POST members/invitation` TokenBody → InvitationView; `POST members/accept` TokenPasswordBody →
 *   LinkOwner; then log in
 * - `GET visitor` → Visit: the session, or null where there is none For any session, by its stage:
 * - `GET session` → Session; `POST log-out` → `{}`
 * - `POST log-in/totp` CodeBody → Session (stage "totp"). `wrong_credentials` 401 with param
 *   "code"; after a few the log-in begins anew (401 `session_required`)
 * - `POST password` ChangePasswordBody → Session (stages "password" and "full"); all other sessions
 *   end For a session that is logged in to the end:
 * - `GET sessions` → SessionList; `DELETE sessions/{id}` → `{}`; `DELETE sessions` → `{}` (all
 *   others)
 * - `POST totp/begin` → TotpSecret; `POST totp/confirm` CodeBody → RecoveryCodes;
 *   `POST totp/disable` DisableTotpBody → `{}`
 * - `POST profile` ProfileBody → Session
 * - `GET members` → MemberList; and for owners: `POST members/invite` InviteBody → 202 `{}` (again:
 *   a new link); `DELETE members/invitations/{id}` → `{}`; `POST members/{id}/role` RoleBody →
 *   `{}`; `DELETE members/{id}` → `{}` (oneself too, not the last owner: `conflict` 409)
 */
import type { Route } from "../route.ts";
import { logInRoutes, type LogInUseCases } from "./members/log-in-routes.ts";
import { passwordRoutes, type PasswordUseCases } from "./members/password-routes.ts";
import { peopleRoutes, type PeopleUseCases } from "./members/people-routes.ts";
import { sessionRoutes, type SessionUseCases } from "./members/session-routes.ts";
import { totpRoutes, type TotpUseCases } from "./members/totp-routes.ts";

export interface MembersUseCases
  extends LogInUseCases, PasswordUseCases, SessionUseCases, TotpUseCases, PeopleUseCases {
  /** Whether the panel is reached by https. */
  secure(): boolean;
}

export function membersRoutes(useCases: MembersUseCases): Route[] {
  const secure = (): boolean => useCases.secure();
  return [
    ...logInRoutes(useCases, secure),
    ...passwordRoutes(useCases, secure),
    ...sessionRoutes(useCases, secure),
    ...totpRoutes(useCases),
    ...peopleRoutes(useCases, secure),
  ];
}
