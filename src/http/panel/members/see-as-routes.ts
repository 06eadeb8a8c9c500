/**
 * The panel as a customer sees it, for operators: begun from an account's page, and left. What is
 * seen meanwhile, and that nothing else is, stands with each route (`seen`) and is held in
 * member-access.ts.
 */
import { beginSeeAs } from "../../../business/operate/begin-see-as.ts";
import type { MembersDeps } from "../../../business/members/members-deps.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { noSeeAsCookie, seeAsCookie } from "../session-cookie.ts";
import { DONE } from "./session-answer.ts";

export function seeAsRoutes(deps: MembersDeps, secure: () => boolean): Route[] {
  return [
    memberRoute("POST /operator/accounts/{id}/see-as", {
      needs: "operator",
      async handle({ member, params }) {
        const { grant, until } = await beginSeeAs(deps, member, params.id.toLowerCase());
        return {
          headers: { "set-cookie": seeAsCookie(grant, secure()) },
          json: { until: until.toISOString() },
        };
      },
    }),
    openPanelRoute("POST /see-as/leave", async () => ({
      ...DONE,
      headers: { "set-cookie": noSeeAsCookie(secure()) },
    })),
  ];
}
