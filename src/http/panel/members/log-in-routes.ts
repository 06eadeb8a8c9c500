/** Signing up, confirming the e-mail, logging in by password and code. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { LogInRequest } from "../../../business/members/log-in.ts";
import type { Visitor } from "../../../business/members/members-deps.ts";
import type { SignUpRequest } from "../../../business/members/sign-up.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { readSessionCookie } from "../session-cookie.ts";
import { DONE, newSessionAnswer, visitorOf, type NewSession } from "./session-answer.ts";

export interface LogInUseCases {
  signUp(request: SignUpRequest): Promise<void>;
  /** Returns the e-mail. */
  verifyEmail(token: string): Promise<string>;
  resendVerification(request: { readonly email: string; readonly visitor: Visitor }): Promise<void>;
  logIn(request: LogInRequest): Promise<NewSession>;
  logInCode(
    member: MemberCaller,
    request: { readonly code: string; readonly visitor: Visitor },
  ): Promise<NewSession>;
}

export function logInRoutes(useCases: LogInUseCases, secure: () => boolean): Route[] {
  return [
    openPanelRoute("POST /sign-up", async (call) => {
      const { email, password, accountName, language } = call.body;
      await useCases.signUp({
        email,
        password,
        accountName,
        language,
        visitor: visitorOf(call, secure()),
      });
      return DONE;
    }),
    openPanelRoute("POST /verify-email", async ({ body }) => ({
      json: { email: await useCases.verifyEmail(body.token) },
    })),
    openPanelRoute("POST /verify-email/resend", async (call) => {
      await useCases.resendVerification({
        email: call.body.email,
        visitor: visitorOf(call, secure()),
      });
      return DONE;
    }),
    openPanelRoute("POST /log-in", async (call) => {
      const { email, password } = call.body;
      const token = readSessionCookie(call.headers, secure());
      return newSessionAnswer(
        await useCases.logIn({ email, password, visitor: visitorOf(call, secure()), token }),
        secure(),
      );
    }),
    memberRoute("POST /log-in/totp", {
      needs: "unfinished",
      async handle(call) {
        const { code } = call.body;
        return newSessionAnswer(
          await useCases.logInCode(call.member, { code, visitor: visitorOf(call, secure()) }),
          secure(),
        );
      },
    }),
  ];
}
