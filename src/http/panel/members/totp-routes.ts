/** The second factor: begun, confirmed by a code of it, turned off. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { DisableTotpBody, TotpSecret } from "../../../contract/panel/sessions.ts";
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
    memberRoute("POST /totp/begin", {
      needs: "viewer",
      handle: async ({ member }) => ({ json: await useCases.beginTotp(member) }),
    }),
    memberRoute("POST /totp/confirm", {
      needs: "viewer",
      handle: async ({ member, body }) => ({
        json: { recoveryCodes: [...(await useCases.confirmTotp(member, body.code))] },
      }),
    }),
    memberRoute("POST /totp/disable", {
      needs: "viewer",
      async handle({ member, body }) {
        await useCases.disableTotp(member, body);
        return DONE;
      },
    }),
  ];
}
