/**
 * Passwords: changed by the member who has one, set anew by the reader of a mailed link, chosen by
 * an invited member.
 */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { deviceCookie } from "../session-cookie.ts";
import { DONE, newSessionAnswer, visitorOf } from "./session-answer.ts";
import { forgotPassword } from "../../../business/members/forgot-password.ts";
import { resetPassword } from "../../../business/members/reset-password.ts";
import { acceptInvitation } from "../../../business/members/accept-invitation.ts";
import type { MembersDeps } from "../../../business/members/members-deps.ts";
import { changeOwnPassword } from "../../../business/members/change-password.ts";

export function passwordRoutes(deps: MembersDeps, secure: () => boolean): Route[] {
  return [
    memberRoute("POST /password", {
      needs: "unfinished",
      handle: async ({ member, body }) =>
        newSessionAnswer(
          deps,
          { token: await changeOwnPassword(deps, member, body), device: null },
          secure(),
        ),
    }),
    openPanelRoute("POST /password/forgot", async (call) => {
      await forgotPassword(deps, {
        email: call.body.email,
        visitor: visitorOf(call, secure()),
      });
      return DONE;
    }),
    openPanelRoute("POST /password/reset", async (call) => {
      const { token, password } = call.body;
      const device = await resetPassword(deps, { token, password });
      return { ...DONE, headers: { "set-cookie": deviceCookie(device, secure()) } };
    }),
    openPanelRoute("POST /members/accept", async (call) => {
      const { token, password, consents = [] } = call.body;
      return { json: { email: await acceptInvitation(deps, { token, password, consents }) } };
    }),
  ];
}
