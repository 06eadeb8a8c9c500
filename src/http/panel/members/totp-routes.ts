/** The second factor: begun, confirmed by a code of it, turned off. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { DONE } from "./session-answer.ts";
import { beginSecondFactor } from "../../../business/members/begin-totp.ts";
import { confirmSecondFactor } from "../../../business/members/confirm-totp.ts";
import { disableSecondFactor } from "../../../business/members/disable-totp.ts";
import type { MembersDeps } from "../../../business/members/members-deps.ts";

export function totpRoutes(deps: MembersDeps): Route[] {
  return [
    memberRoute("POST /totp/begin", {
      needs: "enrolling",
      handle: async ({ member }) => ({ json: await beginSecondFactor(deps, member) }),
    }),
    memberRoute("POST /totp/confirm", {
      needs: "enrolling",
      handle: async ({ member, body }) => ({
        json: { recoveryCodes: [...(await confirmSecondFactor(deps, member, body.code))] },
      }),
    }),
    memberRoute("POST /totp/disable", {
      needs: "developer",
      async handle({ member, body }) {
        await disableSecondFactor(deps, member, body);
        return DONE;
      },
    }),
  ];
}
