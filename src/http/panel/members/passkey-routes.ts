/** Passkeys: added, listed and removed by their member, and what one logs in by. */
import { passkeysOf, type Passkey } from "../../../accounts/passkeys.store.ts";
import { addPasskey } from "../../../business/members/add-passkey.ts";
import { beginPasskey, beginPasskeyLogIn } from "../../../business/members/begin-passkey.ts";
import { logInPasskey } from "../../../business/members/log-in-passkey.ts";
import type { PasskeyDeps } from "../../../business/members/passkey-deps.ts";
import { removePasskey } from "../../../business/members/remove-passkey.ts";
import type { ListedPasskey } from "../../../contract/panel/passkeys.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import {
  noPasskeyCookie,
  passkeyCookie,
  readPasskeyCookie,
  readSessionCookie,
} from "../session-cookie.ts";
import { DONE, newSessionAnswer, visitorOf } from "./session-answer.ts";

export function passkeyRoutes(deps: PasskeyDeps, secure: () => boolean): Route[] {
  return [
    memberRoute("GET /passkeys", {
      needs: "developer",
      handle: async ({ member }) => ({
        json: { data: (await passkeysOf(deps.db, member.memberId)).map(listed) },
      }),
    }),
    // Not of viewers, who change nothing of their account: nor of a blocked one's members.
    memberRoute("POST /passkeys/begin", {
      needs: "keyholder",
      handle: async ({ member, body }) => ({
        json: await beginPasskey(deps, member, body.password),
      }),
    }),
    memberRoute("POST /passkeys", {
      needs: "keyholder",
      async handle({ member, body }) {
        const { passkey, recoveryCodes } = await addPasskey(deps, member, body);
        return {
          json: { passkey: listed(passkey), recoveryCodes: recoveryCodes && [...recoveryCodes] },
        };
      },
    }),
    // Of every member: one that was lost must go, whatever its role is by now.
    memberRoute("DELETE /passkeys/{id}", {
      needs: "developer",
      async handle({ member, params }) {
        await removePasskey(deps, member, params.id.toLowerCase());
        return DONE;
      },
    }),
    openPanelRoute("POST /log-in/passkey/begin", async ({ headers }) => {
      const { request, browser } = beginPasskeyLogIn(deps, readPasskeyCookie(headers, secure()));
      return { headers: { "set-cookie": passkeyCookie(browser, secure()) }, json: request };
    }),
    openPanelRoute("POST /log-in/passkey", async (call) => {
      const begun = await logInPasskey(deps, {
        credential: call.body.credential,
        visitor: visitorOf(call, secure()),
        browser: readPasskeyCookie(call.headers, secure()),
        token: readSessionCookie(call.headers, secure()),
      });
      const { cookies, json } = await newSessionAnswer(deps, begun, secure());
      return { json, headers: { "set-cookie": [...cookies, noPasskeyCookie(secure())] } };
    }),
  ];
}

function listed({
  passkeyId,
  name,
  createdAt,
  usedAt,
}: Pick<Passkey, "passkeyId" | "name" | "createdAt" | "usedAt">): ListedPasskey {
  const times = { addedAt: createdAt.toISOString(), lastUsedAt: usedAt?.toISOString() ?? null };
  return { passkeyId, name, ...times };
}
