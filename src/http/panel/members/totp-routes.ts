/** The second factor: begun, confirmed by a code of it, turned off. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import {
  CodeBody,
  DisableTotpBody,
  type RecoveryCodes,
  type TotpSecret,
} from "../../../contract/panel/sessions.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { DONE } from "./session-answer.ts";

export interface TotpUseCases {
  beginTotp(member: MemberCaller): Promise<TotpSecret>;
  confirmTotp(member: MemberCaller, code: string): Promise<readonly string[]>;
  disableTotp(member: MemberCaller, sent: DisableTotpBody): Promise<void>;
}

export function totpRoutes(useCases: TotpUseCases): Route[] {
  return [
    memberRoute({
      method: "POST",
      path: "/panel/api/totp/begin",
      needs: "viewer",
      handle: async ({ member }) => ({ content: { json: await useCases.beginTotp(member) } }),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/totp/confirm",
      needs: "viewer",
      body: CodeBody,
      async handle({ member, body }) {
        const codes: RecoveryCodes = {
          recoveryCodes: [...(await useCases.confirmTotp(member, body.code))],
        };
        return { content: { json: codes } };
      },
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/totp/disable",
      needs: "viewer",
      body: DisableTotpBody,
      async handle({ member, body }) {
        await useCases.disableTotp(member, body);
        return DONE;
      },
    }),
  ];
}
