/** Members and their sessions: the panel's routes for it. */
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
