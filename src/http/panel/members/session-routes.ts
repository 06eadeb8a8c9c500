/** The session that asks, the member's other ones, and its profile. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { SessionRecord } from "../../../accounts/sessions.store.ts";
import type { SessionList } from "../../../contract/panel/sessions.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { noSeeAsCookie, noSessionCookie, readSessionCookies } from "../session-cookie.ts";
import { DONE, sessionBody } from "./session-answer.ts";
import { readSession, readVisitor } from "../../../business/members/read-session.ts";
import type { PasskeyDeps } from "../../../business/members/passkey-deps.ts";
import { deleteSession, deleteSessionsOf, sessionsOf } from "../../../accounts/sessions.store.ts";
import { changeOwnProfile } from "../../../business/members/change-profile.ts";
import { readInstallation } from "../../../business/settings/read-installation.ts";
import { Fault } from "../../../kernel/faults.ts";

export function sessionRoutes(deps: PasskeyDeps, secure: () => boolean): Route[] {
  return [
    openPanelRoute("GET /visitor", async ({ headers }) => {
      const view = await readVisitor(deps, readSessionCookies(headers, secure()));
      return { json: { session: view === null ? null : sessionBody(view) } };
    }),
    openPanelRoute("GET /installation", async () => ({
      json: await readInstallation(deps),
    })),
    memberRoute("GET /session", {
      needs: "unfinished",
      seen: true,
      handle: async ({ member }) => ({
        json: sessionBody(await readSession(deps, member)),
      }),
    }),
    memberRoute("POST /log-out", {
      needs: "unfinished",
      seen: true,
      async handle({ member }) {
        await deleteSession(deps.db, member.memberId, member.sessionId);
        const cookies = [noSessionCookie(secure()), noSeeAsCookie(secure())];
        return { ...DONE, headers: { "set-cookie": cookies } };
      },
    }),
    memberRoute("GET /sessions", {
      needs: "developer",
      async handle({ member }) {
        const sessions = await sessionsOf(deps.db, member.memberId);
        return { json: { data: sessions.map((session) => listed(session, member)) } };
      },
    }),
    memberRoute("DELETE /sessions", {
      needs: "developer",
      async handle({ member }) {
        await deleteSessionsOf(deps.db, member.memberId, member.sessionId);
        return DONE;
      },
    }),
    memberRoute("DELETE /sessions/{id}", {
      needs: "developer",
      async handle({ member, params }) {
        if (!(await deleteSession(deps.db, member.memberId, params.id)))
          throw new Fault("not_found");
        return DONE;
      },
    }),
    memberRoute("POST /profile", {
      needs: "developer",
      async handle({ member, body }) {
        await changeOwnProfile(deps, member, body);
        return { json: sessionBody(await readSession(deps, member)) };
      },
    }),
  ];
}

function listed(
  { sessionId, createdAt, seenAt, address, userAgent }: SessionRecord,
  member: MemberCaller,
): SessionList["data"][number] {
  return {
    sessionId,
    current: sessionId === member.sessionId,
    createdAt: createdAt.toISOString(),
    lastSeenAt: seenAt.toISOString(),
    address,
    userAgent,
  };
}
