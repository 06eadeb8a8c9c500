/** Signing up, confirming the e-mail, logging in by password and code. */
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import {
  noSignUpCookie,
  readSessionCookie,
  readSignUpCookie,
  signUpCookie,
} from "../session-cookie.ts";
import { DONE, newSessionAnswer, visitorOf } from "./session-answer.ts";
import { newCaptcha } from "../../../business/members/captcha.ts";
import { signUp } from "../../../business/members/sign-up.ts";
import { verifyEmail } from "../../../business/members/verify-email.ts";
import { resendVerification } from "../../../business/members/resend-verification.ts";
import { formatRoubles } from "../../../kernel/money.ts";
import type { MembersDeps } from "../../../business/members/members-deps.ts";
import { logIn } from "../../../business/members/log-in.ts";
import { logInCode } from "../../../business/members/log-in-code.ts";

export function logInRoutes(deps: MembersDeps, secure: () => boolean): Route[] {
  return [
    openPanelRoute("POST /sign-up", async (call) => {
      const { email, password, accountName, language } = call.body;
      const { code = null, consents = [], captcha = null } = call.body;
      const kept = await signUp(deps, {
        email,
        password,
        accountName,
        language,
        visitor: visitorOf(call, secure()),
        code,
        consents,
        captcha,
      });
      return { ...DONE, headers: { "set-cookie": signUpCookie(kept, secure()) } };
    }),
    openPanelRoute("POST /sign-up/captcha", async (call) => {
      await deps.throttle.takeFrom(visitorOf(call, secure()).address);
      return { json: await newCaptcha(deps) };
    }),
    openPanelRoute("POST /verify-email", async (call) => {
      const { email, trialNano, session } = await verifyEmail(deps, {
        token: call.body.token,
        visitor: visitorOf(call, secure()),
        signUpToken: readSignUpCookie(call.headers, secure()),
      });
      const trial = trialNano === null ? null : formatRoubles(trialNano);
      if (session === null) return { json: { email, trial, session: null } };
      const begun = await newSessionAnswer(deps, session, secure());
      return {
        headers: { "set-cookie": [...begun.cookies, noSignUpCookie(secure())] },
        json: { email, trial, session: begun.json },
      };
    }),
    openPanelRoute("POST /verify-email/resend", async (call) => {
      await resendVerification(deps, {
        email: call.body.email,
        visitor: visitorOf(call, secure()),
      });
      return DONE;
    }),
    openPanelRoute("POST /log-in", async (call) => {
      const { email, password } = call.body;
      const token = readSessionCookie(call.headers, secure());
      return newSessionAnswer(
        deps,
        await logIn(deps, { email, password, visitor: visitorOf(call, secure()), token }),
        secure(),
      );
    }),
    memberRoute("POST /log-in/totp", {
      needs: "unfinished",
      async handle(call) {
        const { code } = call.body;
        return newSessionAnswer(
          deps,
          await logInCode(deps, call.member, { code, visitor: visitorOf(call, secure()) }),
          secure(),
        );
      },
    }),
  ];
}
