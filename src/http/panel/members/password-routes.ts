/**
 * Passwords: changed by the member who has one, set anew by the reader of a mailed link, chosen by
 * an invited member.
 */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { ChangePasswordBody } from "../../../contract/panel/sessions.ts";
import type { Visitor } from "../../../business/members/members-deps.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { deviceCookie } from "../session-cookie.ts";
import { DONE, newSessionAnswer, visitorOf, type NewSession } from "./session-answer.ts";

export interface TokenPassword {
  readonly token: string;
  readonly password: string;
}

export interface PasswordUseCases {
  changePassword(member: MemberCaller, sent: ChangePasswordBody): Promise<NewSession>;
  forgotPassword(request: { readonly email: string; readonly visitor: Visitor }): Promise<void>;
  /** Returns what the browser keeps. */
  resetPassword(request: TokenPassword): Promise<string>;
  /** Returns the e-mail. */
  acceptInvitation(request: TokenPassword): Promise<string>;
}

export function passwordRoutes(useCases: PasswordUseCases, secure: () => boolean): Route[] {
  return [
    memberRoute("POST /password", {
      needs: "unfinished",
      handle: async ({ member, body }) =>
        newSessionAnswer(await useCases.changePassword(member, body), secure()),
    }),
    openPanelRoute("POST /password/forgot", async (call) => {
      await useCases.forgotPassword({
        email: call.body.email,
        visitor: visitorOf(call, secure()),
      });
      return DONE;
    }),
    openPanelRoute("POST /password/reset", async (call) => {
      const { token, password } = call.body;
      const device = await useCases.resetPassword({ token, password });
      return { ...DONE, headers: { "set-cookie": deviceCookie(device, secure()) } };
    }),
    openPanelRoute("POST /members/accept", async (call) => {
      const { token, password } = call.body;
      return { json: { email: await useCases.acceptInvitation({ token, password }) } };
    }),
  ];
}
