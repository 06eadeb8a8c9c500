/** Members and their sessions: the panel's routes for it. */
import type { Route } from "../route.ts";
import { logInRoutes } from "./members/log-in-routes.ts";
import { passkeyRoutes } from "./members/passkey-routes.ts";
import { passwordRoutes } from "./members/password-routes.ts";
import { peopleRoutes } from "./members/people-routes.ts";
import { seeAsRoutes } from "./members/see-as-routes.ts";
import { sessionRoutes } from "./members/session-routes.ts";
import { totpRoutes } from "./members/totp-routes.ts";
import type { PasskeyDeps } from "../../business/members/passkey-deps.ts";

export interface MembersRouteDeps {
  readonly deps: PasskeyDeps;
  /** Whether the panel is reached by https. */
  secure(): boolean;
}

export function membersRoutes({ deps, secure }: MembersRouteDeps): Route[] {
  return [
    ...logInRoutes(deps, secure),
    ...passwordRoutes(deps, secure),
    ...sessionRoutes(deps, secure),
    ...seeAsRoutes(deps, secure),
    ...totpRoutes(deps),
    ...passkeyRoutes(deps, secure),
    ...peopleRoutes(deps, secure),
  ];
}
